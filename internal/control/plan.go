package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/strategy"
)

// A Program is one that a spec's commands need.
type Program struct {
	Name string `json:"name"`
	Path string `json:"path,omitempty"` // "" : missing, or not to be told before setup has run
	For  string `json:"for"`            // "gate tests"
	// Missing says that it was looked for and not found.
	Missing bool `json:"missing,omitempty"`
	// Unseen says that it lies where commands cannot see it.
	Unseen bool `json:"unseen,omitempty"`
}

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
}

// Forecast looks at what a resolved spec would do without running any of its
// commands.
func (c *Control) Forecast(ctx context.Context, r *Resolved) (*Forecast, error) {
	f := &Forecast{Programs: programs(&r.Spec, r.Target)}
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
	f.Models, f.Variables = means(&r.Spec, os.LookupEnv)
	f.Worst = worst(&r.Spec, f.Splits)
	return f, nil
}

// isolate finds how commands would be isolated, and which programs they would
// then not see.
func (f *Forecast) isolate(ctx context.Context, c *Control, r *Resolved) error {
	i, err := c.Isolation(ctx, &r.Spec, c.private(r.State, r.Target, r.Spec.Target.Kind))
	if err != nil {
		return err
	}
	f.Grade, f.Weaker, f.Files = i.Grade, i.Weaker, i.Files
	for n := range f.Programs {
		p := &f.Programs[n]
		p.Unseen = p.Path != "" && i.Files != nil && !i.Files.Sees(p.Path)
	}
	return nil
}

// Refuse returns the problem that makes a spec not worth starting: a missing
// program or a design whose final could never prove anything.
func (c *Control) Refuse(ctx context.Context, r *Resolved) error {
	f, err := c.Forecast(ctx, r)
	if err != nil {
		return err
	}
	return f.Problem()
}

// Problem is the first thing without which the run could not work: a program
// that is missing, a model that cannot be reached, a key that is not set. It is
// nil if there is none.
func (f *Forecast) Problem() error {
	for _, p := range f.Programs {
		if p.Missing {
			return &clade.Problem{Fault: clade.FaultEnvironment, Text: fmt.Sprintf("%s needs the program %s, which is not on PATH", p.For, p.Name),
				Hint: "install it or correct the command"}
		}
		if p.Unseen {
			return &clade.Problem{Fault: clade.FaultEnvironment, Text: fmt.Sprintf("%s needs the program %s, which commands cannot see", p.For, p.Path),
				Hint: "name its folder in sandbox.read, or set sandbox.home: show"}
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

// programs lists the first words of the spec's commands.
func programs(s *clade.Spec, dir string) (out []Program) {
	add := func(what string, c clade.Command) {
		if name, ok := program(c); ok {
			out = append(out, look(name, what, filepath.Join(dir, c.Dir)))
		}
	}
	if s.Setup != nil {
		add("setup", *s.Setup)
	}
	for _, g := range s.Gates {
		add("gate "+g.ID, g.Command)
	}
	for _, m := range s.Measures {
		add("measure "+m.ID, m.Command)
	}
	if s.Benchmark != nil {
		add("the benchmark", s.Benchmark.Command)
	}
	if s.Dataset != nil {
		if r := s.Dataset.Rollout; r == nil || r.Agent == clade.HostCustom {
			add("the dataset", s.Dataset.Command)
		} else {
			out = append(out, lookHost(r.Agent, "the dataset", dir))
		}
		if s.Dataset.Scorer.Command != nil {
			add("the scorer", *s.Dataset.Scorer.Command)
		}
	}
	for _, o := range s.Operators {
		switch o.Use {
		case "mutate", "reflect":
		case "agent":
			if o.Agent == clade.HostCustom {
				add("operator "+o.Name, o.Command)
			} else {
				out = append(out, lookHost(o.Agent, "operator "+o.Name, dir))
			}
		case "command":
			add("operator "+o.Name, o.Command)
		default:
			out = append(out, look("clade-operator-"+o.Use, "operator "+o.Use, dir))
		}
	}
	return out
}

// program is the first word of a command, when it is a plain word and not one
// of the shell's own.
func program(c clade.Command) (string, bool) {
	if len(c.Argv) > 0 {
		return c.Argv[0], true
	}
	word, _, _ := strings.Cut(strings.TrimSpace(c.Run), " ")
	if word == "" || strings.ContainsAny(word, "\"'`$(){}[]<>|&;=*?~\\\n\t#!") {
		return "", false
	}
	switch word {
	case "cd", "test", "true", "false", "echo", "exec", "set", "if", "for", "while", "case", "export", "read", "printf",
		"eval", "exit", "trap", "umask", "ulimit", "unset", "wait", "command", ":", ".", "time", "until", "type":
		return "", false
	}
	return word, true
}

// lookHost looks for the program of a coding agent.
func lookHost(agent, what, dir string) Program {
	h, _ := clade.HostOf(agent)
	return look(h.Program, what, dir)
}

func look(name, what, dir string) Program {
	p := Program{Name: name, For: what}
	if strings.ContainsRune(name, '/') {
		if !filepath.IsAbs(name) {
			return p // of the tree, or made by setup
		}
	}
	found, err := exec.LookPath(name)
	if err != nil {
		p.Missing = true
		return p
	}
	p.Path = found
	return p
}
