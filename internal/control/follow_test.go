package control

import (
	"errors"
	"slices"
	"testing"

	"github.com/cladehq/clade"
)

// Follow goes on while somebody holds the run, and yields what was written
// until that moment.
func TestFollow(t *testing.T) {
	t.Parallel()
	r := newHouse(t).run("disc-aaaaa", "one", 1)
	lease := r.holding(t)
	r.add(t, clade.Ticked{Active: 1})
	var kinds []string
	err := r.Follow(t.Context(), 1, func(rec clade.Record) error {
		kinds = append(kinds, rec.Event.Kind())
		switch rec.Event.(type) {
		case clade.Ticked:
			r.add(t, clade.Directed{What: clade.DirectSteer, Text: "left"})
		case clade.Directed:
			r.add(t, clade.Stopped{Cause: clade.StopDone, Reason: "done"})
		case clade.Stopped:
			return lease.Release()
		}
		return nil
	})
	if want := []string{"ticked", "directed", "stopped"}; err != nil || !slices.Equal(kinds, want) {
		t.Errorf("%q, %v, want %q", kinds, err, want)
	}
}

// Without a holder there is nothing to wait for.
func TestFollowIdle(t *testing.T) {
	t.Parallel()
	r := newHouse(t).run("disc-aaaaa", "one", 1)
	r.add(t, clade.Ticked{Active: 1}, clade.Ticked{Active: 2})
	var seqs []int64
	err := r.Follow(t.Context(), 2, func(rec clade.Record) error {
		seqs = append(seqs, rec.Seq)
		return nil
	})
	if err != nil || !slices.Equal(seqs, []int64{3}) {
		t.Errorf("%v, %v", seqs, err)
	}
}

func TestTailEndsWithItsReader(t *testing.T) {
	t.Parallel()
	r := newHouse(t).run("disc-aaaaa", "one", 1)
	enough := errors.New("enough")
	n := 0
	err := r.Tail(t.Context(), 0, func(clade.Record) error {
		if n++; n == 3 {
			return enough
		}
		r.add(t, clade.Ticked{Active: 1})
		return nil
	})
	if !errors.Is(err, enough) || n != 3 {
		t.Errorf("%v after %d", err, n)
	}
}
