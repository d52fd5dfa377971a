package llm

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/cladehq/clade"
)

// I3a: no usage and no price makes a cost or a sum that is negative.
func TestCostNeverWraps(t *testing.T) {
	t.Parallel()
	dear := &clade.Price{Input: 10_000_000_000, Output: 10_000_000_000}
	for name, c := range map[string]struct {
		price *clade.Price
		usage Usage
		want  clade.Microdollars
	}{
		"rounded up":    {&clade.Price{Input: 1, Output: 3_000_000}, Usage{Input: 1, Output: 2}, 7},
		"the reviewer":  {&clade.Price{Input: 2_000_000, Output: 8_000_000}, Usage{Input: 5_000_000_000_000, Output: 50}, 10_000_000_000_400},
		"above 64 bits": {dear, Usage{Input: math.MaxInt64, CacheRead: math.MaxInt64, CacheWrite: math.MaxInt64, Output: math.MaxInt64}, math.MaxInt64},
		"negative":      {dear, Usage{Input: -5, Output: math.MinInt64}, 0},
		"plausible":     {dear, Usage{Input: TokensMost, Output: TokensMost}, 20_000_000_000_000},
	} {
		if got, ok := Cost(c.price, c.usage); !ok || got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	u := Usage{Input: math.MaxInt64, Output: math.MaxInt64, Reported: true}
	if u.Tokens() != math.MaxInt64 || u.Plus(u).Input != math.MaxInt64 {
		t.Errorf("%d, %+v", u.Tokens(), u.Plus(u))
	}
}

// Cost and Affords are what exact arithmetic says.
func TestCostIsExact(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	million, most := big.NewInt(1_000_000), big.NewInt(math.MaxInt64)
	for range 2000 {
		p, n := rng.Int64()>>rng.IntN(62), rng.Int64()>>rng.IntN(62)
		exact := new(big.Int).Mul(big.NewInt(p), big.NewInt(n))
		exact.Add(exact, big.NewInt(999_999)).Div(exact, million)
		if exact.Cmp(most) > 0 {
			exact = most
		}
		if got, _ := Cost(&clade.Price{Output: clade.Microdollars(p)}, Usage{Output: n}); int64(got) != exact.Int64() {
			t.Fatalf("%d tokens at %d: %d, want %d", n, p, got, exact)
		}
		if p == 0 {
			continue
		}
		buys := new(big.Int).Mul(big.NewInt(n), million)
		if buys.Div(buys, big.NewInt(p)); buys.Cmp(most) > 0 {
			buys = most
		}
		if got := Affords(clade.Microdollars(n), clade.Microdollars(p)); got != buys.Int64() {
			t.Fatalf("%d buys at %d: %d, want %d", n, p, got, buys)
		}
	}
	if Affords(-1, 5) != 0 || Affords(5, 0) != math.MaxInt64 {
		t.Error("nothing is left, or nothing costs")
	}
}

// A sum knows how many of its requests did not say what they used.
func TestSilentRequestsAreCounted(t *testing.T) {
	t.Parallel()
	said := Usage{Input: 1, Reported: true}
	if n := said.Plus(said).Silent(); n != 0 {
		t.Error(n)
	}
	if n := said.Plus(Usage{}).Plus(said).Plus(Usage{Input: 3}).Silent(); n != 2 {
		t.Error(n)
	}
	if got, want := said.Plus(Usage{Input: 3, Output: 4}), (Usage{Input: 1, Unsaid: 1}); got != want {
		t.Errorf("%+v: half of a reply counts", got)
	}
}
