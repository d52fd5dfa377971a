package git

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Surround is where on this machine content of a repository can be read.
type Surround struct {
	// Top is the work tree that was asked about, Prefix the slashed path below
	// it, "" for Top itself.
	Top, Prefix string
	// Others are further work trees of the same content: those that are linked
	// to this one, and local repositories that it was cloned from.
	Others []string
	// Stores are folders of git: its own, what work trees share, and the object
	// folders and repositories that content is borrowed or fetched from.
	Stores []string
}

// Around finds the repository that a folder lies in by looking at files alone,
// so that a repository which git does not trust is found too. Outside of every
// repository its answer is empty. What cannot be read is left out: a command of
// the same user cannot read it either.
func Around(dir string) Surround {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for top := dir; ; top = filepath.Dir(top) {
		if own := folderOf(top); own != "" {
			rel, _ := filepath.Rel(top, dir)
			s := &surveyor{}
			s.Top, s.Prefix = top, strings.TrimPrefix(filepath.ToSlash(rel), ".")
			s.store(own)
			s.Others = slices.DeleteFunc(s.Others, func(t string) bool { return t == top })
			s.Stores = slices.DeleteFunc(s.Stores, s.inStore)
			return s.Surround
		}
		if top == filepath.Dir(top) {
			return Surround{}
		}
	}
}

// folderOf is the git folder of a work tree, "" if top is none.
func folderOf(top string) string {
	at := filepath.Join(top, ".git")
	if dir := pointer(at, "gitdir: ", top); dir != "" && isStore(dir) {
		return dir
	}
	if isStore(at) {
		return real(at)
	}
	return ""
}

// pointer is the path in a file that holds nothing else after prefix, "" if
// there is no such file. Relative ones begin in base.
func pointer(file, prefix, base string) string {
	data, err := os.ReadFile(file)
	rest, ok := strings.CutPrefix(string(data), prefix)
	if rest = strings.TrimRight(rest, "\r\n"); err != nil || !ok || rest == "" {
		return ""
	}
	return real(absolute(rest, base))
}

func isStore(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "HEAD"))
	return err == nil
}

func isRepository(dir string) bool { return folderOf(dir) != "" || isStore(dir) }

// absolute is a path of git's, which begins in base if it is relative.
func absolute(p, base string) string {
	if p = filepath.FromSlash(p); filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(base, p)
}

// real follows links where it can.
func real(p string) string {
	if end, err := filepath.EvalSymlinks(p); err == nil {
		return end
	}
	return filepath.Clean(p)
}

// A surveyor collects a Surround; each folder is visited once.
type surveyor struct{ Surround }

// visit adds a folder to those in list, and reports whether it is new.
func visit(list *[]string, dir string) bool {
	if slices.Contains(*list, dir) {
		return false
	}
	*list = append(*list, dir)
	return true
}

// inStore reports whether a folder lies in one of the stores.
func (s *surveyor) inStore(dir string) bool {
	return slices.ContainsFunc(s.Stores, func(store string) bool { return strings.HasPrefix(dir, store+string(filepath.Separator)) })
}

// store visits a folder of git and all that it leads to.
func (s *surveyor) store(dir string) {
	if !visit(&s.Stores, dir) {
		return
	}
	if common := pointer(filepath.Join(dir, "commondir"), "", dir); common != "" {
		s.store(common)
		return
	}
	if filepath.Base(dir) == ".git" {
		visit(&s.Others, filepath.Dir(dir))
	}
	linked, _ := os.ReadDir(filepath.Join(dir, "worktrees"))
	for _, w := range linked {
		if at := pointer(filepath.Join(dir, "worktrees", w.Name(), "gitdir"), "", filepath.Join(dir, "worktrees", w.Name())); at != "" {
			visit(&s.Others, filepath.Dir(at))
		}
	}
	s.objects(filepath.Join(dir, "objects"))
	for _, r := range remotes(dir) {
		switch own := folderOf(r); {
		case own != "":
			visit(&s.Others, r)
			s.store(own)
		case isStore(r):
			s.store(r)
		default: // a bundle
			visit(&s.Stores, r)
		}
	}
}

// objects visits an object folder and those that it borrows from.
func (s *surveyor) objects(dir string) {
	if dir = real(dir); !visit(&s.Stores, dir) {
		return
	}
	data, _ := os.ReadFile(filepath.Join(dir, "info", "alternates"))
	for line := range bytes.Lines(data) {
		if p := strings.TrimRight(string(line), "\r\n"); p != "" && p[0] != '#' {
			s.objects(absolute(p, dir))
		}
	}
}

// remotes are the repositories and bundles of this machine that a git folder
// fetches from.
func remotes(dir string) (out []string) {
	data, _ := os.ReadFile(filepath.Join(dir, "config"))
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(line, "=")
		if !strings.EqualFold(strings.TrimSpace(key), "url") {
			continue
		}
		value = strings.Trim(strings.TrimSpace(value), `"`)
		if u, err := url.Parse(value); err == nil && u.Scheme == "file" {
			value = u.Path
		}
		base := dir
		if filepath.Base(dir) == ".git" {
			base = filepath.Dir(dir)
		}
		if info, err := os.Stat(absolute(value, base)); value != "" && err == nil && (info.Mode().IsRegular() || isRepository(absolute(value, base))) {
			out = append(out, real(absolute(value, base)))
		}
	}
	return out
}
