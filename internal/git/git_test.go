package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/git/gittest"
)

func find(t testing.TB) *Git {
	t.Helper()
	g, err := Find(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// project is a repository with one commit.
func project(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	gittest.Person(t, dir, "init", "-q", "-b", "main")
	gittest.Put(t, filepath.Join(dir, "a"), "1\n")
	gittest.Put(t, filepath.Join(dir, "sub/b"), "2\n")
	gittest.Person(t, dir, "add", ".")
	gittest.Person(t, dir, "commit", "-q", "-m", "one")
	return dir
}

func TestScrubDropsWhatSteersGit(t *testing.T) {
	t.Parallel()
	got := Scrub([]string{"PATH=/bin", "GIT_DIR=/x", "git_dir=/y", "GIT_=", "GITHUB_TOKEN=k", "GIT"})
	if want := []string{"PATH=/bin", "GITHUB_TOKEN=k", "GIT"}; !slices.Equal(got, want) {
		t.Errorf("%q and not %q", got, want)
	}
}

// B32: a hook exports GIT_DIR, and git init in another folder would rewrite the
// repository it names.
func TestB32InheritedGitDirIsIgnored(t *testing.T) {
	user := project(t)
	before, err := os.ReadFile(filepath.Join(user, ".git/config"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_DIR", filepath.Join(user, ".git"))
	t.Setenv("GIT_WORK_TREE", user)
	t.Setenv("GIT_INDEX_FILE", filepath.Join(user, ".git/index"))
	mine := t.TempDir()
	r := find(t).At(Place{Dir: mine})
	if _, err := r.Run(t.Context(), "init", "-q", "--bare"); err != nil {
		t.Fatal(err)
	}
	if dir, err := r.Line(t.Context(), "rev-parse", "--absolute-git-dir"); err != nil || !sameFile(dir, mine) {
		t.Errorf("git works in %s: %v", dir, err)
	}
	if after, _ := os.ReadFile(filepath.Join(user, ".git/config")); !bytes.Equal(before, after) {
		t.Errorf("the user's config is now\n%s", after)
	}
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func TestErrorsCarryCodeAndStderr(t *testing.T) {
	t.Parallel()
	r := find(t).At(Place{Dir: t.TempDir()})
	_, err := r.Run(t.Context(), "rev-parse", "HEAD")
	var e *Error
	if !errors.As(err, &e) || e.Code != 128 || !strings.Contains(e.Stderr, "not a git repository") || !Exited(err, 128) {
		t.Errorf("%#v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	if _, err := r.Run(ctx, "version"); !errors.Is(err, why) || Exited(err, -1) {
		t.Errorf("cancelled: %v", err)
	}
}

// A cancelled call ends although a child of git holds its output open.
func TestCancelKillsTheGroup(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := find(t).At(Place{Config: []string{"alias.wait=!echo started; exec sleep 1000"}})
	pr, pw := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- r.Do(ctx, Call{Args: []string{"wait"}, Stdout: pw}) }()
	if line, err := bufio.NewReader(pr).ReadString('\n'); err != nil || line != "started\n" {
		t.Fatal(line, err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	t.Parallel()
	w := &tail{max: 5}
	for _, s := range []string{"ab", "cdef", "", "0123456789", "x"} {
		if n, err := io.WriteString(w, s); n != len(s) || err != nil {
			t.Fatal(n, err)
		}
	}
	if got := w.String(); got != "6789x" {
		t.Errorf("kept %q", got)
	}
}

func TestDiscover(t *testing.T) {
	t.Parallel()
	g := find(t)
	for _, c := range []struct {
		name  string
		make  func(t *testing.T, dir string) string // returns the folder to ask about
		check func(dir string, f Facts) bool
	}{
		{"a plain repository", func(_ *testing.T, dir string) string { return dir }, func(dir string, f Facts) bool {
			return f.Top == dir && f.GitDir == filepath.Join(dir, ".git") && f.CommonDir == f.GitDir && f.Prefix == "" &&
				f.Branch == "refs/heads/main" && len(f.Head) == 40 && !f.Unborn && !f.Bare && !f.Shallow &&
				!f.Partial && !f.LFS && !f.Submodules && f.Doing == "" && len(f.Locks) == 0 && f.ObjectFormat == "sha1"
		}},
		{"a folder in it", func(_ *testing.T, dir string) string { return filepath.Join(dir, "sub") },
			func(dir string, f Facts) bool {
				return f.Top == dir && f.Prefix == "sub/" && f.CommonDir == filepath.Join(dir, ".git")
			}},
		{"detached", func(t *testing.T, dir string) string {
			gittest.Person(t, dir, "checkout", "-q", "--detach")
			return dir
		},
			func(_ string, f Facts) bool { return f.Branch == "" && !f.Unborn && f.Head != "" }},
		{"unborn", func(t *testing.T, dir string) string {
			gittest.Person(t, dir, "checkout", "-q", "--orphan", "new")
			return dir
		}, func(_ string, f Facts) bool { return f.Unborn && f.Head == "" && f.Branch == "refs/heads/new" }},
		{"a linked work tree", func(t *testing.T, dir string) string {
			other := filepath.Join(t.TempDir(), "w")
			gittest.Person(t, dir, "worktree", "add", "-q", "--detach", other)
			return other
		}, func(dir string, f Facts) bool {
			return f.Top != dir && f.CommonDir == filepath.Join(dir, ".git") && strings.HasPrefix(f.GitDir, f.CommonDir+"/worktrees/")
		}},
		{"bare", func(t *testing.T, dir string) string {
			other := filepath.Join(t.TempDir(), "bare")
			gittest.Person(t, dir, "clone", "-q", "--bare", dir, other)
			return other
		}, func(_ string, f Facts) bool { return f.Bare && f.Top == "" && f.Head != "" }},
		{"shallow", func(t *testing.T, dir string) string {
			gittest.Person(t, dir, "commit", "-q", "--allow-empty", "-m", "two")
			other := filepath.Join(t.TempDir(), "shallow")
			gittest.Person(t, dir, "clone", "-q", "--depth=1", "file://"+dir, other)
			return other
		}, func(_ string, f Facts) bool { return f.Shallow && !f.Partial }},
		{"partial", func(t *testing.T, dir string) string {
			gittest.Person(t, dir, "config", "uploadpack.allowFilter", "true")
			other := filepath.Join(t.TempDir(), "partial")
			gittest.Person(t, dir, "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+dir, other)
			return other
		}, func(_ string, f Facts) bool { return f.Partial }},
		{"in a merge, F18", func(t *testing.T, dir string) string {
			gittest.Put(t, filepath.Join(dir, ".git/MERGE_HEAD"), "x")
			return dir
		}, func(_ string, f Facts) bool { return f.Doing == "merge" }},
		{"in a rebase, F18", func(t *testing.T, dir string) string {
			gittest.Put(t, filepath.Join(dir, ".git/rebase-merge/done"), "")
			return dir
		}, func(_ string, f Facts) bool { return f.Doing == "rebase" }},
		{"in a bisect, F18", func(t *testing.T, dir string) string {
			gittest.Person(t, dir, "bisect", "start")
			return dir
		}, func(_ string, f Facts) bool { return f.Doing == "bisect" }},
		{"with locks left, F30", func(t *testing.T, dir string) string {
			for _, l := range []string{"index.lock", "HEAD.lock", "config.lock", "refs/heads/main.lock"} {
				gittest.Put(t, filepath.Join(dir, ".git", l), "")
			}
			return dir
		}, func(dir string, f Facts) bool {
			return len(f.Locks) == 4 && slices.Contains(f.Locks, filepath.Join(dir, ".git/refs/heads/main.lock"))
		}},
		{"with LFS and without git-lfs, F35 B12", func(t *testing.T, dir string) string {
			gittest.Put(t, filepath.Join(dir, "deep/.gitattributes"), "*.bin filter=lfs diff=lfs merge=lfs -text\n")
			gittest.Person(t, dir, "add", ".")
			gittest.Person(t, dir, "commit", "-q", "-m", "lfs")
			return dir
		}, func(_ string, f Facts) bool { return f.LFS && !f.Submodules }},
		{"with a submodule, B7", func(t *testing.T, dir string) string {
			gittest.Person(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", project(t), "m")
			gittest.Person(t, dir, "commit", "-q", "-m", "sub")
			return dir
		}, func(_ string, f Facts) bool { return f.Submodules && !f.LFS }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := project(t)
			f, err := g.Discover(t.Context(), c.make(t, dir))
			if err != nil || !c.check(dir, f) {
				t.Errorf("%+v, %v", f, err)
			}
		})
	}
}

func TestDiscoverRefuses(t *testing.T) {
	t.Parallel()
	g := find(t)
	file := filepath.Join(t.TempDir(), "f")
	gittest.Put(t, file, "")
	for name, dir := range map[string]string{"no repository": t.TempDir(), "no folder": filepath.Join(t.TempDir(), "x"), "a file": file} {
		if _, err := g.Discover(t.Context(), dir); clade.FaultOf(err) != clade.FaultNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDiscoverRefusesAnotherUsersRepository(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("SUDO_UID", "")
	os.Unsetenv("SUDO_UID")
	dir := project(t)
	for _, path := range []string{dir, filepath.Join(dir, ".git")} {
		if err := os.Chown(path, 12345, 12345); err != nil {
			t.Fatal(err)
		}
	}
	var p *clade.Problem
	_, err := find(t).Discover(t.Context(), dir)
	if !errors.As(err, &p) || p.Fault != clade.FaultEnvironment || !strings.Contains(p.Hint, "safe.directory "+dir) {
		t.Errorf("%v", err)
	}
	gittest.Put(t, filepath.Join(os.Getenv("HOME"), ".gitconfig"), "[safe]\n\tdirectory = "+dir+"\n")
	if _, err := find(t).Discover(t.Context(), dir); err != nil {
		t.Errorf("trusted by the user: %v", err)
	}
}

// F18, H15: status tells every kind apart, runs nothing and writes nothing.
func TestStatus(t *testing.T) {
	t.Parallel()
	dir := project(t)
	marker := filepath.Join(t.TempDir(), "ran")
	gittest.Put(t, filepath.Join(dir, ".gitattributes"), "* filter=evil\n")
	gittest.Put(t, filepath.Join(dir, ".gitignore"), "ignored\n")
	gittest.Person(t, dir, "add", ".")
	gittest.Person(t, dir, "commit", "-q", "-m", "attributes")
	gittest.Put(t, filepath.Join(dir, "staged"), "")
	gittest.Person(t, dir, "add", "staged")
	if err := os.Remove(filepath.Join(dir, "staged")); err != nil {
		t.Fatal(err)
	}
	evil := func(what string) string { return "echo " + what + " >>" + marker + "; cat" }
	for _, kv := range [][2]string{{"core.fsmonitor", evil("fsmonitor")}, {"filter.evil.clean", evil("clean")}, {"filter.evil.smudge", evil("smudge")},
		{"filter.evil.required", "true"}, {"core.hooksPath", filepath.Join(dir, ".git/hooks")}} {
		gittest.Person(t, dir, "config", kv[0], kv[1])
	}
	gittest.Put(t, filepath.Join(dir, ".git/hooks/post-index-change"), "#!/bin/sh\n"+evil("hook"))
	for name, data := range map[string]string{"a": "1\n", "sub/b": "changed\n", "new\n\"file\xff": "", "ignored": ""} {
		gittest.Put(t, filepath.Join(dir, name), data)
	}
	old := time.Unix(1_000_000_000, 0) // the index knows another time, which git would like to mend
	if err := os.Chtimes(filepath.Join(dir, "a"), old, old); err != nil {
		t.Fatal(err)
	}
	r := find(t).At(Place{Dir: filepath.Join(dir, ".git"), WorkTree: dir})
	before, _ := os.ReadFile(filepath.Join(dir, ".git/index"))
	s, err := r.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := Status{Staged: []string{"staged"}, Unstaged: []string{"staged", "sub/b"}, Untracked: []string{"new\n\"file\xff"}, Ignored: []string{"ignored"}}
	if fmt.Sprint(s) != fmt.Sprint(want) || s.Clean() {
		t.Errorf("%q and not %q", s, want)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, ".git/index")); !bytes.Equal(before, after) {
		t.Error("the index was written")
	}
	if ran, err := os.ReadFile(marker); err == nil {
		t.Errorf("commands of the repository's configuration ran: %s", ran)
	}
}

// B12: what status needs of a filter is nothing, not even that its program is
// there: the file has other bytes, of the same number.
func TestB12StatusWithoutTheFiltersProgram(t *testing.T) {
	t.Parallel()
	dir := project(t)
	gittest.Put(t, filepath.Join(dir, ".gitattributes"), "sub/* filter=gone\n")
	gittest.Person(t, dir, "add", ".")
	gittest.Person(t, dir, "commit", "-q", "-m", "attributes")
	for _, part := range []string{"clean", "smudge", "process"} {
		gittest.Person(t, dir, "config", "filter.gone."+part, "no-such-program-of-clade")
	}
	gittest.Person(t, dir, "config", "filter.gone.required", "true")
	gittest.Put(t, filepath.Join(dir, "sub/b"), "3\n")
	s, err := find(t).At(Place{Dir: filepath.Join(dir, ".git"), WorkTree: dir}).Status(t.Context())
	if want := (Status{Unstaged: []string{"sub/b"}}); err != nil || fmt.Sprint(s) != fmt.Sprint(want) {
		t.Errorf("%q, %v", s, err)
	}
}

func TestParseStatus(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("0", 40)
	s, err := parseStatus([]byte("# branch.oid x\x00" +
		"1 MM N... 100644 100644 100644 " + id + " " + id + " a b\x00" +
		"2 R. N... 100644 100644 100644 " + id + " " + id + " R100 to\x00from\x00" +
		"u UU N... 100644 100644 100644 100644 " + id + " " + id + " " + id + " clash\x00? un\ntracked\x00! ig\x00"))
	want := Status{Staged: []string{"a b", "to"}, Unstaged: []string{"a b"}, Conflicted: []string{"clash"}, Untracked: []string{"un\ntracked"}, Ignored: []string{"ig"}}
	if err != nil || fmt.Sprint(s) != fmt.Sprint(want) {
		t.Errorf("%q, %v", s, err)
	}
	for _, bad := range []string{"1 MM", "? a", "x y\x00", "1 M N 1 1 1 1 1 1\x00"} {
		if _, err := parseStatus([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("1 MM N... 100644 100644 100644 0 0 a\x00? b\x00! c\x00"))
	f.Add([]byte("2 R. N... 1 1 1 0 0 R1 to\x00from\x00u UU N... 1 1 1 1 0 0 0 x\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := parseStatus(b)
		if n := len(s.Staged) + len(s.Unstaged) + len(s.Conflicted) + len(s.Untracked) + len(s.Ignored); err == nil && n > 2*bytes.Count(b, []byte{0}) {
			t.Errorf("%d paths in %q", n, b)
		}
	})
}

func TestCatFile(t *testing.T) {
	t.Parallel()
	dir := project(t)
	r := find(t).At(Place{Dir: filepath.Join(dir, ".git")})
	blob := gittest.Person(t, dir, "rev-parse", "HEAD:a")
	none := strings.Repeat("1", 40)
	c := r.Contents()
	defer c.Close()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			o, err := c.Get(blob)
			if err != nil || string(o.Data) != "1\n" || o.Type != "blob" || o.Size != 2 {
				t.Errorf("%+v, %v", o, err)
			}
			if _, err := c.Get(none); !errors.Is(err, ErrMissing) {
				t.Errorf("missing: %v", err)
			}
		})
	}
	all.Wait()
	many := slices.Repeat([]string{blob, none}, 1000)
	n := 0
	if err := c.Each(many, func(i int, _ Object, err error) error {
		n++
		if errors.Is(err, ErrMissing) != (many[i] == none) {
			return fmt.Errorf("%d: %w", i, err)
		}
		return nil
	}); err != nil || n != len(many) {
		t.Errorf("%d answers: %v", n, err)
	}
	for _, bad := range []string{"", "a\nb", "a\x00"} {
		if _, err := c.Get(bad); err == nil || errors.Is(err, ErrMissing) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	infos := r.Infos()
	defer infos.Close()
	if o, err := infos.Get(blob); err != nil || o.Data != nil || o.Size != 2 {
		t.Errorf("%+v, %v", o, err)
	}
	if err := infos.Close(); err != nil {
		t.Error(err)
	}
	if _, err := infos.Get(blob); !errors.Is(err, ErrEnded) {
		t.Errorf("after closing: %v", err)
	}
}

// A cat-file that was killed is followed by another.
func TestCatFileStartsAgain(t *testing.T) {
	t.Parallel()
	dir := project(t)
	blob := gittest.Person(t, dir, "rev-parse", "HEAD:a")
	c := find(t).At(Place{Dir: filepath.Join(dir, ".git")}).Contents()
	defer c.Close()
	for range 3 {
		if _, err := c.Get(blob); err != nil {
			t.Fatal(err)
		}
		if err := c.p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Get(blob); err != nil && !errors.Is(err, ErrEnded) {
			t.Errorf("after a kill: %v", err)
		}
	}
}

func FuzzReadObject(f *testing.F) {
	f.Add([]byte("0123 blob 3\nabc\n"))
	f.Add([]byte("0123 missing\n"))
	f.Add([]byte("0123 blob 99999999999\nabc\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := readObject(bufio.NewReader(bytes.NewReader(b)), true)
		if err == nil && int64(len(o.Data)) != o.Size {
			t.Errorf("%+v from %q", o, b)
		}
	})
}

func TestFastImport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := find(t).At(Place{Dir: dir})
	if _, err := r.Run(t.Context(), "init", "-q", "--bare"); err != nil {
		t.Fatal(err)
	}
	w, err := r.FastImport()
	if err != nil {
		t.Fatal(err)
	}
	blob := func(mark int, data string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "blob\nmark :%d\ndata %d\n%s\n", mark, len(data), data)
			return err
		}
	}
	id, err := w.Make(1, blob(1, "x"))
	if want := "c1b0730e0133df8e9e6a8e5ac1dbe6bc3ac5d4b8"; err != nil || len(id) != len(want) {
		t.Fatal(id, err)
	}
	if err := w.Checkpoint(); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Line(t.Context(), "cat-file", "blob", id); err != nil || got != "x" {
		t.Errorf("after a checkpoint: %q, %v", got, err)
	}
	second, err := w.Make(2, blob(2, "y"))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Line(t.Context(), "cat-file", "blob", second); err != nil || got != "y" {
		t.Errorf("after closing: %q, %v", got, err)
	}
	if _, err := w.Make(3, blob(3, "z")); !errors.Is(err, ErrEnded) {
		t.Errorf("after closing: %v", err)
	}
	w, err = r.FastImport()
	if err != nil {
		t.Fatal(err)
	}
	if _, err = w.Make(1, func(w io.Writer) error { _, err := io.WriteString(w, "nonsense\n"); return err }); !errors.Is(err, ErrEnded) {
		t.Errorf("nonsense: %v", err)
	}
	if err := w.Checkpoint(); !errors.Is(err, ErrEnded) {
		t.Errorf("after nonsense: %v", err)
	}
}

// Either end of a pipe may fail; both are ended and the first reason returned.
func TestPipe(t *testing.T) {
	t.Parallel()
	dir := project(t)
	user := find(t).At(Place{Dir: filepath.Join(dir, ".git")})
	pack := Call{Args: []string{"pack-objects", "-q", "--revs", "--stdout"}, Stdin: strings.NewReader("HEAD\n")}
	to := find(t).At(Place{Dir: t.TempDir()})
	if _, err := user.Pipe(t.Context(), pack, to, Call{Args: []string{"index-pack", "--stdin"}}); err == nil || !strings.HasPrefix(err.Error(), "git index-pack: exit 128") {
		t.Errorf("no repository to write to: %v", err)
	}
	if _, err := to.Run(t.Context(), "init", "-q", "--bare"); err != nil {
		t.Fatal(err)
	}
	pack.Stdin = strings.NewReader("nowhere\n")
	if _, err := user.Pipe(t.Context(), pack, to, Call{Args: []string{"index-pack", "--stdin"}}); err == nil || !strings.Contains(err.Error(), "pack-objects") {
		t.Errorf("nothing to read: %v", err)
	}
	pack.Stdin = strings.NewReader("HEAD\n")
	if out, err := user.Pipe(t.Context(), pack, to, Call{Args: []string{"index-pack", "--stdin"}}); err != nil || !strings.HasPrefix(string(out), "pack\t") {
		t.Errorf("%q, %v", out, err)
	}
}

// F35, B12: nothing is fetched for the pointers of large files, wherever a
// filter for them should run after all.
func TestF35LargeFilesAreNotFetched(t *testing.T) {
	t.Parallel()
	r := find(t).At(Place{Config: []string{`alias.tell=!printf %s "$GIT_LFS_SKIP_SMUDGE$GIT_NO_LAZY_FETCH $GIT_ALLOW_PROTOCOL"`}})
	if out, err := r.Line(t.Context(), "tell"); err != nil || out != "11 none" {
		t.Errorf("%q, %v", out, err)
	}
}
