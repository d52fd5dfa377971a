//go:build unix

package land

import "syscall"

// errNotDir: a folder of the path is a file, so nothing is there.
var errNotDir error = syscall.ENOTDIR
