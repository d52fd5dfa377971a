package pool

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/cladehq/clade/internal/workspace"
)

// A stamp is what a file looks like from outside. Two equal stamps at different
// times mean the same content.
type stamp struct {
	Mode    fs.FileMode
	Size    int64
	Time    int64 // of the last write, in ns
	Changed int64 // of the last change of the inode, in ns; 0 unknown
	Number  uint64
}

func stampOf(info fs.FileInfo) stamp {
	s := stamp{Mode: info.Mode()}
	if info.IsDir() {
		return s // what is in a folder is looked at one by one
	}
	s.Size, s.Time = info.Size(), info.ModTime().UnixNano()
	s.Number, s.Changed = inode(info)
	return s
}

// A mirror is a folder that can be made equal to another one, which never
// changes, by looking at every file from outside.
type mirror struct {
	from, to string
	stamps   map[string]stamp // of to as it was when it was equal
}

// newMirror copies from to to, which does not exist.
func newMirror(from, to string) (*mirror, error) {
	m := &mirror{from: from, to: to, stamps: map[string]stamp{}}
	var missing []string
	err := filepath.WalkDir(from, func(p string, _ fs.DirEntry, err error) error {
		if err == nil && p != from {
			missing = append(missing, filepath.ToSlash(p[len(from)+1:]))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return nil, err
	}
	return m, m.copy(missing)
}

// reset makes the mirror equal again.
func (m *mirror) reset() error {
	if err := os.MkdirAll(m.to, 0o755); err != nil {
		return err
	}
	seen := make(map[string]bool, len(m.stamps))
	if err := m.clean("", seen); err != nil {
		return err
	}
	var missing []string
	for p := range m.stamps {
		if !seen[p] {
			missing = append(missing, p)
		}
	}
	return m.copy(missing)
}

// clean removes everything in a folder that is not as recorded.
func (m *mirror) clean(dir string, seen map[string]bool) error {
	entries, err := workspace.ReadDir(m.target(dir))
	if err != nil {
		return err
	}
	for _, e := range entries {
		p := path.Join(dir, e.Name())
		info, err := e.Info()
		if err != nil {
			return err
		}
		want, known := m.stamps[p]
		now := stampOf(info)
		switch {
		case known && now.Mode.IsDir() && want.Mode.IsDir():
			if now.Mode != want.Mode {
				if err := os.Chmod(m.target(p), want.Mode.Perm()); err != nil {
					return err
				}
			}
			seen[p] = true
			err = m.clean(p, seen)
		case known && now == want:
			seen[p] = true
		default:
			err = workspace.Remove(m.target(p))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copy copies files and folders that are not there, and records them.
func (m *mirror) copy(missing []string) error {
	slices.Sort(missing) // folders come before what is in them
	stamps := make([]stamp, len(missing))
	var files []int
	for i, p := range missing {
		info, err := os.Lstat(m.source(p))
		if err != nil {
			return err
		}
		if !info.IsDir() {
			files = append(files, i)
			continue
		}
		if err := os.Mkdir(m.target(p), info.Mode().Perm()|0o700); err != nil {
			return err
		}
		stamps[i] = stamp{Mode: info.Mode() | 0o700}
	}
	var g errgroup.Group
	g.SetLimit(2 * runtime.GOMAXPROCS(0))
	for chunk := range slices.Chunk(files, 64) {
		g.Go(func() (err error) {
			for _, i := range chunk {
				if stamps[i], err = copyFile(m.source(missing[i]), m.target(missing[i])); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i, p := range missing {
		m.stamps[p] = stamps[i]
	}
	return nil
}

func (m *mirror) source(p string) string { return filepath.Join(m.from, filepath.FromSlash(p)) }
func (m *mirror) target(p string) string { return filepath.Join(m.to, filepath.FromSlash(p)) }

// copyFile copies a file or a link with its time and mode. A pipe, socket or
// device that setup left is not copied.
func copyFile(from, to string) (stamp, error) {
	info, err := os.Lstat(from)
	if err != nil {
		return stamp{}, err
	}
	if !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return stamp{}, nil
	}
	if err := workspace.CopyFile(from, to, info); err != nil {
		return stamp{}, err
	}
	if info, err = os.Lstat(to); err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}
