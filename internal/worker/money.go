package worker

import (
	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

// rest is what the try's hold still bears. A hold that names an amount leaves at
// least one unit of it, since nothing at all would be no bound.
func (p *try) rest() clade.Amount {
	h := p.Life.Hold
	left := h.Minus(p.rolled.Plus(p.paid))
	if h.Microdollars > 0 {
		left.Microdollars = max(1, left.Microdollars)
	}
	if h.Tokens > 0 {
		left.Tokens = max(1, left.Tokens)
	}
	if h.Calls > 0 {
		left.Calls = max(1, left.Calls)
	}
	return left
}

// usedUp reports whether nothing is left of some kind that the hold names.
func (p *try) usedUp() bool {
	h, used := p.Life.Hold, p.rolled.Plus(p.paid)
	return h.Microdollars > 0 && used.Microdollars >= h.Microdollars || h.Tokens > 0 && used.Tokens >= h.Tokens || h.Calls > 0 && used.Calls >= h.Calls
}

// left is what an agent may use that answers a case. One token bears no request,
// while one call would be one too many.
func (p *try) left() llm.Cap {
	r := p.rest()
	if p.usedUp() {
		r.Tokens = 1
	}
	return llm.Cap{Microdollars: r.Microdollars, Tokens: r.Tokens, Calls: r.Calls}
}

// spend counts what an agent used that answered a case.
func (p *try) spend(a clade.Amount) {
	a.Unknown = a.Unknown && p.Life.Hold.Microdollars > 0
	a.Wall = 0
	p.rolled = p.rolled.Plus(a)
}
