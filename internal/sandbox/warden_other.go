//go:build !linux

package sandbox

// Main does nothing: there are no wardens on this system.
func Main() {}
