package land

import "syscall"

var errNotDir error = syscall.ERROR_PATH_NOT_FOUND
