package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// F2: whoever dies while it recovers leaves everything to do once more: the
// commits that the log keeps stay there until they are on disk, however often.
func TestF2RecoveringTwiceIsRecoveringOnce(t *testing.T) {
	t.Parallel()
	whole := newBench(t, spec("generational"))
	n := updates(t, whole)
	want := decisions(t, whole.log())
	b := newBench(t, spec("generational"))
	if err := b.run(&fragileLog{Log: b.log(), left: n / 2, after: true}, newWorld(1), context.Background()); !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	kept := pending(t, b)
	if len(kept) == 0 {
		t.Fatal("the log keeps no commit")
	}
	for death := range 2 {
		dying := &faultyLedger{left: 1}
		if err := b.runOver(dying, b.log(), newWorld(2), context.Background()); !errors.Is(err, errIO) {
			t.Fatal(err)
		}
		if got := pending(t, b); !slices.Equal(got, kept) || !slices.Equal(dying.restored, kept) {
			t.Errorf("death %d: %q restored, %q kept, want %q", death, dying.restored, got, kept)
		}
	}
	last := &faultyLedger{}
	if err := b.runOver(last, b.log(), newWorld(3), context.Background()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(last.restored, kept) {
		t.Errorf("%q restored, want %q", last.restored, kept)
	}
	if got := decisions(t, b.log()); !slices.Equal(got, want) {
		t.Errorf("other decisions: %q, want %q", first(got, want), first(want, got))
	}
}

// pending are the commits whose bytes the log keeps.
func pending(t *testing.T, b *bench) (commits []string) {
	t.Helper()
	made, err := b.log().Pending(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range made {
		commits = append(commits, m.Commit)
	}
	return commits
}
