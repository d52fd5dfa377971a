package land

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/ledger"
)

// A file is what is at a path. No mode means that no file is there, though a
// folder may be.
type file struct {
	mode   ledger.Mode
	data   []byte
	perm   fs.FileMode // permission bits, 0: as the umask has it; they make no difference
	folder bool
	// odd says why the path can be neither compared nor replaced, "" if it can.
	odd string
}

func (f file) equal(g file) bool {
	return f.odd == "" && g.odd == "" && f.mode == g.mode && bytes.Equal(f.data, g.data)
}

// A tree reads and replaces files below one folder. It follows no link and
// leaves that folder for none.
type tree struct {
	root *os.Root
	// told is called around each rename over a path.
	told func(rename func() error) error
	// touched are folders whose names have changed and are not yet synced.
	touched map[string]bool
	// replaced are paths whose links lead nowhere: they make room for folders,
	// or have done so. A path below one is not behind it.
	replaced map[string]bool
}

func openTree(root string) (*tree, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	return &tree{root: r, told: func(rename func() error) error { return rename() }, touched: map[string]bool{}}, nil
}

func (t *tree) close() { _ = t.root.Close() }

func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir)
}

// read tells what is at a path.
func (t *tree) read(p string) (file, error) {
	link, err := t.linkOnTheWay(p)
	if err == nil && link != "" && t.replaced[link] {
		return file{}, nil
	}
	if err != nil || link != "" {
		return file{odd: fmt.Sprintf("lies behind the symbolic link %q", link)}, err
	}
	name := filepath.FromSlash(p)
	info, err := t.root.Lstat(name)
	switch {
	case err != nil && absent(err):
		return file{}, nil
	case err != nil:
		return file{}, err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := t.root.Readlink(name)
		return file{mode: ledger.ModeSymlink, data: []byte(target)}, err
	case info.IsDir():
		return file{folder: true}, nil
	case !info.Mode().IsRegular():
		return file{odd: "is neither a file nor a folder nor a link"}, nil
	}
	data, err := t.root.ReadFile(name)
	return file{mode: modeOf(info), data: data, perm: info.Mode().Perm()}, err
}

// executable are the permission bits that a file of mode ledger.ModeExec has
// some of.
const executable fs.FileMode = 0o111

// modeOf is the mode of a regular file.
func modeOf(info fs.FileInfo) ledger.Mode {
	mode, _ := ledger.ModeOf(info.Mode())
	return mode
}

// linkOnTheWay finds a folder of p that is a symbolic link.
func (t *tree) linkOnTheWay(p string) (string, error) {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		info, err := t.root.Lstat(filepath.FromSlash(dir))
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return dir, nil
		}
		if err != nil && !absent(err) {
			return "", err
		}
	}
	return "", nil
}

// existing is dir or the nearest folder above it that is there.
func (t *tree) existing(dir string) string {
	for ; dir != "."; dir = path.Dir(dir) {
		if info, err := t.root.Lstat(filepath.FromSlash(dir)); err == nil && info.IsDir() {
			return dir
		}
	}
	return "."
}

// stage writes f, to be renamed over p, and syncs it. It lies in the nearest
// folder that exists, on p's file system, under a name that nothing else has.
func (t *tree) stage(p, temp string, f file) (at string, err error) {
	at = path.Join(t.existing(path.Dir(p)), temp)
	name := filepath.FromSlash(at)
	if f.mode == ledger.ModeSymlink {
		err = t.root.Symlink(string(f.data), name)
	} else {
		err = t.create(filepath.FromSlash(p), name, f)
	}
	if err != nil {
		err = errors.Join(fmt.Errorf("write %q: %w", p, err), t.drop(at))
	}
	return at, err
}

func (t *tree) drop(at string) error {
	if err := t.root.Remove(filepath.FromSlash(at)); err != nil && !absent(err) {
		return err
	}
	return nil
}

