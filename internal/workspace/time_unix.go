//go:build unix

package workspace

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// SetTime sets the time of a file or of a link itself.
func SetTime(path string, at time.Time) error {
	if at.IsZero() {
		return nil
	}
	ts := unix.NsecToTimespec(at.UnixNano())
	if err := unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return fmt.Errorf("setting the time of %s: %w", path, err)
	}
	return nil
}
