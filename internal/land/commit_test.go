package land_test

import (
	"os"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
)

// ours makes a repository whose winner is to be committed.
func ours(t *testing.T, before, change files) *world {
	w := repository(t, before, change)
	w.Commit, w.Message = true, "Sort faster"
	return w
}

func (w *world) line(args ...string) string { return strings.TrimSpace(w.person(args...)) }

func TestCommit(t *testing.T) {
	t.Parallel()
	for _, c := range changes {
		if !c.index {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := ours(t, c.before, c.change)
			parent := w.line("rev-parse", "HEAD")
			before := w.image()
			w.mustApply()
			w.holds(c.change)
			if s := w.person("status", "--porcelain"); s != "" {
				t.Errorf("status says %q", s)
			}
			if got := w.line("log", "-1", "--format=%P %an <%ae> %cn %B"); got != parent+" Per Son <per@localhost> Per Son Sort faster" {
				t.Errorf("committed %q", got)
			}
			if got := w.line("symbolic-ref", "HEAD"); got != "refs/heads/main" {
				t.Errorf("HEAD is %s", got)
			}
			if got := w.line("reflog", "-1", "--format=%gs"); got != "clade apply: candidate 1" {
				t.Errorf("the reflog says %q", got)
			}
			w.person("fsck", "--strict")
			head := w.line("rev-parse", "HEAD")
			w.mustUndo()
			if got := w.line("rev-parse", "HEAD"); got != head {
				t.Error("undo has moved HEAD")
			}
			for _, p := range differs(before, w.image()) {
				if p != ".git" && !strings.HasPrefix(p, ".git/") {
					t.Errorf("not put back: %q", p)
				}
			}
			if got := w.person("diff", "--cached", "--name-only"); got != "" {
				t.Errorf("undo has staged %q", got)
			}
		})
	}
}

// The commit holds the change and nothing else of the person's, staged or not.
func TestCommitLeavesOtherWorkAlone(t *testing.T) {
	t.Parallel()
	w := ours(t, files{"a": "1\n", "b": "1\n", "c": "1\n"}, files{"a": "2\n"})
	w.put(files{"b": "staged\n", "c": "mine\n", "new": "mine\n"})
	w.person("add", "b")
	status := w.person("status", "--porcelain")
	w.mustApply()
	if got := w.line("show", "--name-only", "--format="); got != "a" {
		t.Errorf("committed %q", got)
	}
	if got := w.person("status", "--porcelain"); got != status {
		t.Errorf("status was %q and is %q", status, got)
	}
}

func TestCommitOnADetachedHead(t *testing.T) {
	t.Parallel()
	w := ours(t, files{"a": "1\n"}, files{"a": "2\n"})
	w.person("checkout", "-q", "--detach")
	main := w.line("rev-parse", "main")
	w.mustApply()
	if got := w.line("rev-parse", "HEAD^"); got != main || w.line("rev-parse", "main") != main {
		t.Errorf("HEAD^ is %s, main %s", got, w.line("rev-parse", "main"))
	}
}

func TestCommitOfWhatIsAppliedAlready(t *testing.T) {
	t.Parallel()
	w := ours(t, files{"a": "1\n"}, files{"a": "2\n"})
	w.Commit = false
	w.mustApply()
	w.Commit = true
	w.mustApply()
	if got := w.line("show", "HEAD:a"); got != "2" || w.person("status", "--porcelain") != "" {
		t.Errorf("HEAD has %q, status %q", got, w.person("status", "--porcelain"))
	}
}

func TestCommitInALinkedWorktree(t *testing.T) {
	t.Parallel()
	w := repository(t, files{"a": "1\n"}, files{"a": "2\n"})
	before := w.line("rev-parse", "main")
	side := w.root + "-side"
	w.person("worktree", "add", "-q", "-b", "side", side)
	w.Root, w.root, w.Source, w.Commit = side, side, ledger.Source{Git: side}, true
	w.mustApply()
	if w.line("rev-parse", "side^") != before || w.line("rev-parse", "main") != before || w.person("status", "--porcelain") != "" {
		t.Errorf("side is %s, main %s, status %q", w.line("rev-parse", "side"), w.line("rev-parse", "main"), w.person("status", "--porcelain"))
	}
}

