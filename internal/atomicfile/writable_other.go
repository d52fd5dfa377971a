//go:build !unix

package atomicfile

import "os"

// Writable reports whether files can be made in the folder dir. It goes by the
// folder's mode: there is no cheaper honest answer here.
func Writable(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir() && info.Mode().Perm()&0o200 != 0
}
