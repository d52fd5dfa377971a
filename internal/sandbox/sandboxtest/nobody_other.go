//go:build !unix

package sandboxtest

import "syscall"

// as changes nothing: nobody is root here.
func as(uint32) *syscall.SysProcAttr { return nil }
