package bare_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/git/gittest"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/ledger/bare"
)

// victim names the variable that makes the test binary a process to be killed:
// its value is a ledger.
const victim = "CLADE_TEST_VICTIM"

func TestMain(m *testing.M) {
	if dir := os.Getenv(victim); dir != "" {
		if err := commitForever(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// commitForever makes a chain of commits, says what it made and waits.
func commitForever(dir string) error {
	ctx := context.Background()
	l, err := bare.Open(ctx, dir)
	if err != nil {
		return err
	}
	var made []ledger.Made
	var parents []string
	from := ""
	for i := range 20 {
		m, err := l.Commit(ctx, ledger.Draft{Parents: parents, From: from, Message: fmt.Sprint("commit ", i),
			Changes: []ledger.Change{{Path: fmt.Sprintf("d%d/f", i%3), Mode: ledger.ModeFile, Data: fmt.Append(nil, i)}}})
		if err != nil {
			return err
		}
		if i == 4 {
			if err := l.Sync(ctx); err != nil {
				return err
			}
		}
		made, parents, from = append(made, m), []string{m.Commit}, m.Commit
	}
	if err := json.NewEncoder(os.Stdout).Encode(made); err != nil {
		return err
	}
	select {} // until killed
}

// F3: a process is killed after it has named its commits and before it synced.
func TestF3RestoreAfterKill(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "ledger")
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victim+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, as intended
	var made []ledger.Made
	if err := json.Unmarshal(line, &made); err != nil {
		t.Fatal(err)
	}

	l := open(t, dir)
	defer l.Close()
	ids := make([]string, len(made))
	for i, m := range made {
		ids[i] = m.Commit
	}
	bad, err := l.Check(t.Context(), ids)
	if err != nil || !slices.Equal(bad, ids[5:]) {
		t.Fatalf("lost are %d of %d, 15 were not synced: %v", len(bad), len(ids), err)
	}
	for _, m := range made {
		if err := l.Restore(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if bad, err := l.Check(t.Context(), ids); err != nil || len(bad) > 0 {
		t.Errorf("still lost: %v, %v", bad, err)
	}
	if got := modesAndPaths(t, l, ids[19]); !slices.Equal(got, []string{"100644 d0/f", "100644 d1/f", "100644 d2/f"}) {
		t.Errorf("restored %q", got)
	}
	gittest.Person(t, dir, "fsck", "--strict", "--no-dangling")
}

// litter is what a killed process may leave in a repository.
var litter = []string{"HEAD.lock", "config.lock", "packed-refs.lock", "refs/clade/r/1.lock", "objects/pack/tmp_pack_x1y2z3",
	"objects/pack/tmp_idx_x1y2z3", "objects/ab/tmp_obj_x1y2z3", "fast_import_crash_4711", "index.lock", "objects/pack/pack-x.keep"}

// B28, F30: the first to open a ledger heals it; nobody does while another has
// it open.
func TestB28StaleLocksAreHealed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "ledger")
	first := open(t, dir)
	m, err := first.Commit(t.Context(), ledger.Draft{})
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range litter {
		gittest.Put(t, filepath.Join(dir, name), "")
	}
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range litter {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("removed while the ledger was in use: %v", err)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	l := open(t, dir)
	defer l.Close()
	for _, name := range litter {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	if err := l.Name(t.Context(), map[string]string{"refs/clade/r/1": m.Commit}); err != nil {
		t.Error(err)
	}
}

// Many syncs make many packs; the next to open the ledger puts them together
// and loses nothing, named or not.
func TestManyPacksAreJoined(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "ledger")
	l := open(t, dir)
	var ids []string
	for i := range 45 {
		m, err := l.Commit(t.Context(), ledger.Draft{Changes: []ledger.Change{{Path: "f", Mode: ledger.ModeFile, Data: fmt.Append(nil, i)}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, m.Commit)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, dir)
	defer l.Close()
	packs, err := filepath.Glob(filepath.Join(dir, "objects/pack/*.pack"))
	if err != nil || len(packs) >= 45 {
		t.Errorf("%d packs: %v", len(packs), err)
	}
	if bad, err := l.Check(t.Context(), ids); err != nil || len(bad) > 0 {
		t.Errorf("lost: %v, %v", bad, err)
	}
}

// F15's cousin: a folder that is something else is neither used nor changed.
func TestOpenRefusesAnotherFolder(t *testing.T) {
	t.Parallel()
	dir := project(t)
	before := digest(t, dir)
	for _, at := range []string{dir, filepath.Join(dir, ".git")} {
		if l, err := bare.Open(t.Context(), at); err == nil {
			l.Close()
			t.Errorf("%s was opened", at)
		}
	}
	if digest(t, dir) != before {
		t.Error("the folder has changed")
	}
	empty := t.TempDir()
	if err := open(t, empty).Close(); err != nil {
		t.Error(err)
	}
}

// Eight processes' worth of first openers make one ledger. B13.
func TestB13OpenedAtOnce(t *testing.T) {
	t.Parallel()
	for range 3 {
		dir := filepath.Join(t.TempDir(), "deep", "ledger")
		errs := make(chan error)
		for range 8 {
			go func() {
				l, err := bare.Open(t.Context(), dir)
				if err == nil {
					_, err = l.Commit(t.Context(), ledger.Draft{})
				}
				if err == nil {
					err = l.Close()
				}
				errs <- err
			}()
		}
		for range 8 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".ledger-*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

// B19, decision 11: a pack shows one commit and no history, and others may
// borrow its objects.
func TestB19PackHoldsOneCommit(t *testing.T) {
	t.Parallel()
	l := open(t, filepath.Join(t.TempDir(), "ledger"))
	defer l.Close()
	base, err := l.Import(t.Context(), ledger.Source{Git: project(t)})
	if err != nil {
		t.Fatal(err)
	}
	m, err := l.Commit(t.Context(), ledger.Draft{Parents: []string{base.Commit}, From: base.Commit, Message: "the answer",
		Changes: []ledger.Change{{Path: "a", Delete: true}, {Path: "b", Mode: ledger.ModeExec, Data: []byte("b")}}})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "pack")
	if err := l.Pack(t.Context(), m.Commit, dir); err != nil {
		t.Fatal(err)
	}
	gittest.Person(t, dir, "fsck", "--strict")
	if got := gittest.Person(t, dir, "for-each-ref", "--format=%(refname)"); got != "refs/heads/main" {
		t.Errorf("refs are %q", got)
	}
	if got := gittest.Person(t, dir, "log", "--all", "--reflog", "--format=%T %s%P"); got != m.Tree+" base" {
		t.Errorf("history is %q", got)
	}
	// one commit, the root and sub/ trees, and .gitattributes, b and sub/b.bin
	if got := strings.Count(gittest.Person(t, dir, "cat-file", "--batch-all-objects", "--batch-check"), "\n") + 1; got != 6 {
		t.Errorf("it holds %d objects", got)
	}
	for _, unwanted := range []string{"hooks", "logs", "clade-ledger", "objects/info/alternates", "description"} {
		if _, err := os.Stat(filepath.Join(dir, unwanted)); err == nil {
			t.Errorf("it has %s", unwanted)
		}
	}
	borrower := t.TempDir()
	gittest.Person(t, borrower, "init", "-q")
	gittest.Put(t, filepath.Join(borrower, ".git/objects/info/alternates"), filepath.Join(dir, "objects")+"\n")
	if got := gittest.Person(t, borrower, "ls-tree", "-r", "--name-only", m.Tree); got != ".gitattributes\nb\nsub/b.bin" {
		t.Errorf("borrowed %q", got)
	}
}

// The branch that fast-import insists on never becomes a ref.
func TestNoRefIsMadeUnasked(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "ledger")
	l := open(t, dir)
	for range 3 {
		if _, err := l.Commit(t.Context(), ledger.Draft{Message: "m"}); err != nil {
			t.Fatal(err)
		}
		if err := l.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(filepath.Join(dir, "refs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("%s was written", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A commit whose tree or file is missing is broken; so are its children, and
// nobody else.
func TestCheckFindsWhatIsMissing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "ledger")
	l := open(t, dir)
	defer l.Close()
	good, err := l.Commit(t.Context(), ledger.Draft{Message: "good"})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	pipe := func(in string, args ...string) string {
		cmd := exec.Command("git", append([]string{"--git-dir", dir, "-c", "user.name=p", "-c", "user.email=p@localhost"}, args...)...)
		cmd.Stdin = strings.NewReader(in)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	tree := pipe("100644 blob "+strings.Repeat("1", 40)+"\tx\n", "mktree", "--missing")
	broken := pipe("m", "commit-tree", tree)
	child := pipe("m", "commit-tree", "-p", broken, good.Tree)
	asked := []string{good.Commit, child, broken, good.Commit}
	bad, err := l.Check(t.Context(), asked)
	if want := []string{child, broken}; err != nil || !slices.Equal(bad, want) {
		t.Errorf("broken are %q and not %q: %v", bad, want, err)
	}
}

// After Close nothing is answered: no git is started again.
func TestClosedIsClosed(t *testing.T) {
	t.Parallel()
	l := open(t, filepath.Join(t.TempDir(), "ledger"))
	m, err := l.Commit(t.Context(), ledger.Draft{Message: "m"})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Commit(t.Context(), ledger.Draft{Message: "n"}); err == nil {
		t.Error("committed")
	}
	if _, err := l.Read(t.Context(), m.Tree); err == nil {
		t.Error("read")
	}
}
