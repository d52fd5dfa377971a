package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

func boot() (string, error) {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b)), err
}

func started(pid int) (string, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return "", ErrGone
	}
	if err != nil {
		return "", err
	}
	return parseStat(b)
}

// parseStat returns the start time in clock ticks since boot: field 22. The
// second field is a name in parentheses that may hold anything, so fields are
// counted from the last parenthesis.
func parseStat(b []byte) (string, error) {
	end := bytes.LastIndexByte(b, ')')
	if end < 0 {
		return "", fmt.Errorf("reading process state: no name in %q", b)
	}
	fields := bytes.Fields(b[end+1:])
	if len(fields) < 20 {
		return "", fmt.Errorf("reading process state: %d fields", len(fields))
	}
	if s := fields[0][0]; s == 'Z' || s == 'X' {
		return "", ErrGone
	}
	return string(fields[19]), nil
}

// signal goes through a pidfd, so that the process cannot be replaced between
// looking at it and signalling it.
func signal(i Identity, kill bool) error {
	sig := unix.SIGTERM
	if kill {
		sig = unix.SIGKILL
	}
	fd, err := unix.PidfdOpen(i.PID, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		return signalByNumber(i, sig)
	}
	if errors.Is(err, unix.ESRCH) || errors.Is(err, unix.EINVAL) {
		return ErrGone
	}
	if err != nil {
		return fmt.Errorf("opening process %d: %w", i.PID, err)
	}
	defer func() { _ = unix.Close(fd) }()
	if now, err := Of(i.PID); err != nil || now != i {
		return ErrGone
	}
	if err := unix.PidfdSendSignal(fd, sig, nil, 0); err != nil {
		if errors.Is(err, unix.ESRCH) {
			return ErrGone
		}
		return fmt.Errorf("signalling process %d: %w", i.PID, err)
	}
	return nil
}
