//go:build linux || darwin

package pool

import (
	"io/fs"
	"syscall"
)

// inode gives a file's number and the time its inode was last changed, which no
// command can set: a file written and given its old time back is found out.
func inode(info fs.FileInfo) (number uint64, changed int64) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return st.Ino, changeTime(st)
}
