package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
)

// Changes are what the command line may change in a spec before a run starts.
// Zero values change nothing.
type Changes struct {
	Candidates int
	Wall       time.Duration
	Slots      int
	Seed       *uint64
	Strategy   string
	Sandbox    string
	Target     *float64 // of the measure whose gain is claimed
	NoTarget   bool     // takes the target away
	// Caps, where the spec has one of the kind; 0: as it is.
	USD           clade.Microdollars
	Tokens, Calls int64
}

func (ch Changes) apply(s *clade.Spec) {
	if ch.Candidates > 0 {
		s.Budget.Candidates = ch.Candidates
	}
	if ch.Wall > 0 {
		s.Budget.Wall = clade.Duration(ch.Wall)
	}
	if ch.Slots > 0 {
		s.Slots = ch.Slots
	}
	if ch.Seed != nil {
		s.Seed = *ch.Seed
	}
	if ch.Strategy != "" {
		s.Search.Strategy = ch.Strategy
	}
	if ch.Sandbox != "" {
		s.Sandbox.Use = ch.Sandbox
	}
	if ch.Target != nil || ch.NoTarget {
		s.Budget.Target = ch.Target
	}
	if ch.USD > 0 {
		s.Budget.USD = &ch.USD
	}
	if ch.Tokens > 0 {
		s.Budget.Tokens = &ch.Tokens
	}
	if ch.Calls > 0 {
		s.Budget.Calls = &ch.Calls
	}
}

// capless refuses to put a cap where the spec has none: what is held for a try,
// and whether it can be priced at all, is for the spec to say.
func (ch Changes) capless(b *clade.Budget) error {
	for flag, lacks := range map[string]bool{"usd": ch.USD > 0 && b.USD == nil, "tokens": ch.Tokens > 0 && b.Tokens == nil, "calls": ch.Calls > 0 && b.Calls == nil} {
		if lacks {
			return &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("--%s: the spec has no budget.%s to change", flag, flag),
				Hint: "write it into the spec, and start a new run"}
		}
	}
	return nil
}

// words names what is changed, for the log.
func (ch Changes) words() string {
	var out []string
	if ch.Target != nil {
		out = append(out, "target "+Number(*ch.Target))
	}
	for _, c := range []struct {
		set  bool
		what string
	}{
		{ch.Candidates > 0, fmt.Sprintf("candidates %d", ch.Candidates)}, {ch.Wall > 0, fmt.Sprintf("wall %s", ch.Wall)},
		{ch.Slots > 0, fmt.Sprintf("slots %d", ch.Slots)}, {ch.Seed != nil, "seed"},
		{ch.Strategy != "", "strategy " + ch.Strategy}, {ch.Sandbox != "", "sandbox " + ch.Sandbox},
		{ch.NoTarget, "no target"}, {ch.USD > 0, "usd " + ch.USD.String()}, {ch.Tokens > 0, fmt.Sprintf("tokens %d", ch.Tokens)},
		{ch.Calls > 0, fmt.Sprintf("calls %d", ch.Calls)},
	} {
		if c.set {
			out = append(out, c.what)
		}
	}
	return strings.Join(out, ", ")
}

// resolve reads the spec at path, "" meaning the working folder, with changes.
func (d *Door) resolve(ctx context.Context, path string, ch Changes) (*control.Resolved, error) {
	if path == "" {
		path = d.here
	}
	r, err := d.c.Resolve(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := d.change(&r.Spec, ch); err != nil {
		return nil, err
	}
	r.Digest = control.Digest(&r.Spec)
	return r, nil
}

// change applies changes to a spec and refuses what no spec may say.
func (d *Door) change(s *clade.Spec, ch Changes) error {
	if err := ch.capless(&s.Budget); err != nil {
		return err
	}
	ch.apply(s)
	if ch.Sandbox != "" && !slices.Contains(sandboxes, ch.Sandbox) {
		return &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("no sandbox is called %q", ch.Sandbox),
			Hint: "there are " + strings.Join(sandboxes, ", ")}
	}
	if err := d.c.Strategy(s); ch.Strategy != "" && err != nil {
		return err
	}
	return nil
}

var sandboxes = append([]string{"auto"}, control.Grades()...)
