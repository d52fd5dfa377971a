package bare_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/git/gittest"
	"github.com/cladehq/clade/internal/ledger"
)

// lfsPointer is what git holds for a file kept by git-lfs.
const lfsPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"

// project is a repository with two commits, whose first holds what the second
// took away.
func project(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	gittest.Person(t, dir, "init", "-q", "-b", "main")
	gittest.Put(t, filepath.Join(dir, "secret"), "in the history only")
	gittest.Person(t, dir, "add", ".")
	gittest.Person(t, dir, "commit", "-q", "-m", "one")
	gittest.Person(t, dir, "rm", "-q", "secret")
	gittest.Put(t, filepath.Join(dir, "a"), "1\r\n")
	gittest.Put(t, filepath.Join(dir, "sub/b.bin"), lfsPointer)
	gittest.Put(t, filepath.Join(dir, ".gitattributes"), "*.bin filter=lfs -text\n")
	gittest.Person(t, dir, "add", ".")
	gittest.Person(t, dir, "commit", "-q", "-m", "two")
	return dir
}

var projectTree = []string{"100644 .gitattributes", "100644 a", "100644 sub/b.bin"}

func modesAndPaths(t *testing.T, l ledger.Ledger, commit string) []string {
	t.Helper()
	list, err := l.List(t.Context(), commit)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, string(e.Mode)+" "+e.Path)
	}
	return out
}

// digest hashes everything below the folders: names, modes and bytes.
func digest(t *testing.T, dirs ...string) string {
	t.Helper()
	h := sha256.New()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "%q %v %v\n", path, info.Mode(), info.ModTime())
			if !info.Mode().IsRegular() {
				return nil
			}
			data, err := os.ReadFile(path)
			h.Write(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func TestImportFromGit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(t *testing.T, dir string) string // the folder to import
		rev  string
		want []string
	}{
		{"a repository", func(_ *testing.T, dir string) string { return dir }, "", projectTree},
		{"a folder in it", func(_ *testing.T, dir string) string { return filepath.Join(dir, "sub") }, "HEAD", projectTree},
		{"an older revision", func(_ *testing.T, dir string) string { return dir }, "main~1", []string{"100644 secret"}},
		{"a tag", func(t *testing.T, dir string) string {
			gittest.Person(t, dir, "tag", "-a", "-m", "v", "v1")
			return dir
		}, "v1", projectTree},
		{"packed refs and objects", func(t *testing.T, dir string) string { gittest.Person(t, dir, "gc", "-q"); return dir }, "main", projectTree},
		{"detached", func(t *testing.T, dir string) string {
			gittest.Person(t, dir, "checkout", "-q", "--detach")
			return dir
		}, "", projectTree},
		{"bare", func(t *testing.T, dir string) string {
			to := filepath.Join(t.TempDir(), "c")
			gittest.Person(t, dir, "clone", "-q", "--bare", dir, to)
			return to
		}, "", projectTree},
		{"shallow", func(t *testing.T, dir string) string {
			to := filepath.Join(t.TempDir(), "c")
			gittest.Person(t, dir, "clone", "-q", "--depth=1", "file://"+dir, to)
			return to
		}, "", projectTree},
		{"with alternates", func(t *testing.T, dir string) string {
			to := filepath.Join(t.TempDir(), "c")
			gittest.Person(t, dir, "clone", "-q", "--shared", dir, to)
			return to
		}, "", projectTree},
		{"a linked work tree, B7", func(t *testing.T, dir string) string {
			to := filepath.Join(t.TempDir(), "w")
			gittest.Person(t, dir, "worktree", "add", "-q", "--detach", to)
			return to
		}, "", projectTree},
		{"with a submodule, F34 B7", func(t *testing.T, dir string) string {
			gittest.Person(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", project(t), "m")
			gittest.Person(t, dir, "commit", "-q", "-m", "sub")
			return dir
		}, "", []string{"100644 .gitattributes", "100644 .gitmodules", "100644 a", "160000 m", "100644 sub/b.bin"}},
		{"uncommitted work stays out, F18", func(t *testing.T, dir string) string {
			gittest.Put(t, filepath.Join(dir, "staged"), "")
			gittest.Person(t, dir, "add", "staged")
			gittest.Put(t, filepath.Join(dir, "a"), "changed")
			return dir
		}, "", projectTree},
		{"a replaced object is not followed", func(t *testing.T, dir string) string {
			gittest.Person(t, dir, "replace", "HEAD", "HEAD~1")
			return dir
		}, "", projectTree},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := project(t)
			from := c.make(t, dir)
			before := digest(t, dir, from)
			l := open(t, filepath.Join(t.TempDir(), "ledger"))
			defer l.Close()
			m, err := l.Import(t.Context(), ledger.Source{Git: from, Rev: c.rev})
			if err != nil {
				t.Fatal(err)
			}
			if got := modesAndPaths(t, l, m.Commit); !slices.Equal(got, c.want) {
				t.Errorf("%q and not %q", got, c.want)
			}
			if bad, err := l.Check(t.Context(), []string{m.Commit}); err != nil || len(bad) > 0 {
				t.Errorf("broken: %v, %v", bad, err)
			}
			child, err := l.Commit(t.Context(), ledger.Draft{Parents: []string{m.Commit}, From: m.Commit,
				Changes: []ledger.Change{{Path: "sub/new", Mode: ledger.ModeFile, Data: []byte("n")}}})
			if err != nil {
				t.Fatal(err)
			}
			if got := modesAndPaths(t, l, child.Commit); len(got) != len(c.want)+1 {
				t.Errorf("its child lists %q", got)
			}
			if err := l.Pack(t.Context(), child.Commit, filepath.Join(t.TempDir(), "pack")); err != nil {
				t.Error(err)
			}
			if n := gittest.Person(t, l.Dir(), "rev-list", "--all", "--reflog"); n != "" {
				t.Errorf("refs were made: %s", n)
			}
			if after := digest(t, dir, from); after != before {
				t.Error("the user's repository has changed")
			}
		})
	}
}

