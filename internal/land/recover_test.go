package land_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/land"
)

// everything is a change of every kind.
var (
	everythingBefore = files{"a": "1\n", "gone/f": "2\n", "s": "3\n", "l": "-> a", "x": "x 4\n", "d/b": "5\n", "f/o": "6\n", "f/p/q": "7\n"}
	everything       = files{"a": "9\n", "gone/f": "", "s": "", "s/in": "3\n", "l": "-> x", "x": "4\n", "d/b": "", "d": "-> a", "f/o": "", "f/p/q": "", "f": "8\n", "n/e/w": "x 6\n"}
)

// power is what a process that ends at a step leaves behind.
type power struct{}

// cut ends what do does at the n-th side of a step that it passes, counted from
// 0, and reports whether it passed that many.
func (w *world) cut(n int, do func()) (happened bool) {
	defer func() {
		w.Step = nil
		if r := recover(); r != nil {
			if _, ok := r.(power); !ok {
				panic(r)
			}
			happened = true
		}
	}()
	w.Step = func(string, string) {
		if n--; n < 0 {
			panic(power{})
		}
	}
	do()
	return false
}

// F4, I10: ended at any step, an apply or an undo is completed by whatever comes
// next. What a killed process leaves is tested with the real program; here the
// stack unwinds, and staged files are swept by it.
func TestCompletedAfterACrashF4(t *testing.T) {
	t.Parallel()
	w := plain(t, everythingBefore, everything)
	before := w.image()
	n := 0
	for more := true; more; n++ {
		more = w.cut(n, w.mustApply)
		done, err := w.Recover(t.Context())
		if err != nil || (done != nil) != more {
			t.Fatalf("cut at %d: recovered %v, %v", n, done, err)
		}
		w.holds(everything)
		w.mustUndo()
		w.same(before, fmt.Sprintf("cut at %d, completed and undone", n))
	}
	if want := 2 + 4*len(everything) + 1; n != want { // staging, then path and rename, both sides of each
		t.Errorf("%d steps, want %d", n, want)
	}
}

func TestCommitCompletedAfterACrashF4(t *testing.T) {
	t.Parallel()
	w := ours(t, files{"a": "1\n", "gone/f": "1\n"}, files{"a": "9\n", "gone/f": ""})
	base := w.line("rev-parse", "HEAD")
	for n, more := 0, true; more; n++ {
		more = w.cut(n, w.mustApply)
		done, err := w.Recover(t.Context())
		if err != nil || (done != nil) != more {
			t.Fatalf("cut at %d: recovered %v, %v", n, done, err)
		}
		w.holds(files{"a": "9\n", "gone/f": ""})
		if s := w.person("status", "--porcelain"); s != "" || w.line("rev-parse", "HEAD^") != base {
			t.Errorf("cut at %d: status says %q", n, s)
		}
		w.mustUndo()
		w.person("reset", "-q", "--hard", base)
	}
}

func TestUndoCompletedAfterACrashF4(t *testing.T) {
	t.Parallel()
	w := plain(t, everythingBefore, everything)
	before := w.image()
	for n, more := 0, true; more; n++ {
		w.mustApply()
		more = w.cut(n, w.mustUndo)
		done, err := w.Recover(t.Context())
		if err != nil || (done != nil) != more || more && !done.Undo {
			t.Fatalf("cut at %d: recovered %v, %v", n, done, err)
		}
		w.same(before, fmt.Sprintf("cut at %d and completed", n))
		refused(t, w.undo(), clade.FaultUsage)
	}
}

// What the person did between a crash and its recovery is theirs.
func TestChangesAfterACrash(t *testing.T) {
	t.Parallel()
	change := files{"a": "9\n", "b": "9\n", "c": "9\n"}
	before := files{"a": "1\n", "b": "1\n", "c": "1\n"}
	t.Run("half way: put back but for the changed one", func(t *testing.T) {
		t.Parallel()
		w := plain(t, before, change)
		w.cut(6, w.mustApply) // a is written: stage 2, a 4
		w.holds(files{"a": "9\n", "b": "1\n"})
		w.put(files{"b": "mine\n"})
		_, err := w.Recover(t.Context())
		refused(t, err, clade.FaultConflict, `"b"`)
		w.holds(files{"a": "1\n", "b": "mine\n", "c": "1\n"})
		w.open(false)
	})
	t.Run("at the end: nothing is put back", func(t *testing.T) {
		t.Parallel()
		w := plain(t, before, change)
		w.cut(13, w.mustApply)
		w.holds(change)
		w.put(files{"b": "mine\n"})
		_, err := w.Recover(t.Context())
		must(t, err)
		w.holds(files{"a": "9\n", "b": "mine\n", "c": "9\n"})
		w.open(false)
	})
	t.Run("after HEAD moved: nothing is put back", func(t *testing.T) {
		t.Parallel()
		w := ours(t, before, change)
		w.cut(15, w.mustApply) // after land-head
		w.put(files{"b": "mine\n", "new": "mine\n"})
		w.person("add", "new")
		w.person("commit", "-q", "-m", "mine")
		work := w.work()
		_, err := w.Recover(t.Context())
		must(t, err)
		if got := w.work(); got != work {
			t.Errorf("was %q and is %q", work, got)
		}
		w.open(false)
	})
}

