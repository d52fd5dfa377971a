// Package strategytest runs searches in memory: a whole run against a scripted
// evaluator, with any number of slots, in any order of arrival, from any prefix
// of its log.
package strategytest

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy"
)

// ErrStuck reports a run that neither stops nor waits for anything.
var ErrStuck = errors.New("the run is stuck")

// ErrHands reports a run that waits for somebody outside only, and nobody is there.
var ErrHands = errors.New("the run waits for work that is done by hand")

// A Run is one search to be simulated.
type Run struct {
	Spec   clade.Spec
	Search func(spec *clade.Spec) strategy.Search // made afresh for each process
	// Try performs try l.Try of l.
	Try   func(v clade.View, l *clade.Life) clade.Outcome
	Slots int    // 0: 1
	Order uint64 // seeds which of the running tries ends next
	// Hand is what somebody outside makes of an attempt that waits for him: a
	// Proposed, or a TryEnded. He takes the oldest whenever nothing else runs; nil:
	// nobody is there.
	Hand func(l *clade.Life) clade.Event
	// Observe, when set, is told the state after every record.
	Observe func(v clade.View, r clade.Record)
	// Most records before the run is held to be endless; 0: 1,000,000.
	Most int
}

// Do runs from the beginning.
func (r Run) Do() (*clade.State, []clade.Record, error) {
	r.Spec.Slots = max(1, r.Slots)
	return r.Continue([]clade.Record{{Seq: 1, Event: clade.Opened{
		Run: "test", Spec: r.Spec, Base: "base", Tree: "base-tree",
	}}})
}

// Continue runs on from a log, as a new process does: what was running is tried
// again.
func (r Run) Continue(log []clade.Record) (*clade.State, []clade.Record, error) {
	p := process{run: r, state: &clade.State{}, mine: map[clade.ID]bool{}, search: r.Search(&r.Spec)}
	for _, rec := range log {
		if err := p.state.Apply(rec); err != nil {
			return nil, nil, err
		}
		p.log = append(p.log, rec)
	}
	for _, id := range p.state.Open() {
		if o, lost := strategy.Lost(p.state, p.state.Life(id)); lost {
			p.append(clade.TryEnded{Outcome: o})
		}
	}
	return p.state, p.log, p.loop()
}

type process struct {
	run     Run
	state   *clade.State
	search  strategy.Search
	log     []clade.Record
	mine    map[clade.ID]bool
	running []clade.ID
	err     error
}

func (p *process) append(e clade.Event) {
	rec := clade.Record{Seq: p.state.Head().Seq + 1, Event: e}
	if err := p.state.Apply(rec); err != nil && p.err == nil {
		p.err = err
	}
	p.log = append(p.log, rec)
	if p.run.Observe != nil {
		p.run.Observe(p.state, rec)
	}
}

func (p *process) loop() error {
	most := p.run.Most
	if most == 0 {
		most = 1_000_000
	}
	for len(p.log) < most {
		p.decide()
		if p.err != nil || p.state.Head().Stop != clade.StopNone && len(p.running) == 0 {
			return p.err
		}
		if p.state.Head().Stop == clade.StopNone {
			p.begin()
		}
		if len(p.running) == 0 {
			if err := p.hand(); err != nil {
				return err
			}
			continue
		}
		p.end()
	}
	return fmt.Errorf("%w: %d records", ErrStuck, len(p.log))
}

// decide judges and plans until nothing more follows.
func (p *process) decide() {
	for p.state.Head().Stop == clade.StopNone && p.err == nil {
		verdicts := p.search.Judge(p.state)
		if len(verdicts) > 0 {
			p.append(clade.Judged{Verdicts: verdicts})
		}
		plan, stop := p.search.Next(p.state, max(0, max(1, p.run.Slots)-len(p.running)-p.waiting()))
		for i := range plan {
			if want := p.state.Head().Count + 1; plan[i].ID != want {
				p.err = fmt.Errorf("attempt %d was numbered %d", want, plan[i].ID)
			}
			p.append(clade.Planned{Attempt: plan[i]})
		}
		if stop != nil {
			p.append(*stop)
		}
		if len(verdicts) == 0 && len(plan) == 0 {
			return
		}
	}
}

func (p *process) eligible(l *clade.Life) bool {
	return l.Open && !l.ByHand() && !p.mine[l.ID] && (l.Running || l.Try == 0 || strategy.TriesLeft(l))
}

func (p *process) waiting() (n int) {
	for _, id := range p.state.Open() {
		if p.eligible(p.state.Life(id)) {
			n++
		}
	}
	return n
}

func (p *process) begin() {
	for _, id := range p.state.Open() {
		l := p.state.Life(id)
		if len(p.running) >= max(1, p.run.Slots) {
			return
		}
		if !p.eligible(l) {
			continue
		}
		p.append(clade.TryBegun{ID: id, Try: l.Try + 1})
		p.mine[id] = true
		p.running = append(p.running, id)
	}
}

// hand has somebody outside make one of the candidates that wait for him.
func (p *process) hand() error {
	for _, id := range p.state.Open() {
		l := p.state.Life(id)
		if !l.ByHand() || strategy.Settled(l) {
			continue
		}
		if p.run.Hand == nil {
			return ErrHands
		}
		if !l.Running {
			p.append(clade.TryBegun{ID: id, Try: l.Try + 1, Hand: "somebody"})
		}
		switch e := p.run.Hand(l).(type) {
		case clade.Proposed:
			e.ID, e.Try = id, l.Try
			p.append(e)
		case clade.TryEnded:
			e.Outcome.ID, e.Outcome.Try = id, l.Try
			p.append(e)
		}
		return nil
	}
	return fmt.Errorf("%w after %d records", ErrStuck, len(p.log))
}

// end lets one running try end.
func (p *process) end() {
	i := int(clade.Draw(p.run.Order, "end", clade.ID(len(p.log))) % uint64(len(p.running)))
	id := p.running[i]
	p.running = append(p.running[:i], p.running[i+1:]...)
	delete(p.mine, id)
	l := p.state.Life(id)
	o := p.run.Try(p.state, l)
	o.ID, o.Try = id, l.Try
	p.append(clade.TryEnded{Outcome: o})
}

// Decisions are what a run decided, one line of JSON each: the records of
// Planned, Judged and Stopped.
func Decisions(log []clade.Record) (out []string) {
	for _, r := range log {
		switch r.Event.(type) {
		case clade.Planned, clade.Judged, clade.Stopped:
			b, err := json.Marshal(r.Event)
			if err != nil {
				b = []byte(err.Error())
			}
			out = append(out, r.Event.Kind()+" "+string(b))
		}
	}
	return out
}
