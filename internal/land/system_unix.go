//go:build unix

package land

import (
	"io/fs"
	"os"
	"syscall"
)

// errNotDir: a folder of the path is a file, so nothing is there.
var errNotDir error = syscall.ENOTDIR

// keepOwner gives f the owner and group of the file it replaces, where this
// process may: else it is its own, as after any editor that saves by renaming.
func keepOwner(f *os.File, info fs.FileInfo) {
	if old, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(old.Uid), int(old.Gid))
	}
}
