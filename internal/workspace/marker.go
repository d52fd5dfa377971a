package workspace

import (
	"fmt"
	"os"
	"path/filepath"
)

// markerFile is in the folder of a workspace whose tree is whole.
const markerFile = "materialised"

// Mark says that the workspace in dir holds its whole tree: it is written last.
func Mark(dir string) error { return os.WriteFile(filepath.Join(dir, markerFile), nil, 0o600) }

// Unmark takes the mark away, before the tree is changed.
func Unmark(dir string) error { return ignoreGone(os.Remove(filepath.Join(dir, markerFile))) }

// CheckMark reports ErrUnmarked where the mark is missing.
func CheckMark(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, markerFile)); err != nil {
		return fmt.Errorf("%w: %w", ErrUnmarked, err)
	}
	return nil
}
