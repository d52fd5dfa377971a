package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cladehq/clade"
)

// Facts is what a repository is like. Nothing was written to learn it.
type Facts struct {
	Top       string // root of the work tree; "" in a bare repository
	GitDir    string // the work tree's own folder, absolute
	CommonDir string // what linked work trees share; GitDir if there are none
	Prefix    string // of the path asked about below Top, slash at its end; "": the root
	// Head is the commit that is checked out; "" when Unborn.
	Head   string
	Branch string // full name of the ref HEAD points to; "" when detached
	Unborn bool   // the branch has no commit yet
	Bare   bool
	// Shallow and Partial repositories lack history or objects.
	Shallow, Partial bool
	// Submodules says that Head has a submodule or a .gitmodules, LFS that one
	// of its .gitattributes sets filter=lfs. A partial clone may lack those.
	Submodules, LFS bool
	// Doing is an operation that a person has begun and not ended: "merge",
	// "rebase", "am", "cherry-pick", "revert" or "bisect"; "" otherwise.
	Doing string
	// Locks are lock files of the repository: another git is at work in it, or
	// one died. They are a person's to remove.
	Locks        []string
	ObjectFormat string // "sha1" or "sha256"
}

// Repo runs git in the repository of the facts.
func (f Facts) Repo(g *Git) *Repo { return g.At(Place{Dir: f.GitDir, WorkTree: f.Top}) }

// Discover finds the repository that a folder belongs to and reads what it is
// like. A folder in no repository, or in one that git does not trust because
// another user owns it, is a *clade.Problem.
func (g *Git) Discover(ctx context.Context, dir string) (Facts, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Facts{}, &clade.Problem{Fault: clade.FaultNotFound, Text: "no such folder", Where: dir, Err: err}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return Facts{}, &clade.Problem{Fault: clade.FaultNotFound, Text: "no such folder", Where: dir, Err: err}
	}
	f, err := g.locate(ctx, dir)
	if err != nil {
		return Facts{}, err
	}
	f.Doing, f.Locks = doing(f.GitDir), locks(f.GitDir, f.CommonDir)
	return f, g.head(ctx, &f)
}

// locate asks git where it is. Only here does it read the user's and the
// system's configuration: they say which folders of other users to trust.
func (g *Git) locate(ctx context.Context, dir string) (Facts, error) {
	r := g.At(Place{WorkTree: dir})
	out, err := r.bare(ctx, dir, "rev-parse", "--is-bare-repository", "--is-shallow-repository",
		"--show-object-format", "--absolute-git-dir", "--git-common-dir", "--show-prefix")
	if err != nil {
		return Facts{}, refused(dir, err)
	}
	lines := strings.SplitN(strings.TrimSuffix(string(out), "\n"), "\n", 6)
	if len(lines) < 5 {
		return Facts{}, refused(dir, errors.New("git rev-parse said "+string(out)))
	}
	f := Facts{Bare: lines[0] == "true", Shallow: lines[1] == "true", ObjectFormat: lines[2], GitDir: lines[3], CommonDir: lines[4]}
	if len(lines) == 6 {
		f.Prefix = lines[5]
	}
	if !filepath.IsAbs(f.CommonDir) {
		f.CommonDir = filepath.Join(dir, f.CommonDir)
	}
	if f.Bare {
		return f, nil
	}
	top, err := r.bare(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return Facts{}, refused(dir, err)
	}
	f.Top = strings.TrimSuffix(string(top), "\n")
	return f, nil
}

