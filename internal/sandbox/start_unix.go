//go:build unix && !linux

package sandbox

import (
	"os"
	"os/exec"
	"syscall"
)

// start starts the command. No limit of another process can be set here.
func start(cmd *exec.Cmd, _ Limits) (*tree, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &tree{pgid: cmd.Process.Pid}, nil
}

// peakMemory is the largest resident set of the command's processes that were
// waited for; darwin counts bytes.
func peakMemory(s *os.ProcessState) int64 {
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		return int64(u.Maxrss)
	}
	return 0
}
