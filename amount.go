package clade

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Microdollars is an amount of money: 1e-6 US dollars. Its JSON is a decimal
// number of dollars, exact to the last digit.
type Microdollars int64

func (m Microdollars) String() string {
	sign, n := "", m
	if n < 0 {
		sign, n = "-", -n
	}
	frac := strings.TrimRight(fmt.Sprintf("%06d", n%1e6), "0")
	if len(frac) < 2 {
		frac += strings.Repeat("0", 2-len(frac))
	}
	return fmt.Sprintf("%s%d.%s", sign, n/1e6, frac)
}

// MarshalJSON implements json.Marshaler.
func (m Microdollars) MarshalJSON() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalJSON implements json.Unmarshaler. More than six decimals are refused.
func (m *Microdollars) UnmarshalJSON(b []byte) error {
	s := strings.TrimSuffix(strings.TrimPrefix(string(b), `"`), `"`)
	neg := strings.HasPrefix(s, "-")
	whole, frac, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	if len(frac) > 6 || whole+frac == "" || strings.HasPrefix(whole+frac, "+") {
		return fmt.Errorf("%s is no amount of dollars; write it like 2.50", b)
	}
	v, err := strconv.ParseInt(whole+frac+strings.Repeat("0", 6-len(frac)), 10, 64)
	if err != nil || v < 0 {
		return fmt.Errorf("%s is no amount of dollars; write it like 2.50", b)
	}
	if neg {
		v = -v
	}
	*m = Microdollars(v)
	return nil
}

// An Amount is what was, may be or will be spent. Negative fields are invalid.
type Amount struct {
	Microdollars Microdollars  `json:"usd,omitempty"`
	Tokens       int64         `json:"tokens,omitempty"`
	Calls        int64         `json:"calls,omitempty"` // requests to a model
	Wall         time.Duration `json:"wall,omitempty"`
	// Unknown says nobody reported the money: the try is settled at its hold.
	Unknown bool `json:"unknown,omitempty"`
	// Assumed says that nobody reported a part of it: in its place stands the
	// most that this part can have been.
	Assumed bool `json:"assumed,omitempty"`
}

// Plus returns the sum, each field at most what it can hold; the sum is unknown,
// or assumed in part, if either part is.
func (a Amount) Plus(b Amount) Amount {
	return Amount{
		Microdollars: sum(a.Microdollars, b.Microdollars), Tokens: sum(a.Tokens, b.Tokens),
		Calls: sum(a.Calls, b.Calls), Wall: sum(a.Wall, b.Wall),
		Unknown: a.Unknown || b.Unknown, Assumed: a.Assumed || b.Assumed,
	}
}

// sum is a + b without overflow: whoever spends so much has spent it all.
func sum[N ~int64](a, b N) N {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

// Minus returns a − b, each field at least 0.
func (a Amount) Minus(b Amount) Amount {
	return Amount{
		Microdollars: max(0, sum(a.Microdollars, -b.Microdollars)), Tokens: max(0, sum(a.Tokens, -b.Tokens)),
		Calls: max(0, sum(a.Calls, -b.Calls)), Wall: max(0, sum(a.Wall, -b.Wall)), Unknown: a.Unknown, Assumed: a.Assumed,
	}
}

// AtMost fills in what nobody reported with the most that it can have been: of
// money, if that is unknown, and of tokens and calls, where none are said,
// everything that hold bounds.
func (a Amount) AtMost(hold Amount) Amount {
	was := a
	if a.Unknown {
		a.Microdollars = max(a.Microdollars, hold.Microdollars)
	}
	if a.Tokens == 0 {
		a.Tokens = hold.Tokens
	}
	if a.Calls == 0 {
		a.Calls = hold.Calls
	}
	a.Assumed = a.Assumed || a != was
	return a
}

// IsZero reports whether nothing was spent and that is known.
func (a Amount) IsZero() bool { return a == Amount{} }
