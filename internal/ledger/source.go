package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/cladehq/clade"
)

// A Source is where a base comes from: exactly one of Git and Dir.
type Source struct {
	Git string // a repository's folder: Rev's tree is copied, hooks and filters off
	Rev string
	Dir string // a plain folder: every file below it that Covers says
	// Only restricts Dir, unless it is empty. An entry is a path, relative to Dir and
	// slash separated, which stands for itself and all below it; or, with any of
	// * ? [, a doublestar pattern, which stands for what it matches and all below
	// that. Literal makes a path of any name.
	Only []string
	// Gone says that entries of Only may stand for nothing, as where a folder is
	// imported once more after somebody worked in it.
	Gone bool
	Skip []string // paths in Dir that are left out with all below them
	// Progress, when not nil, is told from time to time how far an import is
	// that takes over a second.
	Progress func(string)
}

// Folder is how a plain folder is read that is evolved, or of what only names in
// it. What git and clade keep there is no part of it; in a selection, which may be
// of a repository, neither are the evolutions that it holds.
func Folder(dir string, only []string) Source {
	s := Source{Dir: dir, Only: only, Skip: []string{".clade", ".git"}}
	if len(only) > 0 {
		s.Skip = append(s.Skip, ".agents/evolutions")
	}
	return s
}

// Covers reports whether a file at a path, slash separated and relative to Dir,
// is taken. Of a repository every path is.
func (s Source) Covers(p string) bool {
	return s.Dir == "" || !s.skips(p) && (len(s.Only) == 0 || slices.ContainsFunc(s.Only, func(e string) bool { return covers(e, p) }))
}

// Leads reports whether a folder may hold files that are taken, so that a walk
// must enter it. It errs on the side of yes.
func (s Source) Leads(folder string) bool {
	switch {
	case s.Dir == "" || folder == ".":
		return true
	case s.skips(folder):
		return false
	}
	return len(s.Only) == 0 || slices.ContainsFunc(s.Only, func(e string) bool { return leads(e, folder) || covers(e, folder) })
}

func (s Source) skips(p string) bool {
	return slices.ContainsFunc(s.Skip, func(skip string) bool { return within(skip, p) })
}

// within reports whether p is a path or lies below it.
func within(above, p string) bool {
	rest, ok := strings.CutPrefix(p, above)
	return ok && (rest == "" || rest[0] == '/')
}

// isPattern reports whether an entry of Only is no path.
func isPattern(entry string) bool { return strings.ContainsAny(entry, "*?[") }

// cleaned is a pattern as it is matched.
func cleaned(pattern string) string {
	return strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
}

func covers(entry, p string) bool {
	if !isPattern(entry) {
		entry = path.Clean(entry)
		return entry == "." || within(entry, p)
	}
	entry = cleaned(entry)
	for ; p != "." && p != "/"; p = path.Dir(p) {
		if ok, err := doublestar.Match(entry, p); ok && err == nil {
			return true
		}
	}
	return false
}

// leads reports whether an entry may stand for something below a folder that it
// does not cover.
func leads(entry, folder string) bool {
	if !isPattern(entry) {
		return within(folder, path.Clean(entry))
	}
	entry = cleaned(entry)
	if strings.ContainsRune(entry, '{') {
		return true // alternatives may hold slashes
	}
	parts := strings.Split(entry, "/")
	for i, name := range strings.Split(folder, "/") {
		if i == len(parts) {
			return false // the pattern ends above
		}
		if parts[i] == "**" {
			return true
		}
		if ok, err := doublestar.Match(parts[i], name); err == nil && !ok {
			return false
		}
	}
	return true
}

// literal writes signs of patterns so that they mean themselves.
var literal = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`)

// Literal is the entry of Only that stands for the file or folder at p, whatever
// signs are in its name.
func Literal(p string) string {
	if !isPattern(p) {
		return p
	}
	return literal.Replace(p)
}

// Unfit says which entries of Only nothing could ever be taken by, whatever Dir
// holds: nil for none, else a *clade.Problem that names them all.
func (s Source) Unfit() error {
	var bad []string
	for _, e := range s.Only {
		if why := s.unfit(e); why != "" {
			bad = append(bad, fmt.Sprintf("%q %s", e, why))
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return &clade.Problem{Fault: clade.FaultSpec, Where: s.Dir, Text: "what is to be taken of the folder: " + strings.Join(bad, "; "), Err: ErrPath,
		Hint: "name paths below the folder, like src/, or patterns, like src/**/*.go"}
}

func (s Source) unfit(entry string) string {
	switch p := filepath.FromSlash(entry); {
	case entry == "":
		return "is empty"
	case isPattern(entry) && !doublestar.ValidatePattern(cleaned(entry)):
		return "is no pattern"
	case path.IsAbs(entry) || !filepath.IsLocal(p):
		return "lies outside"
	case !isPattern(entry) && s.skips(path.Clean(entry)):
		return "is never taken"
	}
	return ""
}

// Unmet says which entries of Only stand for nothing, where found are the paths
// that a walk of Dir took: nil for none, and where Gone is set; else a
// *clade.Problem that names them all. An entry that is a path may be a folder
// without files.
func (s Source) Unmet(found []string) error {
	if s.Gone {
		return nil
	}
	var bad []string
	for _, e := range s.Only {
		if slices.ContainsFunc(found, func(p string) bool { return covers(e, p) }) {
			continue
		}
		why, err := s.unmet(e)
		if err != nil {
			return &clade.Problem{Fault: clade.FaultEnvironment, Text: "the folder cannot be read", Where: s.Dir, Err: err}
		}
		if why != "" {
			bad = append(bad, fmt.Sprintf("%q %s", e, why))
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return &clade.Problem{Fault: clade.FaultNotFound, Where: s.Dir, Text: "what is to be taken of the folder: " + strings.Join(bad, "; "),
		Hint: "correct these entries, or make what they name"}
}

// unmet says why an entry took nothing, "" if nothing is wrong with it.
func (s Source) unmet(entry string) (string, error) {
	if isPattern(entry) {
		return "matches no file", nil
	}
	at := s.Dir
	for name := range strings.SplitSeq(path.Clean(entry), "/") {
		at = filepath.Join(at, name)
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "is not there", nil
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink != 0:
			return "lies behind a symbolic link", nil
		case !info.IsDir():
			return "is not there", nil // a file where a folder would have to be
		}
	}
	return "", nil
}
