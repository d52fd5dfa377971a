package evolution

import (
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format/evolution"
	"github.com/cladehq/clade/internal/strategy"
	"github.com/cladehq/clade/internal/strategy/generational"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

const axesFile = `evolution_id: 1
slug: axes
created_at: 2026-05-08T14:30:00Z
updated_at: 2026-05-08T14:30:00Z
objective: Compare
budget: {max_variants: 12, parallel: 4}
gates:
  - {id: G1, description: builds, cmd: make}
rubric:
  - {id: R1, description: ms, direction: minimize, cmd: ./a, weight: 0.1}
  - {id: R2, description: bytes, direction: minimize, cmd: ./b, weight: 0.2}
  - {id: R3, description: features, direction: maximize, cmd: ./c, weight: 0.3}
variants: []
`

// The candidate that a run proves is the one that leads the table, whatever ties,
// failures, twins and variants of others there are.
func TestTheFinalIsOfWhoLeadsTheTable(t *testing.T) {
	t.Parallel()
	finals := 0
	for seed := range uint64(60) {
		doc, err := evolution.Open("evolution.yaml", []byte(axesFile))
		if err != nil {
			t.Fatal(err)
		}
		s := *doc.Evolution.Spec("evolution.yaml")
		s.Seed, s.Search = seed, clade.Search{Strategy: "generational", Batch: 4, Parents: 2, Names: "v%d"}
		s.Operators, s.Final.Leader, s.Budget.Candidates = []clade.Operator{{Use: "agent"}}, clade.LeaderComposite, 12
		w := strategytest.World{Spec: &s, Value: func(_ clade.View, r strategytest.Reading) float64 {
			return float64(1 + clade.Draw(seed, r.Measure.ID, r.Of.ID)%(2+seed%3))
		}}
		w.Fails = func(l *clade.Life) (clade.Class, string) {
			if l.Proposes() && clade.Draw(seed, "fails", l.ID)%4 == 0 {
				return clade.ClassOperator, "nothing"
			}
			return clade.OK, ""
		}
		try := func(v clade.View, l *clade.Life) clade.Outcome {
			o := w.Try(v, l)
			if twin := v.Life(l.ID - 1); l.Proposes() && clade.Draw(seed, "twin", l.ID)%2 == 0 && twin.Proposes() && !twin.Open && twin.Same == 0 && twin.Scored {
				o.Same, o.Evaluations = twin.ID, nil
			}
			return o
		}
		log := []clade.Record{{Seq: 1, Event: clade.Opened{Run: "r", Spec: s, Base: "base", Tree: "tree"}}}
		for i, a := range []clade.Adopted{ // what is thought of, v1, comes after what is made
			{Name: "v1", Parents: []string{"v3"}, Generation: 2, Hypothesis: "think"},
			{Name: "v3", Generation: 1, Given: &clade.Given{Commit: "c3", Tree: "t3"}}, {Name: "v2", Generation: 1, Given: &clade.Given{Commit: "c2", Tree: "t2"}},
		} {
			log = append(log, clade.Record{Seq: int64(i) + 2, Event: clade.Noted{Note: a.Note()}})
		}
		state, _, err := strategytest.Run{Spec: s, Try: try, Slots: 3, Order: seed, Search: func(s *clade.Spec) strategy.Search {
			return strategy.NewCampaign(generational.New(s, nil))
		}}.Continue(log)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := project(doc.Evolution, state, false)
		row, led := evolution.Leader(evolution.Score(want))
		last := state.Life(state.Head().Count)
		if !led || last.Proposes() {
			t.Errorf("seed %d: nobody leads, or there was no final: %s", seed, state.Head().Reason)
			continue
		}
		finals++
		leads := map[string]bool{}
		for id := clade.Base; id <= state.Head().Count; id++ { // by its own tree, or the one that it shares
			if l := state.Life(id); id == last.ParentOr() || l.Same == last.ParentOr() {
				leads[l.Name] = true
			}
		}
		if !leads[row.Variant.ID] {
			t.Errorf("seed %d: the final is of %v, and %s leads: %+v", seed, leads, row.Variant.ID, evolution.Score(want))
		}
	}
	if finals < 50 {
		t.Errorf("only %d finals", finals)
	}
}
