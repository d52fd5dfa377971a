package cli

import (
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/door/run"
)

func TestAim(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{"2.5": 2.5, "-1e3": -1000, "0": 0} {
		if ch, err := aim(run.Changes{}, text); err != nil || ch.NoTarget || *ch.Target != want {
			t.Errorf("%q: %+v, %v", text, ch, err)
		}
	}
	if ch, err := aim(run.Changes{}, "none"); err != nil || !ch.NoTarget || ch.Target != nil {
		t.Errorf("none: %+v, %v", ch, err)
	}
	for _, text := range []string{"", "NaN", "Inf", "-inf", "1e999", "2.5x", "None"} {
		if ch, err := aim(run.Changes{}, text); clade.FaultOf(err) != clade.FaultUsage {
			t.Errorf("%q: %+v, %v", text, ch, err)
		}
	}
}
