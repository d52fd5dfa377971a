//go:build unix

package atomicfile

import "golang.org/x/sys/unix"

// Writable reports whether files can be made in the folder dir. It asks the
// kernel, which knows of read-only mounts.
func Writable(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }
