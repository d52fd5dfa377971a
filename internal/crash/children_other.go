//go:build !linux

package crash

// killChildren does nothing: only Linux lists a process's children.
func killChildren() {}
