//go:build !linux

package crash

// census lists nothing: only Linux shows other processes' environments.
func census(string) []string { return nil }

// mounts lists nothing: only Linux mounts workspaces.
func mounts(string) []string { return nil }