func TestCommitIsRefused(t *testing.T) {
	t.Parallel()
	t.Run("in a plain folder", func(t *testing.T) {
		t.Parallel()
		w := plain(t, files{"a": "1\n"}, files{"a": "2\n"})
		w.Commit = true
		refused(t, w.apply(), clade.FaultUsage, "no repository")
		w.holds(files{"a": "1\n"})
	})
	t.Run("of somebody without a name", func(t *testing.T) {
		t.Parallel()
		w := ours(t, files{"a": "1\n"}, files{"a": "2\n"})
		w.person("config", "--remove-section", "user")
		before := w.image()
		refused(t, w.apply(), clade.FaultEnvironment, "does not know who you are")
		w.same(before, "a refused apply")
	})
	t.Run("over staged work", func(t *testing.T) {
		t.Parallel()
		w := ours(t, files{"a": "1\n"}, files{"a": "2\n"})
		w.put(files{"a": "mine\n"})
		w.person("add", "a")
		w.put(files{"a": "2\n"}) // what is on disk would do
		before := w.image()
		refused(t, w.apply(), clade.FaultConflict, `"a" has staged changes`)
		w.same(before, "a refused apply")
	})
	t.Run("when HEAD has moved since the preview", func(t *testing.T) {
		t.Parallel()
		w := ours(t, files{"a": "1\n", "b": "1\n"}, files{"a": "2\n"})
		p, err := w.Preview(t.Context(), candidate)
		must(t, err)
		w.put(files{"b": "mine\n"})
		w.person("commit", "-qam", "mine")
		tree := w.work()
		_, err = w.Apply(t.Context(), p)
		refused(t, err, clade.FaultConflict, "HEAD has moved")
		if got := w.work(); got != tree {
			t.Errorf("the work tree was %q and is %q", tree, got)
		}
	})
}

// work is the state of HEAD, the index and the files, without unnamed objects.
func (w *world) work() string {
	return w.person("rev-parse", "HEAD") + w.person("ls-files", "-s") + w.person("status", "--porcelain") + w.person("diff")
}

// HEAD moves by compare-and-swap: who commits between the files and HEAD wins,
// and the files and index entries are put back.
func TestHeadMovesLastI10(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(w *world)
		words     string
	}{
		"another commit": {func(w *world) { w.person("commit", "-q", "--allow-empty", "-m", "mine") }, "HEAD has moved"},
		"a lock":         {func(w *world) { w.put(files{".git/index.lock": ""}) }, "index.lock"},
		"a lock of HEAD": {func(w *world) { w.put(files{".git/HEAD.lock": ""}) }, "HEAD.lock"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := ours(t, files{"a": "1\n", "d/b": "1\n"}, files{"a": "2\n", "d/b": "", "n": "1\n"})
			var then string
			w.Step = func(label, side string) {
				if label == "land-head" && side == "before" {
					w.Step = nil
					c.meanwhile(w)
					then = w.person("rev-parse", "HEAD")
				}
			}
			err := w.apply()
			refused(t, err, clade.FaultOf(err), c.words)
			if clade.FaultOf(err) == "" {
				t.Errorf("%v is nobody's problem", err)
			}
			must(t, rm(w.at(".git/index.lock"), w.at(".git/HEAD.lock")))
			if got := w.person("rev-parse", "HEAD"); got != then {
				t.Error("HEAD has moved")
			}
			if s := w.person("status", "--porcelain"); s != "" {
				t.Errorf("status says %q", s)
			}
			w.holds(files{"a": "1\n", "d/b": "1\n", "n": ""})
			w.mustApply()
			w.holds(files{"a": "2\n", "d/b": "", "n": "1\n"})
		})
	}
}

func rm(paths ...string) error {
	for _, p := range paths {
		if err := os.Remove(p); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}
