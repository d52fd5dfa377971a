// Package proc tells processes apart: who a process is beyond its reused
// number, whether it still lives, and which processes descend from a command of
// clade although they left its process group. It also holds the lock files that
// the death of a process frees.
package proc

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ErrGone reports a process that has ended, or whose number another process
// has now.
var ErrGone = errors.New("process is gone")

// An Identity names one process for good: its number is reused, the moment it
// started within one boot of the machine is not.
type Identity struct {
	PID   int
	Start string // moment of its start, in the system's own unit
	Boot  string // the machine's boot; "" where Start alone is unique
}

// String is the form that Parse reads. It has no spaces and is safe in file
// names and environments.
func (i Identity) String() string {
	return strconv.Itoa(i.PID) + "." + i.Start + "." + i.Boot
}

// Parse reads what String wrote.
func Parse(s string) (Identity, error) {
	parts := strings.SplitN(s, ".", 3)
	if len(parts) != 3 || parts[1] == "" {
		return Identity{}, fmt.Errorf("parsing process identity %q: want pid.start.boot", s)
	}
	pid, err := strconv.Atoi(parts[0])
	if err != nil || pid <= 0 {
		return Identity{}, fmt.Errorf("parsing process identity %q: bad pid", s)
	}
	return Identity{PID: pid, Start: parts[1], Boot: parts[2]}, nil
}

// Self is the identity of this process.
func Self() (Identity, error) { return Of(os.Getpid()) }

// Of is the identity of a living process, or ErrGone. A process that has ended
// but was not waited for yet is gone.
func Of(pid int) (Identity, error) {
	start, err := started(pid)
	if err != nil {
		return Identity{}, err
	}
	boot, err := boot()
	if err != nil {
		return Identity{}, fmt.Errorf("reading the boot id: %w", err)
	}
	return Identity{PID: pid, Start: start, Boot: boot}, nil
}

// Alive reports whether that very process still lives. It is false when its
// number belongs to another process, and true when it cannot be told.
func (i Identity) Alive() bool {
	now, err := Of(i.PID)
	if errors.Is(err, ErrGone) {
		return false
	}
	return err != nil || now == i
}

// Kill ends that very process at once. It returns ErrGone when it has ended.
func (i Identity) Kill() error { return signal(i, true) }

// Terminate asks that very process to end (SIGTERM; on Windows it is ended). It
// returns ErrGone when it has ended.
func (i Identity) Terminate() error { return signal(i, false) }