// A second run from the same revision copies nothing.
func TestImportAgainCopiesNothing(t *testing.T) {
	t.Parallel()
	user, dir := project(t), filepath.Join(t.TempDir(), "ledger")
	var ids []string
	for range 2 {
		l := open(t, dir)
		m, err := l.Import(t.Context(), ledger.Source{Git: user})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, m.Commit)
	}
	packs, err := filepath.Glob(filepath.Join(dir, "objects/pack/*.pack"))
	if err != nil || len(packs) != 2 || ids[0] != ids[1] { // the tree, and the commit
		t.Errorf("commits %q in packs %q: %v", ids, packs, err)
	}
}

// F35, B12: a pointer stays a pointer, and no filter is asked.
func TestImportKeepsBytes(t *testing.T) {
	t.Parallel()
	l := open(t, filepath.Join(t.TempDir(), "ledger"))
	defer l.Close()
	m, err := l.Import(t.Context(), ledger.Source{Git: project(t)})
	if err != nil {
		t.Fatal(err)
	}
	list, err := l.List(t.Context(), m.Commit)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"*.bin filter=lfs -text\n", "1\r\n", lfsPointer} {
		if data, err := l.Read(t.Context(), list[i].Blob); err != nil || string(data) != want {
			t.Errorf("%s holds %q: %v", list[i].Path, data, err)
		}
	}
}

func TestImportFromGitRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, rev string
		fault     clade.Fault
		make      func(t *testing.T, dir string) string
	}{
		{"an unborn branch", "", clade.FaultConflict, func(t *testing.T, dir string) string {
			gittest.Person(t, dir, "checkout", "-q", "--orphan", "new")
			return dir
		}},
		{"no such revision", "nowhere", clade.FaultNotFound, func(_ *testing.T, dir string) string { return dir }},
		{"an option as a revision", "--all", clade.FaultNotFound, func(_ *testing.T, dir string) string { return dir }},
		{"no repository", "", clade.FaultNotFound, func(t *testing.T, _ string) string { return t.TempDir() }},
		{"another object format", "", clade.FaultEnvironment, func(t *testing.T, _ string) string {
			dir := t.TempDir()
			gittest.Person(t, dir, "init", "-q", "--object-format=sha256")
			return dir
		}},
		{"a partial clone without the files", "", clade.FaultEnvironment, func(t *testing.T, dir string) string {
			gittest.Person(t, dir, "config", "uploadpack.allowFilter", "true")
			to := filepath.Join(t.TempDir(), "c")
			gittest.Person(t, dir, "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+dir, to)
			return to
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			from := c.make(t, project(t))
			before := digest(t, from)
			l := open(t, filepath.Join(t.TempDir(), "ledger"))
			defer l.Close()
			_, err := l.Import(t.Context(), ledger.Source{Git: from, Rev: c.rev})
			var p *clade.Problem
			if !errors.As(err, &p) || p.Fault != c.fault || p.Where == "" {
				t.Errorf("%v", err)
			}
			if digest(t, from) != before {
				t.Error("the user's repository has changed")
			}
			if _, err := l.Commit(t.Context(), ledger.Draft{}); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// H15: what the user's configuration would run does not run, and not one byte
// of the repository changes.
func TestH15ImportRunsNothing(t *testing.T) {
	t.Parallel()
	dir := project(t)
	marker := filepath.Join(t.TempDir(), "ran")
	evil := func(what string) string { return "echo " + what + " >>" + marker + "; cat" }
	gittest.Put(t, filepath.Join(dir, ".git/info/attributes"), "* filter=evil diff=evil merge=evil\n")
	for key, value := range map[string]string{
		"core.fsmonitor": evil("fsmonitor"), "filter.evil.clean": evil("clean"), "filter.evil.smudge": evil("smudge"),
		"filter.evil.required": "true", "filter.lfs.smudge": evil("lfs"), "diff.evil.textconv": evil("textconv"),
		"diff.external": evil("diff"), "core.pager": evil("pager"), "core.sshCommand": evil("ssh"), "core.gitProxy": evil("proxy"),
		"core.alternateRefsCommand": evil("alternates"), "alias.rev-parse": "!" + evil("alias"), "gpg.program": evil("gpg"),
		"commit.gpgsign": "true", "uploadpack.packObjectsHook": evil("packObjects"), "credential.helper": evil("credential"),
	} {
		gittest.Person(t, dir, "config", key, value)
	}
	hooks, err := os.ReadDir(filepath.Join(dir, ".git/hooks"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	names := []string{"post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc", "fsmonitor-watchman"}
	for _, h := range hooks {
		names = append(names, strings.TrimSuffix(h.Name(), ".sample"))
	}
	for _, name := range names {
		at := filepath.Join(dir, ".git/hooks", name)
		gittest.Put(t, at, "#!/bin/sh\n"+evil(name)+"\n")
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	gittest.Put(t, filepath.Join(dir, "a"), "dirty") // a status would have to look
	before := digest(t, dir)
	l := open(t, filepath.Join(t.TempDir(), "ledger"))
	defer l.Close()
	m, err := l.Import(t.Context(), ledger.Source{Git: dir})
	if err != nil {
		t.Fatal(err)
	}
	if got := modesAndPaths(t, l, m.Commit); !slices.Equal(got, projectTree) {
		t.Errorf("imported %q", got)
	}
	if ran, err := os.ReadFile(marker); err == nil {
		t.Errorf("commands of the user's configuration ran:\n%s", ran)
	}
	if digest(t, dir) != before {
		t.Error("the user's repository has changed")
	}
}

// B32: clade started from a hook inherits GIT_DIR and must not follow it.
func TestB32LedgerIgnoresInheritedGitDir(t *testing.T) {
	user, other := project(t), project(t)
	before := digest(t, user)
	t.Setenv("GIT_DIR", filepath.Join(user, ".git"))
	t.Setenv("GIT_WORK_TREE", user)
	t.Setenv("GIT_INDEX_FILE", filepath.Join(user, ".git/index"))
	t.Setenv("GIT_OBJECT_DIRECTORY", filepath.Join(user, ".git/objects"))
	l := open(t, filepath.Join(t.TempDir(), "ledger"))
	m, err := l.Import(t.Context(), ledger.Source{Git: other, Rev: "HEAD~1"})
	if err != nil {
		t.Fatal(err)
	}
	if got := modesAndPaths(t, l, m.Commit); !slices.Equal(got, []string{"100644 secret"}) {
		t.Errorf("imported %q", got)
	}
	if err := l.Pack(t.Context(), m.Commit, filepath.Join(t.TempDir(), "pack")); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if digest(t, user) != before {
		t.Error("the user's repository has changed")
	}
}

// F17: a repository without write permission can be imported.
func TestF17ImportFromReadOnly(t *testing.T) {
	t.Parallel()
	dir := project(t)
	writable := func(bits fs.FileMode) {
		if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Chmod(path, 0o500|bits)
		}); err != nil {
			t.Fatal(err)
		}
	}
	writable(0)
	defer writable(0o200)
	l := open(t, filepath.Join(t.TempDir(), "ledger"))
	defer l.Close()
	if _, err := l.Import(t.Context(), ledger.Source{Git: dir}); err != nil {
		t.Error(err)
	}
}

// F43's cousin for folders: what is no file is refused by name, not opened.
func TestImportRefusesAPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := exec.Command("mkfifo", filepath.Join(dir, "pipe")).CombinedOutput(); err != nil {
		t.Skipf("no named pipes here: %v %s", err, out)
	}
	l := open(t, filepath.Join(t.TempDir(), "ledger"))
	defer l.Close()
	var p *clade.Problem
	if _, err := l.Import(t.Context(), ledger.Source{Dir: dir}); !errors.As(err, &p) || p.Where != filepath.Join(dir, "pipe") {
		t.Errorf("%v", err)
	}
	if _, err := l.Import(t.Context(), ledger.Source{Dir: dir, Skip: []string{"pipe"}}); err != nil {
		t.Errorf("skipped: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "f"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Import(t.Context(), ledger.Source{Dir: dir, Only: []string{"f*"}}); err != nil {
		t.Errorf("not selected: %v", err)
	}
}

// A folder that can hold nothing of a selection need not be readable.
func TestImportEntersWhatIsSelected(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, p := range []string{"src/a.go", "shut/b.md"} {
		gittest.Put(t, filepath.Join(dir, p), "1")
	}
	shut := filepath.Join(dir, "shut")
	if err := os.Chmod(shut, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(shut, 0o755) //nolint:errcheck // for the folder to be removed
	if _, err := os.ReadDir(shut); err == nil {
		t.Skip("whoever runs this may read everything")
	}
	l := open(t, filepath.Join(t.TempDir(), "ledger"))
	defer l.Close()
	if _, err := l.Import(t.Context(), ledger.Source{Dir: dir, Only: []string{"src/", "*.md"}}); clade.FaultOf(err) != clade.FaultNotFound {
		t.Errorf("%v", err)
	}
	for _, only := range [][]string{{"src/"}, {"src/**/*.go"}, {"src", "src/*"}} {
		m, err := l.Import(t.Context(), ledger.Source{Dir: dir, Only: only})
		if err != nil {
			t.Fatal(err)
		}
		if got := modesAndPaths(t, l, m.Commit); !slices.Equal(got, []string{"100644 src/a.go"}) {
			t.Errorf("%q took %q", only, got)
		}
	}
	if _, err := l.Import(t.Context(), ledger.Source{Dir: dir, Only: []string{"**/*.go"}}); clade.FaultOf(err) != clade.FaultEnvironment {
		t.Errorf("what cannot be looked at: %v", err)
	}
}
