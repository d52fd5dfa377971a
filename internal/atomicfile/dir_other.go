//go:build !unix

package atomicfile

// SyncDir does nothing: a folder cannot be synced here, and the file system
// journals names itself.
func SyncDir(string) error { return nil }
