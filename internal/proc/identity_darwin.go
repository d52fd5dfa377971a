package proc

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

func boot() (string, error) { return unix.Sysctl("kern.bootsessionuuid") }

// zombie is SZOMB of <sys/proc.h>.
const zombie = 5

func started(pid int) (string, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if errors.Is(err, unix.EIO) || errors.Is(err, unix.ESRCH) { // EIO: an empty answer
		return "", ErrGone
	}
	if err != nil {
		return "", err
	}
	if k.Proc.P_stat == zombie {
		return "", ErrGone
	}
	return fmt.Sprintf("%d_%06d", k.Proc.P_starttime.Sec, k.Proc.P_starttime.Usec), nil
}

func signal(i Identity, kill bool) error {
	if kill {
		return signalByNumber(i, unix.SIGKILL)
	}
	return signalByNumber(i, unix.SIGTERM)
}
