package workspace

import (
	"os"
	"time"
)

// SetTime sets the time of a file. A link keeps its own: Chtimes would follow it.
func SetTime(path string, at time.Time) error {
	if info, err := os.Lstat(path); at.IsZero() || err != nil || info.Mode()&os.ModeSymlink != 0 {
		return err
	}
	return os.Chtimes(path, at, at)
}
