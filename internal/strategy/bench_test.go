package strategy_test

import (
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

// A whole run of 10,000 candidates, everything but the evaluation in it: what is
// printed per attempt bounds the time of its decisions from above.
func BenchmarkRunOf10000(b *testing.B) {
	for _, name := range strategies {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s := spec(name, clade.NoiseNone, 10_000)
				w := strategytest.World{Spec: &s, Value: func(_ clade.View, r strategytest.Reading) float64 {
					return float64(clade.Draw(1, "score", r.Of.ID) % 1000)
				}}
				if _, _, err := (strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 4}).Do(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/10_000, "µs/attempt")
		})
	}
}

// One decision late in a run: judge one candidate and plan the next.
func BenchmarkDecisionAt10000(b *testing.B) {
	for _, name := range strategies {
		b.Run(name, func(b *testing.B) {
			s := spec(name, clade.NoiseNone, 20_000)
			w := strategytest.World{Spec: &s, Value: func(_ clade.View, r strategytest.Reading) float64 {
				return float64(clade.Draw(1, "score", r.Of.ID) % 10) // one long plateau
			}}
			state, _, _ := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 4, Most: 40_000}.Do()
			if state.Head().Count < 10_000 {
				b.Fatalf("only %d attempts", state.Head().Count)
			}
			c := search(&s)
			for b.Loop() {
				c.Judge(state)
				c.Next(state, 1)
			}
		})
	}
}
