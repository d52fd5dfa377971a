package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/proc"
)

// MarkSuffix ends the name of the marker beside a kept folder.
const MarkSuffix = ".clade.json"

// maxMark is the most bytes a marker may have.
const maxMark = 64 << 20

// A mark is what stands in the marker of a kept folder: which tree it was made
// with. What setup and carry had added by then stands in it too, since the
// template may be another one by the time the folder is collected.
type mark struct {
	Commit   string `json:"commit"`             // of the tree, in the ledger
	Template string `json:"template,omitempty"` // its key; "" in an export
	// Part says that not all of the tree was written.
	Part bool `json:"part,omitempty"`
	// Modeless says that the file system keeps no executable bits.
	Modeless bool `json:"modeless,omitempty"`
	// Apart are paths that are no part of the tree: masked files, and fixtures.
	Apart []string `json:"apart,omitempty"`
	added
}

func markOf(dir string) string { return filepath.Clean(dir) + MarkSuffix }

// readMark reads the marker of a folder that is there; else it is ErrUnmarked.
func readMark(dir string) (m mark, err error) {
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder", dir)
	}
	if err != nil {
		return m, fmt.Errorf("%w: %w", ErrUnmarked, err)
	}
	marker := markOf(dir)
	raw, err := ReadFile(filepath.Dir(marker), filepath.Base(marker), maxMark)
	if err != nil {
		return m, fmt.Errorf("%w: %w", ErrUnmarked, err)
	}
	return parseMark(raw)
}

// parseMark reads a marker, which anybody could have written: it must not be
// believed beyond what it leaves out.
func parseMark(raw []byte) (m mark, err error) {
	if err := json.Unmarshal(raw, &m); err != nil {
		return mark{}, fmt.Errorf("%w: %w", ErrUnmarked, err)
	}
	if m.Commit == "" {
		return mark{}, fmt.Errorf("%w: its marker names no commit", ErrUnmarked)
	}
	m.Apart = eachPath(m.Apart, func(s string) string {
		p, perr := fromText(s)
		err = cmp.Or(err, perr)
		return p
	})
	paths, perr := m.paths()
	if err = cmp.Or(err, perr); err != nil {
		return mark{}, fmt.Errorf("%w: %w", ErrUnmarked, err)
	}
	m.added = paths
	return m, nil
}

// makeKept makes dir, which fill fills, under another name, and gives it its own
// when all of it is on disk. The marker is written before that: a marker without
// its folder means nothing, and whoever finds the folder finds it marked.
func makeKept(ctx context.Context, dir string, m mark, fill func(tmp string) error) (err error) {
	dir = filepath.Clean(dir)
	up := filepath.Dir(dir)
	tmp := filepath.Join(up, tmpPrefix+filepath.Base(dir))
	if err := os.MkdirAll(up, 0o755); err != nil {
		return err
	}
	lock, err := proc.WaitLock(ctx, tmp+LockSuffix, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Remove()) }()
	if _, err := os.Lstat(dir); err == nil {
		return &fs.PathError{Op: "make", Path: dir, Err: fs.ErrExist}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	sweep := func() error { return errors.Join(Remove(tmp), ignoreGone(os.Remove(markOf(dir)))) }
	if err := sweep(); err != nil {
		return err
	}
	if err := publish(dir, tmp, m, fill); err != nil {
		return errors.Join(err, sweep())
	}
	return atomicfile.SyncDir(up)
}

func publish(dir, tmp string, m mark, fill func(tmp string) error) error {
	if err := os.Mkdir(tmp, 0o755); err != nil {
		return err
	}
	kept, err := keepsModes(tmp)
	if err != nil {
		return err
	}
	m.Modeless = !kept
	if err := fill(tmp); err != nil {
		return err
	}
	m.added, m.Apart = m.texts(), eachPath(m.Apart, asText)
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := syncFiles(tmp); err != nil {
		return fmt.Errorf("flushing the folder: %w", err)
	}
	if err := atomicfile.Write(markOf(dir), raw, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, dir)
}

// keepsModes tries whether files in dir can be executable or not.
func keepsModes(dir string) (bool, error) {
	f, err := os.CreateTemp(dir, tmpPrefix+"*")
	if err != nil {
		return false, err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // what follows fails, too
	if err := f.Close(); err != nil {
		return false, err
	}
	for _, perm := range []fs.FileMode{0o700, 0o600} {
		if os.Chmod(f.Name(), perm) != nil {
			return false, nil
		}
		if info, err := os.Lstat(f.Name()); err != nil || info.Mode().Perm() != perm {
			return false, err
		}
	}
	return true, nil
}
