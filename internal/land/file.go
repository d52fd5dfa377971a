package land

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/cladehq/clade/internal/ledger"
)

// A file is what is at a path; no mode means nothing is.
type file struct {
	mode ledger.Mode
	data []byte
}

func (f file) equal(g file) bool { return f.mode == g.mode && bytes.Equal(f.data, g.data) }

// readFile reads what is at a path below root without following links: a link
// on the way, or anything but a file or link at the end, is an error.
func readFile(root, p string) (file, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return file{}, err
	}
	defer r.Close()
	name := filepath.FromSlash(p)
	if link, err := linkOnTheWay(r, p); err != nil || link != "" {
		if link != "" {
			err = fmt.Errorf("%q lies behind the symbolic link %q", p, link)
		}
		return file{}, err
	}
	info, err := r.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNotDir):
		return file{}, nil
	case err != nil:
		return file{}, err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := r.Readlink(name)
		return file{mode: ledger.ModeSymlink, data: []byte(target)}, err
	case info.IsDir():
		return file{mode: "040000"}, nil
	case !info.Mode().IsRegular():
		return file{}, fmt.Errorf("%q is no regular file", p)
	}
	data, err := r.ReadFile(name)
	return file{mode: modeOf(info), data: data}, err
}

func modeOf(info fs.FileInfo) ledger.Mode {
	if info.Mode()&0o100 != 0 {
		return ledger.ModeExec
	}
	return ledger.ModeFile
}

// linkOnTheWay finds a folder of p that is a symbolic link.
func linkOnTheWay(r *os.Root, p string) (string, error) {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		info, err := r.Lstat(filepath.FromSlash(dir))
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return dir, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNotDir) {
			return "", err
		}
	}
	return "", nil
}

// temp is the name a path's new content has until it is renamed: the same after
// a crash, so that it can be swept.
func temp(p string) string {
	return path.Join(path.Dir(p), ".clade-landing-"+path.Base(p)[:min(100, len(path.Base(p)))])
}

func sweep(root, p string) {
	if r, err := os.OpenRoot(root); err == nil {
		_ = r.Remove(filepath.FromSlash(temp(p)))
		_ = r.Close()
	}
}

// writeFile makes p hold f: the new content is synced under another name and
// renamed over, which step performs, or p and the folders it leaves empty are
// removed.
func writeFile(root, p string, f file, step func(rename func() error) error) error {
	r, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer r.Close()
	name := filepath.FromSlash(p)
	if f.mode == "" {
		if err := r.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for dir := path.Dir(p); dir != "." && r.Remove(filepath.FromSlash(dir)) == nil; dir = path.Dir(dir) {
		}
		return syncDir(r, existing(r, path.Dir(p)))
	}
	if dir := path.Dir(p); dir != "." {
		if err := r.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
			return err
		}
	}
	tmp := filepath.FromSlash(temp(p))
	if err := r.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if f.mode == ledger.ModeSymlink {
		err = r.Symlink(string(f.data), tmp)
	} else {
		err = create(r, name, tmp, f)
	}
	if err == nil {
		err = step(func() error { return r.Rename(tmp, name) })
	}
	if err != nil {
		_ = r.Remove(tmp)
		return err
	}
	return syncDir(r, path.Dir(p))
}

func create(r *os.Root, name, tmp string, f file) error {
	perm := fs.FileMode(0o644)
	if info, err := r.Lstat(name); err == nil && info.Mode().IsRegular() {
		perm = info.Mode().Perm() // what the user chose, but for the bits that the mode decides
	}
	if perm &^= 0o111; f.mode == ledger.ModeExec {
		perm |= 0o111 & (perm >> 2)
	}
	out, err := r.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
	if err != nil {
		return err
	}
	_, err = out.Write(f.data)
	if err == nil {
		err = out.Chmod(perm)
	}
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// existing is p or the nearest folder above it that is there.
func existing(r *os.Root, p string) string {
	for ; p != "."; p = path.Dir(p) {
		if _, err := r.Lstat(filepath.FromSlash(p)); err == nil {
			return p
		}
	}
	return "."
}

func syncDir(r *os.Root, dir string) error {
	d, err := r.Open(filepath.FromSlash(dir))
	if err != nil {
		return err
	}
	err = d.Sync()
	if err != nil && strings.Contains(err.Error(), "invalid") {
		err = nil // file systems that cannot sync a folder
	}
	return errors.Join(err, d.Close())
}
