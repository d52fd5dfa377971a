// Package namespace runs commands in Linux namespaces of their own: processes,
// mounts, network, IPC, host name, cgroup view, inside a user namespace that
// has no power over the machine. A command sees the host's file system
// read-only without what is hidden, its own /tmp, /run and /dev, its workspace,
// and no process but its own.
//
// One small supervisor per concurrent command is started once, by executing
// this very program with SupervisorArg, and dies with the engine. It forks a
// PID 1 for each command without executing anything: a copy of itself that only
// makes raw system calls from a table prepared beforehand (program_linux.go),
// because the Go runtime does not survive a fork. PID 1 makes the mounts, gives
// up its privileges, forks once more to execute the command, reaps, and ends
// when the command's main process does. The kernel then kills what is left.
// Commands without network are forked from threads that have an unused network
// of their own ready.
//
// Sources of mounts are opened before PID 1 enters the command's root and
// mounted after it did, so that no symlink of a workspace leads out of it.
package namespace

import "errors"

// SupervisorArg is the private first argument that makes a program a
// supervisor; see Main.
const SupervisorArg = "__clade-namespace-supervisor"

// Options are what commands see beyond their own mounts.
type Options struct {
	// Hide lists host paths that are masked by empty folders or files: state,
	// caches, the user's target. Those that do not exist are passed over.
	Hide []string
	// Show lists host paths that are visible read-only although they lie below
	// a hidden path or a fresh folder such as /tmp.
	Show []string
	// Scratch bounds each of the temporary folders (/tmp, /run, /dev/shm, HOME)
	// that live in memory, bytes. Zero: half of the machine's memory. Where
	// memory is limited by a cgroup they count towards Limits.Memory as well.
	Scratch int64
}

// ErrUnavailable is in the chain of every error that says why namespaces cannot
// be used here.
var ErrUnavailable = errors.New("namespaces cannot be used here")
