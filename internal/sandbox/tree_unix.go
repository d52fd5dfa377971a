//go:build unix

package sandbox

import (
	"os"
	"strings"
	"syscall"

	"github.com/cladehq/clade/internal/proc"
)

// A tree is the process group of one command.
type tree struct{ pgid int }

// attributes make a session: the command has no terminal to ask questions on,
// and a process group of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func (t *tree) terminate() { _ = proc.TerminateGroup(t.pgid) }

func (t *tree) kill() { _ = proc.KillGroup(t.pgid) }

func (t *tree) close() {}

// lookPath finds the program in the command's own PATH, as execvp does.
func lookPath(c Command) (string, error) {
	name := c.Args[0]
	if strings.Contains(name, "/") {
		return name, nil
	}
	err := error(syscall.ENOENT)
	for _, full := range Programs(name, c.Env) {
		info, serr := os.Stat(full)
		switch {
		case serr != nil || info.IsDir():
		case info.Mode()&0o111 == 0:
			err = syscall.EACCES
		default:
			return full, nil
		}
	}
	return "", err
}

func signalName(s *os.ProcessState) string {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return w.Signal().String()
	}
	return ""
}
