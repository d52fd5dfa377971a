package run

import (
	"fmt"

	"github.com/cladehq/clade"
)

// reached refuses to go on with a run that stopped at its target unless that is
// taken away or moved to where nothing has come yet: anything else would stop
// again at once.
func reached(v clade.View, ch Changes) error {
	h := v.Head()
	if h.Stop != clade.StopTarget || ch.NoTarget || len(h.Spec.Measures) == 0 {
		return nil
	}
	m, best := h.Spec.Measures[0], h.Best
	for id := range v.Frontier() {
		best = id
		break
	}
	have, ok := v.Life(best).Values[m.ID]
	if ch.Target != nil && (!ok || m.Goal.Sign()*(*ch.Target-have) > 0) {
		return nil
	}
	p := &clade.Problem{Fault: clade.FaultUsage, Text: "run " + h.Run + " has ended: " + h.Reason,
		Hint: fmt.Sprintf("--target VALUE (%s is at %s) or --target none searches on", m.ID, Number(have))}
	if h.Winner != clade.Base {
		p.Hint = "clade apply lands its winner; " + p.Hint
	}
	return p
}
