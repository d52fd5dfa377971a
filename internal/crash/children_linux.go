package crash

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// killChildren ends the processes that this one has started.
func killChildren() {
	lists, _ := filepath.Glob("/proc/self/task/*/children") // the pattern is sound
	for _, list := range lists {
		text, _ := os.ReadFile(list) // a thread that is gone has none
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}
