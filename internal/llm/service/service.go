// Package service gives out clients of models, so that all who ask one service
// with one key share what is known of it, and one set of connections.
package service

import (
	"fmt"
	"sync"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

// A Dial makes the client of a service as one provider speaks.
type Dial func(m clade.Model, lookup func(name string) (string, bool), l llm.Limits) (llm.Client, error)

// Parts are what clients are made of.
type Parts struct {
	// Dial is by the name of the provider.
	Dial map[string]Dial
	// Lookup reads variables of the user's environment, as os.LookupEnv does.
	Lookup func(name string) (string, bool)
	Limits llm.Limits
	// Guard wraps the one client of each service, for instance in retries and a
	// breaker. nil: it is not wrapped.
	Guard func(llm.Client) llm.Client
}

// Services gives out clients. It is safe for concurrent use.
type Services struct {
	parts Parts

	mu    sync.Mutex
	known map[account]llm.Client
}

// An account is a service as somebody in particular: what one key is refused,
// another may be granted.
type account struct {
	provider string
	llm.Endpoint
}

// New knows no service yet.
func New(p Parts) *Services { return &Services{parts: p, known: map[account]llm.Client{}} }

// Client is the client of a model's service. Two models of the same service and
// key have the same. Nothing is sent; the error is that of llm.Reach.
func (s *Services) Client(m clade.Model) (llm.Client, error) {
	at, err := llm.Reach(m, s.parts.Lookup)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	who := account{m.Provider, at}
	if c := s.known[who]; c != nil {
		return c, nil
	}
	dial := s.parts.Dial[m.Provider]
	if dial == nil {
		return nil, fmt.Errorf("model %s: no client speaks to %s", m.Name, m.Provider)
	}
	c, err := dial(m, s.parts.Lookup, s.parts.Limits)
	if err != nil {
		return nil, err
	}
	if s.parts.Guard != nil {
		c = s.parts.Guard(c)
	}
	s.known[who] = c
	return c, nil
}
