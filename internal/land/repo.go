package land

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/git"
)

// A repo is the person's repository, read as their own git would read it: with
// their line ends and ignored files, but without hooks. No filter is run.
type repo struct {
	*git.Repo
	facts   git.Facts
	drivers map[string]bool // filters that are configured
	autoEOL bool            // files without attributes may have other line ends than their blobs
}

// settings are what of a person's configuration decides how their files look.
const settings = `^(core\.(autocrlf|eol|attributesfile|excludesfile|checkroundtripencoding)|filter\..*)$`

// open finds the repository at l.Root.
func (l *Lander) open(ctx context.Context) (*repo, error) {
	g, err := git.Find(ctx)
	if err != nil {
		return nil, err
	}
	facts, err := g.Discover(ctx, l.Root)
	if err != nil {
		return nil, err
	}
	r := &repo{Repo: facts.Repo(g), facts: facts, drivers: map[string]bool{}}
	set, err := r.Settings(ctx, settings)
	if err != nil {
		return nil, fmt.Errorf("read git's settings: %w", err)
	}
	var config []string
	for key, value := range set {
		driver, ok := strings.CutPrefix(key, "filter.")
		if !ok {
			config = append(config, key+"="+value)
			continue
		}
		if i := strings.LastIndexByte(driver, '.'); i > 0 {
			r.drivers[driver[:i]] = true
		}
	}
	r.autoEOL = set["core.autocrlf"] != "" && !strings.EqualFold(set["core.autocrlf"], "false")
	r.Repo = r.With(config, nil)
	return r, nil
}

// unfit says why the repository is in no state to be written to, "" if it is fit.
func (r *repo) unfit(root string) string {
	top, err := filepath.EvalSymlinks(root)
	switch {
	case err != nil || r.facts.Top != filepath.ToSlash(top) && r.facts.Top != top:
		return fmt.Sprintf("%s is no longer the top of a repository", root)
	case r.facts.Doing != "":
		return fmt.Sprintf("the repository is in the middle of a %s; finish or abort it first", r.facts.Doing)
	case len(r.facts.Locks) > 0:
		return fmt.Sprintf("another git is at work in the repository, or died there and left %s", r.facts.Locks[0])
	case r.facts.Unborn:
		return "the branch that is checked out has no commit"
	}
	return ""
}

// own says of paths what the person has there that is not in HEAD, in the words
// of an Obstacle. Git's own judgement counts, so that line ends do not; where it
// was told not to look, nothing is known to be clean.
func (r *repo) own(ctx context.Context, paths []string) (map[string]string, error) {
	s, err := r.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("git status: %w", err)
	}
	out := map[string]string{}
	if err := r.unwatched(ctx, paths, out); err != nil {
		return nil, err
	}
	// The later of these say more.
	for _, kind := range []struct {
		paths []string
		why   string
	}{
		{s.Ignored, "is a file of yours that git ignores, and would be overwritten"},
		{s.Untracked, "is a file of yours that git does not track, and would be overwritten"},
		{s.Unstaged, "has changes of yours"}, {s.Staged, whyStaged}, {s.Conflicted, "is unmerged"},
	} {
		mine := map[string]bool{}
		for _, p := range kind.paths {
			mine[p] = true
		}
		for _, p := range paths {
			if mine[p] || below(mine, p) {
				out[p] = kind.why
			}
		}
	}
	return out, nil
}

const whyStaged = "has staged changes of yours"

// below reports whether p lies in one of the named folders, whose names end in a
// slash, or would have to lie below one of the named files.
func below(names map[string]bool, p string) bool {
	for i := strings.LastIndexByte(p, '/'); i > 0; i = strings.LastIndexByte(p[:i], '/') {
		if names[p[:i+1]] || names[p[:i]] {
			return true
		}
	}
	return false
}

