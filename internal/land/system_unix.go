//go:build unix

package land

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// errNotDir: a folder of the path is a file, so nothing is there.
var errNotDir error = syscall.ENOTDIR

// writable asks the kernel, which knows of read-only mounts.
func writable(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }

// keepOwner gives f the owner and group of the file it replaces, where this
// process may: else it is its own, as after any editor that saves by renaming.
func keepOwner(f *os.File, info fs.FileInfo) {
	if old, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(old.Uid), int(old.Gid))
	}
}
