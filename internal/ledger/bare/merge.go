package bare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/ledger"
)

// Merge implements ledger.Ledger. It follows no renames and no attributes. Text
// that both sides changed is merged by lines; what cannot be merged stays as
// ours has it and is listed, sorted.
func (l *Ledger) Merge(ctx context.Context, base, ours, theirs string) ([]ledger.Change, []string, error) {
	mine, err := l.Diff(ctx, base, ours)
	if err != nil {
		return nil, nil, fmt.Errorf("merging: %w", err)
	}
	yours, err := l.Diff(ctx, base, theirs)
	if err != nil {
		return nil, nil, fmt.Errorf("merging: %w", err)
	}
	m := &merge{ledger: l, ours: map[string]ledger.Delta{}}
	for _, d := range mine {
		m.ours[d.Path] = d
	}
	for _, d := range yours {
		if err := m.path(ctx, d); err != nil {
			return nil, nil, fmt.Errorf("merging %q: %w", d.Path, err)
		}
	}
	list, err := l.List(ctx, ours)
	if err != nil {
		return nil, nil, fmt.Errorf("merging: %w", err)
	}
	m.untangle(list)
	slices.Sort(m.conflicts)
	return m.changes, m.conflicts, nil
}

type merge struct {
	ledger    *Ledger
	ours      map[string]ledger.Delta
	changes   []ledger.Change
	conflicts []string
}

// path merges one path that theirs changed.
func (m *merge) path(ctx context.Context, theirs ledger.Delta) error {
	ours, both := m.ours[theirs.Path]
	switch {
	case both && ours.NewMode == theirs.NewMode && ours.NewBlob == theirs.NewBlob:
		return nil
	case theirs.OldMode == ledger.ModeGitlink || theirs.NewMode == ledger.ModeGitlink:
		m.conflicts = append(m.conflicts, theirs.Path)
		return nil
	case !both && theirs.NewMode == "":
		m.changes = append(m.changes, ledger.Change{Path: theirs.Path, Delete: true})
		return nil
	case !both:
		m.changes = append(m.changes, ledger.Change{Path: theirs.Path, Mode: theirs.NewMode, Blob: theirs.NewBlob})
		return nil
	}
	mode, ok := mergeModes(ours, theirs)
	if !ok {
		m.conflicts = append(m.conflicts, theirs.Path)
		return nil
	}
	return m.content(ctx, mode, ours, theirs)
}

// mergeModes merges the modes of a file that both sides changed and kept.
func mergeModes(ours, theirs ledger.Delta) (ledger.Mode, bool) {
	for _, mode := range []ledger.Mode{ours.NewMode, theirs.NewMode} {
		if mode != ledger.ModeFile && mode != ledger.ModeExec {
			return "", false
		}
	}
	switch {
	case ours.NewMode == theirs.NewMode:
		return ours.NewMode, true
	case ours.NewMode == ours.OldMode:
		return theirs.NewMode, true
	case theirs.NewMode == theirs.OldMode:
		return ours.NewMode, true
	}
	return "", false
}

func (m *merge) content(ctx context.Context, mode ledger.Mode, ours, theirs ledger.Delta) error {
	change := ledger.Change{Path: theirs.Path, Mode: mode}
	switch ours.OldBlob { // one side changed only the mode
	case ours.NewBlob:
		change.Blob = theirs.NewBlob
	case theirs.NewBlob:
		change.Blob = ours.NewBlob
	}
	if ours.NewBlob == theirs.NewBlob {
		change.Blob = ours.NewBlob
	}
	if change.Blob == "" {
		text, clean, err := m.lines(ctx, ours, theirs)
		if err != nil {
			return err
		}
		if !clean {
			m.conflicts = append(m.conflicts, theirs.Path)
			return nil
		}
		change.Data = text
	}
	m.changes = append(m.changes, change)
	return nil
}

// lines merges three texts by git merge-file. A file that both sides added has
// an empty base.
func (m *merge) lines(ctx context.Context, ours, theirs ledger.Delta) (text []byte, clean bool, err error) {
	dir, err := os.MkdirTemp("", "clade-merge-")
	if err != nil {
		return nil, false, err
	}
	defer os.RemoveAll(dir)
	for name, blob := range map[string]string{"ours": ours.NewBlob, "base": ours.OldBlob, "theirs": theirs.NewBlob} {
		var data []byte
		if blob != "" {
			if data, err = m.ledger.Read(ctx, blob); err != nil {
				return nil, false, err
			}
		}
		if bytes.IndexByte(data, 0) >= 0 {
			return nil, false, nil // not text
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return nil, false, err
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	text, err = m.ledger.repo.Run(ctx, "merge-file", "-p", "-q", "--diff3", at("ours"), at("base"), at("theirs"))
	if code := exitCode(err); code > 0 && code < 128 {
		return nil, false, nil // that many conflicts
	}
	return text, err == nil, err
}

func exitCode(err error) int {
	var e *git.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// untangle turns changes into conflicts that would put a file where ours has a
// folder, or a folder where it has a file.
func (m *merge) untangle(ours []ledger.Entry) {
	after := map[string]bool{} // files of the merged tree
	for _, e := range ours {
		after[e.Path] = true
	}
	for _, c := range m.changes {
		after[c.Path] = !c.Delete
	}
	folders := map[string]bool{}
	for path, there := range after {
		if !there {
			continue
		}
		for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
			folders[path[:i]] = true
		}
	}
	m.changes = slices.DeleteFunc(m.changes, func(c ledger.Change) bool {
		tangled := !c.Delete && (folders[c.Path] || belowFile(c.Path, after))
		if tangled {
			m.conflicts = append(m.conflicts, c.Path)
		}
		return tangled
	})
}

// belowFile reports whether one of the path's folders is a file.
func belowFile(path string, files map[string]bool) bool {
	for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
		if files[path[:i]] {
			return true
		}
	}
	return false
}
