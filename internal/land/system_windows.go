package land

import (
	"io/fs"
	"os"
	"syscall"
)

// errNotDir: a folder of the path is a file, so nothing is there.
var errNotDir error = syscall.ERROR_PATH_NOT_FOUND

// writable goes by the folder's mode: Windows has no cheaper honest answer.
func writable(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.Mode().Perm()&0o200 != 0
}

// keepOwner does nothing: a new file has its folder's.
func keepOwner(*os.File, fs.FileInfo) {}
