//go:build unix

package proc

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

func signalByNumber(i Identity, sig unix.Signal) error {
	if now, err := Of(i.PID); err != nil || now != i {
		return ErrGone
	}
	err := unix.Kill(i.PID, sig)
	if errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	if err != nil {
		return fmt.Errorf("signalling process %d: %w", i.PID, err)
	}
	return nil
}

// KillGroup ends every process of a process group. A group without members is
// no error.
func KillGroup(pgid int) error { return signalGroup(pgid, unix.SIGKILL) }

// TerminateGroup asks every process of a process group to end.
func TerminateGroup(pgid int) error { return signalGroup(pgid, unix.SIGTERM) }

func signalGroup(pgid int, sig unix.Signal) error {
	if pgid <= 1 {
		return fmt.Errorf("signalling process group %d: not a group of one command", pgid)
	}
	// EPERM is what darwin says when only zombies are left.
	err := unix.Kill(-pgid, sig)
	if err == nil || errors.Is(err, unix.ESRCH) || errors.Is(err, unix.EPERM) {
		return nil
	}
	return fmt.Errorf("signalling process group %d: %w", pgid, err)
}
