// Package landlock runs commands on the machine itself, where Landlock (Linux
// 5.13) forbids them files and, from Linux 6.7 on, TCP: for systems on which
// nobody may make namespaces. It needs no privilege and makes no mounts.
//
// Landlock only knows what is allowed. Allowed to be read is therefore every
// entry of every folder on the way to something hidden, but what is hidden
// itself: such a folder's own listing is not allowed. Allowed to be written are
// the folders that are lent to the command, and devices that keep nothing.
//
// The rules are put on a thread of this process that ends once it has forked the
// command: what holds for a thread holds for what it forks, so that nothing need
// be executed in between. The thread gives up all capabilities as well.
//
// What it cannot do: the command sees other processes, whose memory and
// environment it cannot read; names, sizes and times of hidden files can be
// looked up; modes, owners and times of the user's files can be changed; UDP and
// unix sockets are open. What outlives the command is found as with no isolation
// at all.
package landlock

import "errors"

// ErrUnavailable is in the chain of every error that says why Landlock cannot be
// used here.
var ErrUnavailable = errors.New("landlock cannot be used here")

// Options are what commands see.
type Options struct {
	// Hide lists host paths that cannot be read or written.
	Hide []string
	// Show lists host paths that can be read although they lie below a hidden
	// path or a temporary folder of the machine.
	Show []string
	// Guard has another process end what commands have started when this one
	// dies; see sandbox.Guard for what the program must do for it.
	Guard bool
}
