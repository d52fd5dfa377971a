package land

import (
	"io/fs"
	"os"
	"syscall"
)

// errNotDir: a folder of the path is a file, so nothing is there.
var errNotDir error = syscall.ERROR_PATH_NOT_FOUND

// keepOwner does nothing: a new file has its folder's.
func keepOwner(*os.File, fs.FileInfo) {}
