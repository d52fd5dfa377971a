package proc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// marked lists living processes whose mark passes want. What cannot be read
// (another user's process, one that ends meanwhile) is not ours.
func marked(want func(Mark) bool) ([]Stray, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	var found []Stray
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile("/proc/" + name + "/environ")
		if err != nil {
			continue
		}
		m, ok := parseMark(env)
		if !ok || !want(m) {
			continue
		}
		if id, err := Of(pid); err == nil {
			found = append(found, Stray{id, m})
		}
	}
	return found, nil
}

// parseMark finds the mark in an environment of NUL-terminated entries.
func parseMark(env []byte) (Mark, bool) {
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if v, ok := bytes.CutPrefix(entry, []byte(MarkVar+"=")); ok {
			return Mark(v), true
		}
	}
	return "", false
}

func freeze(i Identity) { _ = signalByNumber(i, unix.SIGSTOP) }
