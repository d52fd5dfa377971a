//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// group gives cmd a process group of its own and has it killed whole.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
