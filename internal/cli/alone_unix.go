//go:build unix

package cli

import "syscall"

// alone puts a process into a session of its own, so that a closing terminal
// does not end it.
func alone() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
