package proc

import (
	"errors"
	"fmt"

	"golang.org/x/sys/windows"
)

// boot is empty: a creation time is absolute.
func boot() (string, error) { return "", nil }

func started(pid int) (string, error) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return "", ErrGone
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = windows.CloseHandle(h) }()
	return startedHandle(h)
}

func startedHandle(h windows.Handle) (string, error) {
	if s, err := windows.WaitForSingleObject(h, 0); err == nil && s == windows.WAIT_OBJECT_0 {
		return "", ErrGone
	}
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return "", err
	}
	return fmt.Sprint(created.Nanoseconds()), nil
}

// signal ends the process either way: Windows has nothing gentler for a process
// without a window.
func signal(i Identity, _ bool) error {
	h, err := windows.OpenProcess(windows.PROCESS_TERMINATE|windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(i.PID))
	if err != nil {
		return ErrGone
	}
	defer func() { _ = windows.CloseHandle(h) }()
	if s, err := startedHandle(h); err != nil || s != i.Start {
		return ErrGone
	}
	return windows.TerminateProcess(h, 1)
}
