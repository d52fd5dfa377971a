//go:build unix

package sandboxtest

import "syscall"

// as are the attributes of a process of a user.
func as(user uint32) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
}
