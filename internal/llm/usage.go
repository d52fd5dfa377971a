package llm

import (
	"math"
	"math/bits"

	"github.com/cladehq/clade"
)

// Usage is what a reply used, in tokens. Input does not include what was read
// from or written to a cache.
type Usage struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	Output     int64 `json:"output"`
	// Reported is false when the service did not say.
	Reported bool `json:"reported,omitempty"`
	// Unsaid counts the requests of a sum that did not say; see Silent.
	Unsaid int64 `json:"unsaid,omitempty"`
}

// TokensMost is more than any request or reply has of one kind: a service that
// says more has not said what it used.
const TokensMost = 1_000_000_000

// Plausible reports whether every count is from 0 to TokensMost.
func (u Usage) Plausible() bool {
	for _, n := range []int64{u.Input, u.CacheRead, u.CacheWrite, u.Output} {
		if n < 0 || n > TokensMost {
			return false
		}
	}
	return true
}

// Tokens is the sum of all kinds, at most what an int64 holds.
func (u Usage) Tokens() int64 {
	return sum(sum(u.Input, u.CacheRead), sum(u.CacheWrite, u.Output))
}

// Silent is how many requests did not say what they used.
func (u Usage) Silent() int64 {
	if u.Reported {
		return 0
	}
	return max(1, u.Unsaid)
}

// Plus is the sum; it is reported only if both parts are. What a single request
// used until it broke off is no part of it.
func (u Usage) Plus(v Usage) Usage {
	u, v = u.whole(), v.whole()
	return Usage{
		Input: sum(u.Input, v.Input), CacheRead: sum(u.CacheRead, v.CacheRead), CacheWrite: sum(u.CacheWrite, v.CacheWrite),
		Output: sum(u.Output, v.Output), Reported: u.Reported && v.Reported, Unsaid: u.Unsaid + v.Unsaid,
	}
}

// whole is the usage of requests that said all of it, with the number of those
// that did not.
func (u Usage) whole() Usage {
	if !u.Reported && u.Unsaid == 0 {
		return Usage{Unsaid: 1}
	}
	return u
}

// sum is a + b for counts that are not negative, without overflow.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Cost is what the usage costs at a price, rounded up to a microdollar and at
// most what Microdollars hold. A negative count costs nothing. A nil price gives
// ok false.
func Cost(p *clade.Price, u Usage) (cost clade.Microdollars, ok bool) {
	if p == nil {
		return 0, false
	}
	read, write := p.Input, p.Input
	if p.CacheRead != nil {
		read = *p.CacheRead
	}
	if p.CacheWrite != nil {
		write = *p.CacheWrite
	}
	// Microdollars per million tokens times tokens: 1e-12 dollars, of which there
	// may be more than 64 bits hold.
	var high, low uint64 = 0, 999_999
	for _, part := range [][2]int64{{int64(p.Input), u.Input}, {int64(read), u.CacheRead}, {int64(write), u.CacheWrite}, {int64(p.Output), u.Output}} {
		h, l := bits.Mul64(uint64(max(0, part[0])), uint64(max(0, part[1])))
		var carry uint64
		low, carry = bits.Add64(low, l, 0)
		high, _ = bits.Add64(high, h, carry)
	}
	const million = 1_000_000
	if high >= million {
		return math.MaxInt64, true
	}
	whole, _ := bits.Div64(high, low, million)
	return clade.Microdollars(min(whole, math.MaxInt64)), true
}

// Affords is how many tokens an amount buys at a price per million, at most what
// an int64 holds: without a price, any number.
func Affords(left, perMillion clade.Microdollars) int64 {
	switch {
	case left < 0:
		return 0
	case perMillion <= 0:
		return math.MaxInt64
	}
	high, low := bits.Mul64(uint64(left), 1_000_000)
	if high >= uint64(perMillion) {
		return math.MaxInt64
	}
	tokens, _ := bits.Div64(high, low, uint64(perMillion))
	return int64(min(tokens, math.MaxInt64))
}
