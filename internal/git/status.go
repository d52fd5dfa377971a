package git

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// Status is what differs between HEAD, the index and the work tree. Paths are
// bytes, relative to the root of the work tree; those of folders end in a slash.
type Status struct {
	Staged     []string // index against HEAD
	Unstaged   []string // work tree against the index
	Conflicted []string // unmerged
	Untracked  []string
	Ignored    []string
}

// Clean reports whether the work tree holds what HEAD holds, untracked and
// ignored files aside.
func (s Status) Clean() bool {
	return len(s.Staged) == 0 && len(s.Unstaged) == 0 && len(s.Conflicted) == 0
}

// Status compares a work tree without writing to the index. No filter runs: a
// file under one, LFS for instance, whose times the index does not know counts
// as changed. Changes inside submodules are not looked for.
func (r *Repo) Status(ctx context.Context) (Status, error) {
	off, err := r.filtersOff(ctx)
	if err != nil {
		return Status{}, err
	}
	out, err := r.With(off, nil).Run(ctx, "status", "--porcelain=v2", "-z", "--no-renames", "--no-ahead-behind",
		"--untracked-files=all", "--ignored=traditional", "--ignore-submodules=dirty")
	if err != nil {
		return Status{}, err
	}
	return parseStatus(out)
}

// filtersOff returns the settings that make every configured filter do nothing.
func (r *Repo) filtersOff(ctx context.Context) ([]string, error) {
	out, err := r.Run(ctx, "config", "-z", "--name-only", "--get-regexp", `^filter\.`)
	if err != nil && !Exited(err, 1) {
		return nil, err
	}
	var off []string
	seen := map[string]bool{}
	for key := range strings.SplitSeq(string(out), "\x00") {
		i := strings.LastIndexByte(key, '.')
		if i < 0 || seen[key[:i]] {
			continue
		}
		driver := key[:i]
		seen[driver] = true
		off = append(off, driver+".clean=", driver+".smudge=", driver+".process=", driver+".required=false")
	}
	return off, nil
}

// parseStatus reads what status prints in porcelain format 2 with -z.
func parseStatus(out []byte) (Status, error) {
	var s Status
	for len(out) > 0 {
		record, rest, ok := bytes.Cut(out, []byte{0})
		if !ok {
			return s, fmt.Errorf("git status ends in the middle of %q", record)
		}
		out = rest
		kind, line, _ := strings.Cut(string(record), " ")
		switch kind {
		case "#":
		case "?":
			s.Untracked = append(s.Untracked, line)
		case "!":
			s.Ignored = append(s.Ignored, line)
		case "1", "2", "u":
			f := strings.SplitN(line, " ", map[string]int{"1": 8, "2": 9, "u": 10}[kind])
			if len(f) < 8 || len(f[0]) != 2 {
				return s, fmt.Errorf("git status printed %q", record)
			}
			s.add(kind, f[0], f[len(f)-1])
			if kind == "2" { // the name it had before follows
				_, out, _ = bytes.Cut(out, []byte{0})
			}
		default:
			return s, fmt.Errorf("git status printed %q", record)
		}
	}
	return s, nil
}

func (s *Status) add(kind, xy, path string) {
	if kind == "u" {
		s.Conflicted = append(s.Conflicted, path)
		return
	}
	if xy[0] != '.' {
		s.Staged = append(s.Staged, path)
	}
	if xy[1] != '.' {
		s.Unstaged = append(s.Unstaged, path)
	}
}
