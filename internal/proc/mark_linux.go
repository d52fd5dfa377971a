package proc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

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
		env, err := environ(name)
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

// environ reads a process's environment. While it executes a program it has
// none for a moment, and must not be overlooked.
func environ(pid string) ([]byte, error) {
	for range 1000 {
		env, err := os.ReadFile("/proc/" + pid + "/environ")
		if err != nil || len(env) > 0 {
			return env, err
		}
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || !executing(stat) {
			return nil, err
		}
		time.Sleep(20 * time.Microsecond)
	}
	return nil, nil
}

// executing reports whether a process is between two programs: it belongs to no
// kernel thread (flag PF_KTHREAD of field 9), lives, and the end of its
// environment (field 51) is not known yet.
func executing(stat []byte) bool {
	const kernelThread = 0x00200000
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(f) < 49 || f[0][0] == 'Z' || f[0][0] == 'X' {
		return false
	}
	flags, err := strconv.ParseUint(string(f[6]), 10, 64)
	return err == nil && flags&kernelThread == 0 && string(f[48]) == "0"
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

// space is the PID namespace of this process, "" when it cannot be told.
func space() string {
	name, _ := os.Readlink("/proc/self/ns/pid") // "pid:[4026531836]"
	return name
}

func freeze(i Identity) { _ = signalByNumber(i, unix.SIGSTOP) }
