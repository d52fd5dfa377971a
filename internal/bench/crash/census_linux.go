package crash

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// census lists the living processes that have to do with a folder: by their
// arguments, environment (which a command's mark is part of) or working folder.
func census(dir string) (out []string) {
	procs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is sound
	for _, p := range procs {
		if pid, err := strconv.Atoi(filepath.Base(p)); err != nil || pid == os.Getpid() {
			continue
		}
		args, _ := os.ReadFile(p + "/cmdline") // one that is gone has none
		env, _ := os.ReadFile(p + "/environ")
		cwd, _ := os.Readlink(p + "/cwd")
		if bytes.Contains(args, []byte(dir+"/")) || bytes.Contains(env, []byte(dir+"/")) || strings.HasPrefix(cwd, dir+"/") {
			out = append(out, fmt.Sprintf("%s (%s)", filepath.Base(p), bytes.ReplaceAll(args, []byte{0}, []byte{' '})))
		}
	}
	return out
}

// mounts lists what is mounted in this mount namespace below a folder.
func mounts(dir string) (out []string) {
	table, _ := os.ReadFile("/proc/self/mountinfo") // without it there is nothing to see
	for line := range strings.Lines(string(table)) {
		if f := strings.Fields(line); len(f) > 4 && strings.HasPrefix(f[4], dir+"/") {
			out = append(out, f[4])
		}
	}
	return out
}
