// Package container runs commands in containers of an image that the spec names,
// by the docker or podman that is installed. A command sees the image's files,
// read-only, and of the machine only the folders that are lent to it and what is
// shown, at the paths that they have there. The container has no network, or the
// machine's, no capabilities, and limits on all its processes together.
//
// This very program is bound into the container as PID 1, as a sandbox.Ward: it
// calls the engine through a socket in a folder that is bound as well. So it must
// be a static program, and the container must run on this kernel, not in a
// virtual machine. Neither the command nor its environment is ever told to docker
// or podman.
//
// Containers carry clade's mark as a label. What a dead engine left is removed
// when the next one begins; its warden has ended by itself before.
package container

import "errors"

// ErrUnavailable is in the chain of every error that says why containers cannot
// be used here.
var ErrUnavailable = errors.New("containers cannot be used here")

// Options are what commands see.
type Options struct {
	// Image is what containers are made from. It is never downloaded.
	Image string
	// Show lists host paths that are visible read-only.
	Show []string
}