// bare runs git in dir as a person would, but for the variables that steer it.
func (r *Repo) bare(ctx context.Context, dir string, args ...string) ([]byte, error) {
	var out bytes.Buffer
	stderr := &tail{max: excerpt}
	cmd := r.command(ctx, args)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, stderr
	cmd.Env = append(Scrub(os.Environ()), "LC_ALL=C", "LANGUAGE=", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
	err := failure(ctx, args, cmd.Run(), stderr)
	return out.Bytes(), err
}

func refused(dir string, err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Code < 0 {
		return err
	}
	if strings.Contains(e.Stderr, "dubious ownership") || strings.Contains(e.Stderr, "safe.directory") {
		return &clade.Problem{Fault: clade.FaultEnvironment, Text: "the repository belongs to another user and git does not trust it",
			Where: dir, Hint: "if you do, run: git config --global --add safe.directory " + dir, Err: err}
	}
	if strings.Contains(e.Stderr, "not a git repository") {
		return &clade.Problem{Fault: clade.FaultNotFound, Text: "not a git repository", Where: dir, Err: err}
	}
	return &clade.Problem{Fault: clade.FaultEnvironment, Text: "git cannot read the repository", Where: dir, Err: err}
}

// head fills in what Head's tree and the configuration say.
func (g *Git) head(ctx context.Context, f *Facts) error {
	r := g.At(Place{Dir: f.GitDir})
	branch, err := r.Line(ctx, "symbolic-ref", "--quiet", "HEAD")
	if err != nil && !Exited(err, 1) {
		return err
	}
	f.Branch = branch
	f.Head, err = r.Line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if f.Unborn = Exited(err, 1); err != nil && !f.Unborn {
		return err
	}
	partial, err := r.Run(ctx, "config", "--local", "-z", "--get-regexp", `^(extensions\.partialclone|remote\..*\.promisor)$`)
	if err != nil && !Exited(err, 1) {
		return err
	}
	f.Partial = len(partial) > 0
	if f.Unborn {
		return nil
	}
	return r.special(ctx, f)
}

// special looks for submodules and LFS in the tree of Head.
func (r *Repo) special(ctx context.Context, f *Facts) error {
	out, err := r.Run(ctx, "ls-tree", "-r", "-z", "--full-tree", f.Head)
	if err != nil {
		return err
	}
	var attributes []string
	for entry := range bytes.SplitSeq(out, []byte{0}) {
		head, path, _ := bytes.Cut(entry, []byte{'\t'})
		switch string(path[bytes.LastIndexByte(path, '/')+1:]) {
		case ".gitmodules":
			f.Submodules = f.Submodules || string(path) == ".gitmodules"
		case ".gitattributes":
			if fields := strings.Fields(string(head)); len(fields) == 3 && fields[1] == "blob" {
				attributes = append(attributes, fields[2])
			}
		}
		f.Submodules = f.Submodules || bytes.HasPrefix(head, []byte("160000 "))
	}
	if len(attributes) == 0 {
		return nil
	}
	cat := r.Contents()
	err = cat.Each(attributes, func(_ int, o Object, err error) error {
		f.LFS = f.LFS || bytes.Contains(o.Data, []byte("filter=lfs"))
		return err
	})
	if f.Partial {
		err = nil // git dies over an object that it would have to fetch
	}
	return errors.Join(err, cat.Close())
}

// doing names the unfinished operation that left its traces in a git folder.
func doing(gitDir string) string {
	for _, trace := range [][2]string{
		{"rebase-merge", "rebase"}, {"rebase-apply/applying", "am"}, {"rebase-apply", "rebase"},
		{"MERGE_HEAD", "merge"}, {"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"},
		{"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(gitDir, trace[0])); err == nil {
			return trace[1]
		}
	}
	return ""
}

// locks lists lock files beside what they guard, and those of refs.
func locks(dirs ...string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(path string) {
		if strings.HasSuffix(path, ".lock") && !seen[path] {
			seen[path] = true
			out = append(out, path)
		}
	}
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir) // what cannot be read has no lock to report
		for _, e := range entries {
			add(filepath.Join(dir, e.Name()))
		}
		_ = filepath.WalkDir(filepath.Join(dir, "refs"), func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				add(path)
			}
			return nil
		})
	}
	return out
}
