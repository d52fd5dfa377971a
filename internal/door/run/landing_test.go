package run

import (
	"testing"

	"github.com/cladehq/clade"
)

func TestLanding(t *testing.T) {
	t.Parallel()
	won := clade.Head{Run: "r", Winner: 3, Stop: clade.StopCandidates}
	open := won
	open.Stop = clade.StopNone
	for _, c := range []struct {
		name string
		head clade.Head
		in   *clade.Applying
		mend string
	}{
		{"nothing", won, nil, ""},
		{"the winner", won, &clade.Applying{Winner: 3}, "clade apply r"},
		{"another", won, &clade.Applying{Winner: 2}, "clade apply r --candidate 2 --unproven"},
		{"the winner of a run that goes on", open, &clade.Applying{Winner: 3}, "clade apply r --candidate 3 --unproven"},
		{"an undo", won, &clade.Applying{Winner: 2, Undo: true}, "clade undo r"},
	} {
		c.head.Applying = c.in
		got := landing(&c.head)
		if got == nil {
			if c.mend != "" {
				t.Errorf("%s: nothing is said", c.name)
			}
			continue
		}
		if got.Mend != c.mend || got.Candidate != c.in.Winner || got.Undo != c.in.Undo {
			t.Errorf("%s: %+v, want %s", c.name, *got, c.mend)
		}
	}
}
