package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// syncData makes a file's content durable.
func syncData(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }

// fileSystem is the kind of file system that dir lies on.
func fileSystem(dir string) string {
	mounts, err := os.ReadFile("/proc/mounts")
	if err != nil {
		return "unknown"
	}
	best, kind := "", "unknown"
	for lines := bufio.NewScanner(bytes.NewReader(mounts)); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) < 3 || len(f[1]) < len(best) {
			continue
		}
		if at := f[1]; at == "/" || dir == at || strings.HasPrefix(dir, at+"/") {
			best, kind = at, f[2]
		}
	}
	return kind
}

// peakMemory is the largest resident set of a process in bytes, 0 if unknown.
func peakMemory(pid int) (n int64) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			_, _ = fmt.Sscan(rest, &n) // 0 if it is no number
			return n << 10
		}
	}
	return 0
}

// openFiles counts this process's descriptors, 0 if unknown.
func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}