// create writes a regular file that has the owner and permissions of the one it
// will replace, but for the executable bits where the mode says otherwise.
func (t *tree) create(old, name string, f file) error {
	perm, exact := f.perm, f.perm != 0
	info, err := t.root.Lstat(old)
	replaces := err == nil && info.Mode().IsRegular()
	if replaces && (modeOf(info) == f.mode || !exact) {
		perm, exact = withMode(info.Mode().Perm(), f.mode), true
	}
	if !exact {
		perm = withMode(0o666, f.mode)
	}
	out, err := t.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
	if err != nil {
		return err
	}
	_, err = out.Write(f.data)
	if replaces {
		keepOwner(out, info)
	}
	if err == nil && exact {
		err = out.Chmod(perm)
	}
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// withMode gives permission bits the executable bits of a mode: who may read an
// executable file may run it.
func withMode(perm fs.FileMode, mode ledger.Mode) fs.FileMode {
	switch has := perm&executable != 0; {
	case mode == ledger.ModeExec && !has:
		return perm | perm>>2&executable
	case mode != ledger.ModeExec:
		return perm &^ executable
	}
	return perm
}

// put renames what was staged over p, making the folders it lies in. An empty
// folder in its place goes.
func (t *tree) put(p, staged string) error {
	name, dir := filepath.FromSlash(p), path.Dir(p)
	for up := dir; up != "."; up = path.Dir(up) {
		t.touched[path.Dir(up)] = true
	}
	if dir != "." {
		if err := t.root.MkdirAll(filepath.FromSlash(dir), 0o777); err != nil {
			return err
		}
	}
	if info, err := t.root.Lstat(name); err == nil && info.IsDir() {
		if err := t.root.Remove(name); err != nil {
			return err
		}
	}
	t.touched[dir], t.touched[path.Dir(staged)] = true, true
	err := t.told(func() error { return t.root.Rename(filepath.FromSlash(staged), name) })
	if err != nil {
		t.prune(dir)
	}
	return err
}

// remove removes the file at p and the folders that this leaves empty.
func (t *tree) remove(p string) error {
	if err := t.told(func() error { return t.drop(p) }); err != nil {
		return err
	}
	t.touched[t.prune(path.Dir(p))] = true
	return nil
}

// prune removes dir and the folders above it that are empty, and returns the
// nearest that stays.
func (t *tree) prune(dir string) string {
	for ; dir != "."; dir = path.Dir(dir) {
		name := filepath.FromSlash(dir)
		if info, err := t.root.Lstat(name); err != nil || !info.IsDir() || t.root.Remove(name) != nil {
			break
		}
	}
	return dir
}

// sync returns once every name that put and remove changed is on disk.
func (t *tree) sync() error {
	for dir := range t.touched {
		// A folder that is gone again is synced with the one it was in.
		err := atomicfile.SyncDir(filepath.Join(t.root.Name(), filepath.FromSlash(t.existing(dir))))
		if err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
			return err // those two: a file system that cannot sync folders
		}
	}
	return nil
}

// sweep removes what a crash left of a staged path: where it lies depends on
// which folders existed then.
func (t *tree) sweep(p, temp string) error {
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		if link, err := t.linkOnTheWay(path.Join(dir, temp)); err == nil && link == "" {
			if err := t.drop(path.Join(dir, temp)); err != nil {
				return err
			}
		}
		if dir == "." {
			return nil
		}
	}
}

// occupied reports whether the folder at p would stay when the files for which
// gone is true are removed with the folders that this leaves empty.
func (t *tree) occupied(p string, gone func(string) bool) (occupied bool, err error) {
	top := t.root.Name()
	folder := filepath.Join(top, filepath.FromSlash(p))
	err = filepath.WalkDir(folder, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			some, err := os.ReadDir(at)
			occupied = occupied || len(some) == 0 && at != folder
			return err
		}
		rel, err := filepath.Rel(top, at)
		occupied = occupied || !gone(filepath.ToSlash(rel))
		return err
	})
	return occupied, err
}
