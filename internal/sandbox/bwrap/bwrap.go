// Package bwrap runs commands in bubblewrap, the program that desktops and coding
// agents build sandboxes with, where it is installed: for systems that let it,
// but no other program, make namespaces. Each command has its own processes,
// network, IPC and host name, the machine's files read-only without what is
// hidden, and temporary folders of its own. No mounts of the caller's are made.
//
// bubblewrap is started without any environment and executes this very program
// as PID 1, as a sandbox.Ward. It dies with the engine, and all else with it.
package bwrap

import "errors"

// ErrUnavailable is in the chain of every error that says why bubblewrap cannot
// be used here.
var ErrUnavailable = errors.New("bubblewrap cannot be used here")

// Options are what commands see.
type Options struct {
	// Hide lists host paths that are masked by empty folders or by files that
	// cannot be read. Those that do not exist are passed over.
	Hide []string
	// Show lists host paths that are visible read-only although they lie below a
	// hidden path or a temporary folder.
	Show []string
}
