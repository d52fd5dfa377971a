package meter

import (
	"context"
	"crypto/subtle"
	"errors"
	"net"
	"sync"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

// least is how many tokens a reply must be allowed for a request to be worth
// passing on, unless the request itself asks for fewer.
const least = 256

// atOnce is how many requests of one session are looked at side by side; the
// others wait.
const atOnce = 16

var (
	errClosed = errors.New("the session is closed")
	errSpent  = errors.New("the budget does not bear the request")
)

// session implements llm.Session.
type session struct {
	gateway *gateway
	at      net.Listener
	model   clade.Model
	link    *llm.Link
	most    llm.Cap
	segment string
	key     string
	ctx     context.Context
	end     context.CancelFunc
	slots   chan struct{}
	large   chan struct{} // holds the one large request
	known   samples

	mu      sync.Mutex
	closed  bool
	running map[*hold]bool
	spent   clade.Amount // settled
	usage   llm.Usage
	refused int64
	last    *llm.Error
	settled chan struct{} // closed, and made anew, whenever a hold is settled
}

// A hold is the most a request that runs may cost.
type hold struct {
	output       int64 // tokens the reply may have
	microdollars clade.Microdollars
	tokens       int64
	replied      bool // the service has begun to
}

func newSession(g *gateway, m clade.Model, link *llm.Link, most llm.Cap, at net.Listener) *session {
	if m.Model == "" {
		m.Model = m.Name
	}
	ctx, end := context.WithCancel(context.Background())
	return &session{
		gateway: g, at: at, model: m, link: link, most: most, segment: secret(), key: "clade-" + secret(), ctx: ctx, end: end,
		slots: make(chan struct{}, atOnce), large: make(chan struct{}, 1), running: map[*hold]bool{}, usage: llm.Usage{Reported: true}, settled: make(chan struct{}),
	}
}

// Address implements llm.Session.
func (s *session) Address() string { return s.at.Addr().String() }

// BaseURL implements llm.Session.
func (s *session) BaseURL() string { return "http://" + s.Address() + prefix + s.segment }

// Key implements llm.Session.
func (s *session) Key() string { return s.key }

// admits reports whether a client knows the session's key.
func (s *session) admits(key string) bool {
	return subtle.ConstantTimeCompare([]byte(key), []byte(s.key)) == 1
}

// Close implements llm.Session.
func (s *session) Close() llm.Metered {
	s.gateway.forget(s)
	_ = s.at.Close()
	s.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for h := range s.running {
		if !h.replied && s.last == nil {
			s.last = s.link.Nonsense("the service had not replied when its client was ended")
			s.last.Kind = llm.KindNetwork
		}
		s.settle(h, nil)
	}
	m := llm.Metered{Spent: s.spent, Usage: s.usage, Refused: s.refused, Last: s.last}
	m.Spent.Unknown = m.Spent.Unknown || s.model.Price == nil && m.Spent.Calls > 0
	return m
}

// reserve takes from the cap the most that a request can cost whose input has at
// most so many tokens and which wants a reply of up to wanted. Near the cap it
// waits for what runs to be settled, for less than its hold as a rule; then it
// grants a shorter reply, or errSpent.
func (s *session) reserve(ctx context.Context, input, wanted int64) (*hold, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if s.closed {
			return nil, errClosed
		}
		granted := s.bears(input, wanted)
		if granted >= wanted || len(s.running) == 0 {
			if granted < min(least, wanted) {
				s.refused++
				s.last = &llm.Error{Kind: llm.KindBudget, Text: "refused before it was sent: it could cost more than is left of the cap"}
				return nil, errSpent
			}
			return s.hold(input, granted), nil
		}
		if err := s.wait(ctx); err != nil {
			return nil, err
		}
	}
}

// wait lets go of the lock until a hold is settled.
func (s *session) wait(ctx context.Context) error {
	settled := s.settled
	s.mu.Unlock()
	defer s.mu.Lock()
	select {
	case <-settled:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.ctx.Done():
		return errClosed
	}
}

// bears is how many tokens of a reply, at most wanted, the cap bears after the
// input; negative when it does not even bear that.
func (s *session) bears(input, wanted int64) int64 {
	used := s.spent
	for h := range s.running {
		used.Microdollars += h.microdollars
		used.Tokens += h.tokens
	}
	if s.most.Calls > 0 && used.Calls >= s.most.Calls { // requests that run are counted already
		return -1
	}
	if s.most.Tokens > 0 {
		wanted = min(wanted, s.most.Tokens-used.Tokens-input)
	}
	if s.most.Microdollars > 0 {
		left := s.most.Microdollars - used.Microdollars - s.price(input, 0)
		switch per := s.model.Price.Output; {
		case left < 0:
			return -1
		case per > 0:
			wanted = min(wanted, llm.Affords(left, per))
		}
	}
	return wanted
}

// price is the most that so many tokens cost, however the input is counted.
func (s *session) price(input, output int64) clade.Microdollars {
	p := s.model.Price
	if p == nil {
		return 0
	}
	dearest := p.Input
	for _, q := range []*clade.Microdollars{p.CacheRead, p.CacheWrite} {
		if q != nil {
			dearest = max(dearest, *q)
		}
	}
	cost, _ := llm.Cost(&clade.Price{Input: dearest, Output: p.Output}, llm.Usage{Input: input, Output: output})
	return cost
}

func (s *session) hold(input, output int64) *hold {
	h := &hold{output: output, microdollars: s.price(input, output), tokens: input + output}
	s.running[h] = true
	s.spent.Calls++
	return h
}

// settle ends a hold: with what the reply said it used, or at the most, when u
// is nil. Whoever comes second changes nothing. The lock is held.
func (s *session) settle(h *hold, u *llm.Usage) {
	if !s.running[h] {
		return
	}
	delete(s.running, h)
	close(s.settled)
	s.settled = make(chan struct{})
	if u == nil {
		s.spent.Microdollars += h.microdollars
		s.spent.Tokens += h.tokens
		s.spent.Assumed, s.usage.Reported = true, false
		return
	}
	cost, _ := llm.Cost(s.model.Price, *u)
	s.spent.Microdollars += cost
	s.spent.Tokens += u.Tokens()
	s.usage = s.usage.Plus(*u)
}

// replied takes note that the service has begun to reply.
func (s *session) replied(h *hold) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.replied = true
}

// unsent gives a hold back: the service never saw the request.
func (s *session) unsent(h *hold) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[h] {
		s.settle(h, &llm.Usage{Reported: true})
		s.spent.Calls--
	}
}

// free ends a hold that costs nothing: the service would not do it.
func (s *session) free(h *hold) { s.charge(h, &llm.Usage{Reported: true}) }

func (s *session) charge(h *hold, u *llm.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle(h, u)
}

// went keeps how the last request went, nil for well. What the end of the
// session itself broke off is no news of the service.
func (s *session) went(err *llm.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.last = err
	}
}
