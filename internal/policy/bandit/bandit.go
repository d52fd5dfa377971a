// Package bandit chooses among operators by what they gained for what they cost:
// UCB1 with forgetting, an exploration share and cost awareness, with the
// constants that ShinkaEvolve uses for choosing models.
package bandit

import (
	"fmt"
	"math"
)

// Constants of the choice.
const (
	Bonus   = 1.0  // weight of uncertainty
	Epsilon = 0.2  // share of choices by the operators' own shares
	Decay   = 0.95 // of a pull's weight with each later one
	Thrift  = 0.5  // weight of cheapness against gain, where costs differ
	Window  = 200  // newest pulls that count: older ones weigh less than 1e-4
)

// A Pull is one attempt by an arm, oldest first among pulls.
type Pull struct {
	Arm  int
	Open bool    // no result yet: it counts as tried
	Gain float64 // what it improved on the better of parent and base; not below 0
	Cost float64 // in any unit that all pulls share; not below 0
}

// Choose picks one of the arms, given by their shares (of which one is above 0),
// with two random numbers in [0, 1). An arm with share 0 is never chosen. why is
// for people.
func Choose(shares []float64, pulls []Pull, u1, u2 float64) (arm int, why string) {
	if len(pulls) > Window {
		pulls = pulls[len(pulls)-Window:]
	}
	tried := make([]float64, len(shares)) // weights of all pulls
	stats := make([]stat, len(shares))
	total, top, most := 0.0, 0.0, 0.0
	for i, p := range pulls {
		w := math.Pow(Decay, float64(len(pulls)-1-i))
		tried[p.Arm] += w
		total += w
		if !p.Open {
			stats[p.Arm].add(w, p)
			top, most = max(top, p.Gain), max(most, p.Cost)
		}
	}
	for i := range shares {
		if shares[i] > 0 && tried[i] == 0 {
			return i, "not tried lately"
		}
	}
	if u1 < Epsilon {
		return byShare(shares, u2), "drawn by its share"
	}
	best := math.Inf(-1)
	for i := range shares {
		if shares[i] <= 0 {
			continue
		}
		value := stats[i].value(top, most)
		if ucb := value + Bonus*math.Sqrt(2*math.Log(1+total)/tried[i]); ucb > best {
			best, arm = ucb, i
			why = fmt.Sprintf("value %.2f, bound %.2f", value, ucb)
		}
	}
	return arm, why
}

// A stat is the weighted sums of an arm's pulls that have a result.
type stat struct{ weight, gain, cost float64 }

func (s *stat) add(w float64, p Pull) {
	s.weight += w
	s.gain += w * p.Gain
	s.cost += w * p.Cost
}

// value is gain and cheapness as shares of the largest seen, in [0, 1].
func (s *stat) value(top, most float64) float64 {
	if s.weight == 0 {
		return 0
	}
	gain := 0.0
	if top > 0 {
		gain = s.gain / s.weight / top
	}
	if most == 0 {
		return gain
	}
	cheap := 1 - s.cost/s.weight/most
	return (1-Thrift)*gain + Thrift*cheap*gain0(gain)
}

// gain0 keeps an arm that never gains from living off being cheap.
func gain0(gain float64) float64 {
	if gain == 0 {
		return 0
	}
	return 1
}

func byShare(shares []float64, u float64) int {
	total, last := 0.0, 0
	for i, s := range shares {
		if s > 0 {
			total += s
			last = i
		}
	}
	for i, s := range shares {
		if s <= 0 {
			continue
		}
		if u -= s / total; u < 0 {
			return i
		}
	}
	return last
}
