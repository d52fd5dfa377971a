package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// neverCarried are names that no glob reaches: a repository's own files and
// clade's state.
var neverCarried = []string{gitDir, ".clade"}

// A carried file or link, slash separated and relative to the folder that globs
// are relative to.
type carried struct {
	path string
	mode fs.FileMode
}

// findCarried lists what the globs match below dir, folders with all that is in
// them, sorted. Links are listed, never followed; so are empty folders not.
func findCarried(dir string, globs []string) ([]carried, error) {
	found := map[string]fs.FileMode{}
	root := os.DirFS(dir)
	for _, g := range globs {
		g = strings.TrimSuffix(path.Clean(filepath.ToSlash(g)), "/")
		if !doublestar.ValidatePattern(g) || !fs.ValidPath(g) {
			return nil, fmt.Errorf("carry %q is no glob inside the target", g)
		}
		matches, err := doublestar.Glob(root, g, doublestar.WithNoFollow(), doublestar.WithFailOnIOErrors())
		if err != nil {
			return nil, fmt.Errorf("carry %q: %w", g, err)
		}
		for _, m := range matches {
			if err := walkCarried(dir, m, found); err != nil {
				return nil, fmt.Errorf("carry %q: %w", g, err)
			}
		}
	}
	list := make([]carried, 0, len(found))
	for p, m := range found {
		list = append(list, carried{p, m})
	}
	slices.SortFunc(list, func(a, b carried) int { return strings.Compare(a.path, b.path) })
	return list, nil
}

func walkCarried(dir, match string, found map[string]fs.FileMode) error {
	if slices.ContainsFunc(strings.Split(match, "/"), isNeverCarried) || throughLink(dir, match) {
		return nil
	}
	return filepath.WalkDir(filepath.Join(dir, filepath.FromSlash(match)), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if isNeverCarried(d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if m := info.Mode(); m.IsRegular() || m&fs.ModeSymlink != 0 {
			found[filepath.ToSlash(rel)] = m
		}
		return nil
	})
}

func isNeverCarried(name string) bool { return slices.Contains(neverCarried, name) }

// throughLink reports whether a folder above the match is a link: it may lead
// out of the user's folder.
func throughLink(dir, match string) bool {
	for p := parent(match); p != ""; p = parent(p) {
		if info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(p))); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// digestCarried adds every file's name, mode and content to a digest.
func digestCarried(ctx context.Context, h hash.Hash, dir string, list []carried) error {
	for _, c := range list {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		fmt.Fprintf(h, "carry %q %o\n", c.path, c.mode)
		full := filepath.Join(dir, filepath.FromSlash(c.path))
		if c.mode&fs.ModeSymlink != 0 {
			to, err := os.Readlink(full)
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "%q\n", to)
			continue
		}
		sum, n, err := digestFile(full)
		if err != nil {
			return err
		}
		h.Write(binary.AppendVarint(sum, n))
	}
	return nil
}

func digestFile(path string) (sum []byte, n int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	h := sha256.New()
	n, err = io.Copy(h, f)
	return h.Sum(nil), n, err
}

// copyCarried copies the list from one folder to another, sharing blocks where
// the file system can, and leaves alone what the base tracks. It writes through
// no link that the base holds.
func copyCarried(ctx context.Context, from, tree, prefix string, list []carried, base *Tree) error {
	root, err := os.OpenRoot(tree)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, c := range list {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		to := join(prefix, c.path)
		if _, tracked := base.Lookup(to); tracked || base.IsDir(to) {
			continue
		}
		if err := copyOne(root, filepath.Join(from, filepath.FromSlash(c.path)), filepath.FromSlash(to), c.mode); err != nil {
			return fmt.Errorf("carrying %q: %w", c.path, err)
		}
	}
	return nil
}

func copyOne(root *os.Root, from, to string, mode fs.FileMode) error {
	if err := root.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if mode&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return root.Symlink(target, to)
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := root.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := CloneFile(out, in); err != nil {
		out.Close()
		return err
	}
	err = out.Chmod(mode.Perm() | 0o600)
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err == nil { // tools compare times with what they have built
		err = root.Chtimes(to, info.ModTime(), info.ModTime())
	}
	return err
}
