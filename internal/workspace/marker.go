package workspace

import (
	"fmt"
	"os"
	"path/filepath"
)

// markerFile is in the folder of a workspace whose tree is whole. It is the same
// file under another name while the tree is changed: a rename is cheaper than a
// new file.
const (
	markerFile   = "materialised"
	unmarkedFile = "unfinished"
)

// Mark says that the workspace in dir holds its whole tree: it is done last.
func Mark(dir string) error {
	marker := filepath.Join(dir, markerFile)
	if os.Rename(filepath.Join(dir, unmarkedFile), marker) == nil {
		return nil
	}
	return os.WriteFile(marker, nil, 0o600)
}

// Unmark takes the mark away, before the tree is changed.
func Unmark(dir string) error {
	return ignoreGone(os.Rename(filepath.Join(dir, markerFile), filepath.Join(dir, unmarkedFile)))
}

// CheckMark reports ErrUnmarked where the mark is missing.
func CheckMark(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, markerFile)); err != nil {
		return fmt.Errorf("%w: %w", ErrUnmarked, err)
	}
	return nil
}
