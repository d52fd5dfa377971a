package command

import (
	"context"
	"fmt"
	"sync"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
)

// flights are the cases that are being answered, so that attempts which ask the
// same at the same time pay once. The zero value is ready.
//
// Nobody who answers a case waits for another one, so that waiting never comes
// full circle, whatever slots the waiting attempts hold.
type flights struct {
	mu  sync.Mutex
	now map[evaluate.Key]*flight
}

// A flight is one case being answered by one attempt.
type flight struct {
	landed chan struct{} // closed when it has come to its end
	alone  bool          // read after landed: the candidate failed it, which serves nobody else
}

// board returns the flight of a key, and whether the caller flies it and must
// land it; else the caller waits for it.
func (f *flights) board(k evaluate.Key) (of *flight, mine bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if of = f.now[k]; of != nil {
		return of, false
	}
	if f.now == nil {
		f.now = map[evaluate.Key]*flight{}
	}
	of = &flight{landed: make(chan struct{})}
	f.now[k] = of
	return of, true
}

// land ends a flight. What it gave has been kept before.
func (f *flights) land(k evaluate.Key, of *flight, alone bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	of.alone = alone
	delete(f.now, k)
	close(of.landed)
}

// answered is the unit's samples for a subject of which none are known, kept. A
// case that another attempt is answering now is waited for and then recalled, as
// it would be a moment later. Where the other one got no answer, by
// infrastructure, its model or because its own time was over, one of those that
// wait takes over. A failure that counts against the candidate serves nobody else
// and is likely to come again: then all of them ask at once, for themselves.
func (s *stage) answered(ctx context.Context, u *unit, p *place, rep int) ([]clade.Sample, error) {
	if u.asked == nil || s.job.Memory == nil || !s.shares(u, rep) {
		return s.measured(ctx, u, p, rep)
	}
	k := evaluate.Key{Tree: p.subject.Tree, Evaluator: u.digest, Case: u.asked.ID, Split: u.split}
	for {
		of, mine := s.flights.board(k)
		if mine {
			return s.fly(ctx, u, p, rep, k, of)
		}
		select {
		case <-of.landed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if samples, ok, err := s.recall(ctx, u, p, rep); err != nil || ok {
			return samples, err
		}
		if of.alone {
			return s.measured(ctx, u, p, rep)
		}
	}
}

// fly answers a case for all who wait for it. It looks again first: another may
// have kept its answer since this one looked.
func (s *stage) fly(ctx context.Context, u *unit, p *place, rep int, k evaluate.Key, of *flight) (samples []clade.Sample, err error) {
	alone := false
	defer func() { s.flights.land(k, of, alone) }()
	samples, ok, err := s.recall(ctx, u, p, rep)
	if err != nil || ok {
		return samples, err
	}
	if samples, err = s.measured(ctx, u, p, rep); err == nil {
		for _, one := range samples {
			alone = alone || one.Class.CountsAgainst()
		}
	}
	return samples, err
}

// measured runs the unit for one subject and keeps what came out.
func (s *stage) measured(ctx context.Context, u *unit, p *place, rep int) ([]clade.Sample, error) {
	samples, err := s.sample(ctx, u, p, rep)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", u.name, err)
	}
	return samples, s.keep(ctx, u, p, samples)
}
