package control

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/strategy"
)

// An Isolation is how commands are isolated.
type Isolation struct {
	Grade  string
	Weaker []string       // what the grade does not give, and why a stronger one is not used
	Files  *sandbox.Sight // what is seen of the machine; nil: what the user sees
}

// Worst is the most a run can do and cost; see strategy.Commands for what its
// commands leave out.
type Worst struct {
	Candidates  int                 `json:"candidates"`
	PerCase     int                 `json:"commands_per_candidate"` // gates, measures and cases of one candidate
	Commands    int                 `json:"commands"`
	Paid        bool                `json:"paid"` // something asks a model
	USD         *clade.Microdollars `json:"usd"`  // null: unbounded if Paid, else nothing
	Tokens      *int64              `json:"tokens"`
	Calls       *int64              `json:"calls"`
	WallSeconds float64             `json:"wall_seconds,omitempty"` // 0: unbounded
}

// A Forecast is what a run would do.
type Forecast struct {
	Programs []Program      `json:"programs"`
	Worst    Worst          `json:"worst"`
	Splits   map[string]int `json:"splits,omitempty"`
	// Models are those that something asks, Variables what they need to be.
	Models    []Reach    `json:"models,omitempty"`
	Variables []Variable `json:"variables,omitempty"`
	Grade     string     `json:"isolation"`
	Weaker    []string   `json:"weaker,omitempty"` // what that grade does not give, and why a stronger one is not used
	// Files is what commands see of the machine; null: what the user sees.
	Files *sandbox.Sight `json:"files"`
	// Warnings are what a person would want to know of the base.
	Warnings []string `json:"-"`
}

// Forecast looks at what a resolved spec would do without running any of its
// commands.
func (c *Control) Forecast(ctx context.Context, r *Resolved) (*Forecast, error) {
	f := &Forecast{}
	cases, err := previewCases(ctx, r)
	if err != nil {
		return nil, err
	}
	if cases != nil {
		f.Splits = map[string]int{clade.SplitTrain: 0, clade.SplitSelect: 0, clade.SplitTest: 0}
		for _, k := range cases {
			f.Splits[k.Split]++
		}
	}
	if err := unbounded(&r.Spec); err != nil {
		return nil, err
	}
	if err := c.Design(&r.Spec, f.Splits[clade.SplitTest]); err != nil {
		return nil, err
	}
	if err := f.isolate(ctx, c, r); err != nil {
		return nil, err
	}
	if f.Warnings, err = c.offer(ctx, r); err != nil {
		return nil, err
	}
	f.Models, f.Variables = means(&r.Spec, os.LookupEnv)
	f.Worst = worst(&r.Spec, f.Splits)
	return f, nil
}

// isolate finds how commands would be isolated, and which programs they would
// then find.
func (f *Forecast) isolate(ctx context.Context, c *Control, r *Resolved) error {
	i, err := c.Isolation(ctx, &r.Spec, c.private(r.State, r.Target, r.Spec.Target.Kind))
	if err != nil {
		return err
	}
	f.Grade, f.Weaker, f.Files = i.Grade, i.Weaker, i.Files
	f.Programs, err = programs(ctx, r, i.Files)
	return err
}

// Refuse returns the problem that makes a spec not worth starting: a missing
// program, nothing to edit, a design whose final could never prove anything.
// Without one its warnings are worth knowing.
func (c *Control) Refuse(ctx context.Context, r *Resolved) (warnings []string, err error) {
	f, err := c.Forecast(ctx, r)
	if err != nil {
		return nil, err
	}
	return f.Warnings, f.Problem()
}

// Problem is the first thing without which the run could not work: a program
// that is missing, a model that cannot be reached, a key that is not set. It is
// nil if there is none.
func (f *Forecast) Problem() error {
	for _, p := range f.Programs {
		if err := p.problem(); err != nil {
			return err
		}
	}
	return f.unreachable()
}

// Strategy returns the problem that a spec asks for a search that does not exist.
func (c *Control) Strategy(s *clade.Spec) error {
	_, err := c.Search(s)
	var p *clade.Problem
	if errors.As(err, &p) {
		return &clade.Problem{Fault: clade.FaultUsage, Text: p.Text, Hint: p.Hint}
	}
	return err
}

func worst(s *clade.Spec, cases map[string]int) Worst {
	most := strategy.Worst(s, cases)
	return Worst{Candidates: s.Budget.Candidates, PerCase: most.Candidate, Commands: most.All,
		Paid: len(askers(s)) > 0, USD: mostMoney(s), Tokens: s.Budget.Tokens, Calls: s.Budget.Calls, WallSeconds: time.Duration(s.Budget.Wall).Seconds()}
}
