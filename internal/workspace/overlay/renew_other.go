//go:build !linux

package overlay

// likeNew reports whether a folder may be used again: nothing is known of it.
func likeNew(string, string) bool { return false }
