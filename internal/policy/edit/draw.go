package edit

import (
	"math"
	"math/rand/v2"
	"strconv"
)

// Source is the generator for everything that follows from one draw.
func Source(draw uint64) *rand.Rand { return rand.New(rand.NewPCG(draw, 0x636c616465)) }

const (
	// tau is the strength of the log-normal adaptation of a step. Beyer and
	// Schwefel give 1/√(2√n) for n moved together: 0.3 to 0.7 for the handful
	// that one attempt moves.
	tau = 0.3
	// farthest bounds a draw, in steps.
	farthest = 20
	// lineMost is how many literals of one line move together.
	lineMost = 8
)

// heavy draws from Student's t with two degrees of freedom (a normal over the
// root of an exponential with mean 1), held within ±farthest and away from 0.
func heavy(g *rand.Rand) float64 {
	z := g.NormFloat64() / math.Sqrt(g.ExpFloat64())
	if math.Abs(z) < 0.01 || math.IsNaN(z) {
		return math.Copysign(0.01, z)
	}
	return math.Max(-farthest, math.Min(farthest, z))
}

func grow(g *rand.Rand) float64 { return short(math.Exp(tau * g.NormFloat64())) }

// short keeps four significant digits, so that a brief stays readable.
func short(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	return y
}

// place draws a position among things that are counted later.
func place(g *rand.Rand) float64 { return math.Floor(g.Float64()*1e9) / 1e9 }

// moves draws the changes of numbers for a kind. far is for a fresh start.
func moves(g *rand.Rand, k Kind, far bool) []Move {
	one := func(n int, line bool) Move {
		m := Move{At: place(g), Line: line, Z: make([]float64, n), Grow: make([]float64, n)}
		for i := range n {
			m.Z[i], m.Grow[i] = short(heavy(g)), grow(g)
		}
		return m
	}
	switch {
	case far:
		return several(g, 0.85, one)
	case k == NumberLine:
		return []Move{one(lineMost, true)}
	case k == NumberFew:
		return several(g, 0.5, one)
	}
	return []Move{one(1, false)}
}

// several draws at least two single moves, one more with probability more.
func several(g *rand.Rand, more float64, one func(int, bool) Move) []Move {
	ms := []Move{one(1, false), one(1, false)}
	for len(ms) < 16 && g.Float64() < more {
		ms = append(ms, one(1, false))
	}
	return ms
}
