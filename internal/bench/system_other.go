//go:build !linux

package bench

import "os"

// syncData makes a file durable; there is no lesser call.
func syncData(f *os.File) error { return f.Sync() }

// fileSystem is the kind of file system that dir lies on.
func fileSystem(string) string { return "unknown" }

// peakMemory is the largest resident set of a process in bytes, 0 if unknown.
func peakMemory(int) int64 { return 0 }

// openFiles counts this process's descriptors, 0 if unknown.
func openFiles() int { return 0 }
