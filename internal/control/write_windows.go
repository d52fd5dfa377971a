package control

import "os"

// canWrite goes by the folder's mode: Windows has no cheaper honest answer.
func canWrite(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.Mode().Perm()&0o200 != 0
}