// unwatched finds the paths whose files git was told not to look at.
func (r *repo) unwatched(ctx context.Context, paths []string, out map[string]string) error {
	list, err := r.Run(ctx, "ls-files", "-v", "-z")
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	tags := map[string]string{}
	for entry := range bytes.SplitSeq(list, []byte{0}) {
		tag, path, _ := strings.Cut(string(entry), " ")
		tags[path] = tag
	}
	for _, path := range paths {
		switch tag := tags[path]; {
		case tag == "S" || tag == "s":
			out[path] = "is left out by a sparse checkout"
		case tag != strings.ToUpper(tag):
			out[path] = "is marked as unchanged in git's index, so that nothing is known of your changes"
		}
	}
	return nil
}

// attributes are those of a path that change what its file looks like.
type attributes map[string]string

func (a attributes) set(name string) bool {
	v := a[name]
	return v != "" && v != "unspecified" && v != "unset"
}

// converted reports whether the file may have other bytes than its blob, without
// a filter: a file under one is not written.
func (r *repo) converted(a attributes) bool {
	return r.filter(a) == "" && (a.set("text") || a.set("crlf") || a.set("eol") || a.set("ident") || a.set("working-tree-encoding") ||
		r.autoEOL && a["text"] != "unset" && a["crlf"] != "unset")
}

// filter is the filter driver that the path's file is kept through, "" if none.
// LFS is one where it is not installed too: what lies there is a pointer, and
// pushed without its content it would break every other clone.
func (r *repo) filter(a attributes) string {
	if name := a["filter"]; a.set("filter") && (r.drivers[name] || name == "lfs") {
		return name
	}
	return ""
}

// attributes reads the attributes of paths, as .gitattributes on disk has them.
func (r *repo) attributes(ctx context.Context, paths []string) (map[string]attributes, error) {
	var out bytes.Buffer
	err := r.Do(ctx, git.Call{
		Args:  []string{"check-attr", "-z", "--stdin", "text", "crlf", "eol", "ident", "working-tree-encoding", "filter"},
		Stdin: strings.NewReader(strings.Join(paths, "\x00") + "\x00"), Stdout: &out,
	})
	if err != nil {
		return nil, fmt.Errorf("git check-attr: %w", err)
	}
	all := make(map[string]attributes, len(paths))
	fields := strings.Split(out.String(), "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		if all[fields[i]] == nil {
			all[fields[i]] = attributes{}
		}
		all[fields[i]][fields[i+1]] = fields[i+2]
	}
	return all, nil
}

// checkout turns the content of a blob into the bytes that git would check out
// at path. The person's repository is not written to. A filter of the path would
// run.
func (r *repo) checkout(ctx context.Context, path string, blob []byte) (data []byte, err error) {
	scratch, err := os.MkdirTemp("", "clade-checkout-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	beside := r.With(nil, []string{"GIT_OBJECT_DIRECTORY=" + scratch})
	id, err := hash(ctx, beside, blob)
	if err == nil {
		data, err = beside.Run(ctx, "cat-file", "--filters", "--path="+path, id)
	}
	if err != nil {
		return nil, fmt.Errorf("check out %q: %w", path, err)
	}
	return data, nil
}

// hash writes a blob, as it is, to where the repository keeps its objects.
func hash(ctx context.Context, at *git.Repo, blob []byte) (id string, err error) {
	var out bytes.Buffer
	err = at.Do(ctx, git.Call{Args: []string{"hash-object", "-w", "-t", "blob", "--stdin"}, Stdin: bytes.NewReader(blob), Stdout: &out})
	return strings.TrimSpace(out.String()), err
}

// head is the commit that is checked out now.
func (r *repo) head(ctx context.Context) (string, error) {
	return r.Line(ctx, "rev-parse", "--verify", "HEAD^{commit}")
}

func conflict(text, hint string) *clade.Problem {
	return &clade.Problem{Fault: clade.FaultConflict, Text: text, Hint: hint}
}
