//go:build !unix

package git

import "os/exec"

// group leaves cmd as it is: without process groups only git itself is killed,
// and its children end with their pipes.
func group(*exec.Cmd) {}