// open checks whether the log has an intent that is not closed.
func (w *world) open(want bool) {
	w.t.Helper()
	must(w.t, w.Log.View(w.t.Context(), func(v clade.View) error {
		if got := v.Head().Applying != nil; got != want {
			w.t.Errorf("an intent is open: %v", got)
		}
		return nil
	}))
}

// A file that changes between the comparison and its replacement is not lost.
func TestChangedWhileItIsWritten(t *testing.T) {
	t.Parallel()
	w := plain(t, files{"a": "1\n", "b": "1\n"}, files{"a": "9\n", "b": "9\n", "n/f": "9\n"})
	w.Step = func(label, side string) {
		if label == land.StepStage && side == "after" {
			w.Step = nil
			w.put(files{"b": "mine\n"})
		}
	}
	refused(t, w.apply(), clade.FaultConflict, `"b"`)
	w.holds(files{"a": "1\n", "b": "mine\n", "n": "", "n/f": ""})
	w.open(false)
	if l := w.leftovers(); len(l) > 0 {
		t.Errorf("left behind: %q", l)
	}
	refused(t, w.undo(), clade.FaultUsage)
}

func TestChangedAfterThePreview(t *testing.T) {
	t.Parallel()
	w := plain(t, files{"a": "1\n"}, files{"a": "9\n"})
	p, err := w.Preview(t.Context(), candidate)
	must(t, err)
	w.put(files{"a": "mine\n"})
	before := w.image()
	_, err = w.Apply(t.Context(), p)
	refused(t, err, clade.FaultConflict, `"a"`)
	w.same(before, "a refused apply")
}

// What a killed process staged is swept, wherever it lay, and nothing else is.
func TestStagedFilesAreSwept(t *testing.T) {
	t.Parallel()
	w := plain(t, files{"a": "1\n", "d/e/f": "1\n"}, files{"a": "9\n", "d/e/f": "9\n"})
	var staged []string
	w.Step = func(label, side string) {
		if label == land.StepStage && side == "after" {
			staged = w.leftovers()
			panic(power{})
		}
	}
	func() {
		defer func() { _ = recover() }()
		_ = w.apply()
	}()
	w.Step = nil
	if len(staged) != 2 {
		t.Fatalf("staged %q", staged)
	}
	for _, p := range staged {
		w.put(files{p: "half"})
	}
	mine := files{".clade-landing-a": "mine\n", "d/.clade-0": "mine\n"}
	w.put(mine)
	_, err := w.Recover(t.Context())
	must(t, err)
	w.holds(files{"a": "9\n", "d/e/f": "9\n"})
	w.holds(mine)
	for _, p := range staged {
		w.holds(files{p: ""})
	}
}

// An apply that has begun to write does not stop half way when it is told to.
func TestACancelledApplyEnds(t *testing.T) {
	t.Parallel()
	w := plain(t, files{"a": "1\n", "b": "1\n"}, files{"a": "9\n", "b": "9\n"})
	ctx, cancel := context.WithCancel(t.Context())
	w.Step = func(string, string) { cancel() }
	p, err := w.Preview(ctx, candidate)
	must(t, err)
	_, err = w.Apply(ctx, p)
	must(t, err)
	w.holds(files{"a": "9\n", "b": "9\n"})
	w.open(false)
}

// An undo needs the ledger only: the bytes are kept before the first is written.
func TestKeptBytesAreOnDisk(t *testing.T) {
	t.Parallel()
	w := plain(t, files{"a": "1\n"}, files{"a": "9\n"})
	w.mustApply()
	must(t, w.Log.View(t.Context(), func(clade.View) error { return nil }))
	var in clade.Applying
	must(t, w.Log.Read(t.Context(), 0, func(r clade.Record) error {
		if a, ok := r.Event.(clade.Applying); ok {
			in = a
		}
		return nil
	}))
	bad, err := w.Ledger.Check(t.Context(), []string{in.Before, in.After})
	if err != nil || len(bad) > 0 {
		t.Errorf("missing: %q, %v", bad, err)
	}
	objects, err := os.ReadDir(strings.TrimSuffix(w.Patch, "winner.patch") + "ledger.git/objects/pack")
	if err != nil || len(objects) == 0 {
		t.Errorf("the ledger has %d files on disk, %v", len(objects), err)
	}
}
