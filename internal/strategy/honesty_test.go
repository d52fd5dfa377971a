package strategy_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy/strategytest"
)

// 400 whole runs of 100 candidates that are all equal to the baseline: a test
// that is wrong with probability .05 declares more than 29 winners with
// probability .02 (binomial, 400 at .05). CLADE_LONG=1 has 400 runs of every kind.
func TestNothingToFindIsRarelyAWinner(t *testing.T) {
	t.Parallel()
	for _, noise := range []clade.Noise{clade.NoiseCases, clade.NoiseTiming} {
		for _, name := range strategies {
			t.Run(fmt.Sprintf("%s/%s", noise, name), func(t *testing.T) {
				t.Parallel()
				runs, most := 400, 29
				if os.Getenv("CLADE_LONG") == "" && (testing.Short() || name != "hillclimb") {
					runs, most = 60, 8 // binomial(60, .05): above 8 with probability .007
				}
				winners := 0
				for seed := range runs {
					s := spec(name, noise, 100)
					s.Seed = uint64(seed)
					w := noisyCases(&s, 20, 0)
					if noise == clade.NoiseCases {
						s.Dataset = &clade.Dataset{}
					} else {
						s.Measures[0].Goal = clade.Minimize
						w = noisyTimes(&s, .05, 0)
					}
					state, _, err := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 4, Order: uint64(seed)}.Do()
					if err != nil {
						t.Fatal(err)
					}
					if state.Head().Winner != clade.Base {
						winners++
					}
				}
				t.Logf("%d of %d", winners, runs)
				if winners > most {
					t.Errorf("%d of %d runs declare a winner, at most %d may", winners, runs, most)
				}
			})
		}
	}
}

// A person who lets runs without a winner search on, three times each, finds one
// in nothing with probability below twice the level: .0875 for rounds at .05,
// .025 and .0125. More than 16 of 100 have probability below .01.
func TestSearchingOnIsHonest(t *testing.T) {
	t.Parallel()
	const runs, most = 100, 16
	winners := 0
	for seed := range uint64(runs) {
		s := spec("race", clade.NoiseCases, 10)
		s.Seed, s.Dataset = seed, &clade.Dataset{}
		w := noisyCases(&s, 20, 0)
		r := strategytest.Run{Spec: s, Search: search, Try: w.Try, Slots: 4, Order: seed}
		state, log, err := r.Do()
		if err != nil {
			t.Fatal(err)
		}
		for round := 2; round <= 3 && state.Head().Winner == clade.Base; round++ {
			state, log = resumed(t, r, log, func(s *clade.Spec) { s.Budget.Candidates = 10 * round })
		}
		if state.Head().Winner != clade.Base {
			winners++
		}
	}
	t.Logf("%d of %d", winners, runs)
	if winners > most {
		t.Errorf("%d of %d runs declare a winner, at most %d may", winners, runs, most)
	}
}
