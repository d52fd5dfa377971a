// Package run is the door of clade's own verbs: it turns what a person asks for
// into calls of control, and what control knows into reports that a surface can
// print or encode. It prints nothing.
package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
)

// Door answers the native verbs.
type Door struct {
	c    *control.Control
	here string // the person's working folder
}

// New returns a door for a person working in folder here.
func New(c *control.Control, here string) *Door { return &Door{c: c, here: here} }

// A State is what a run is doing.
type State string

const (
	StateSearching   State = "searching"
	StatePaused      State = "paused"
	StateInterrupted State = "interrupted" // nobody holds it and it has not stopped: resume
	StateWon         State = "won"
	StateStopped     State = "stopped"
	StateApplied     State = "applied"
)

// A Row is one attempt in a table.
type Row struct {
	ID         clade.ID           `json:"id"`
	Parents    []clade.ID         `json:"parents"`
	Generation int                `json:"generation,omitempty"`
	Operator   string             `json:"operator,omitempty"`
	Status     string             `json:"status"` // running, waiting, or the verdict's status
	Category   string             `json:"category,omitempty"`
	Score      *float64           `json:"score"` // null: not scored
	Values     map[string]float64 `json:"values,omitempty"`
	Summary    string             `json:"summary,omitempty"`
	Why        string             `json:"why,omitempty"`     // of the plan
	Verdict    string             `json:"verdict,omitempty"` // the judge's reason
	Failure    clade.Class        `json:"failure,omitempty"`
	Detail     string             `json:"detail,omitempty"`
	Commit     string             `json:"commit,omitempty"`
	Same       clade.ID           `json:"same,omitempty"`
	Tries      int                `json:"tries,omitempty"`
	Isolation  string             `json:"isolation,omitempty"`
	Paid       clade.Amount       `json:"paid"`
	Overspent  clade.Amount       `json:"overspent,omitzero"`
}

func row(l *clade.Life) Row {
	r := Row{
		ID: l.ID, Parents: l.Parents, Generation: l.Generation, Operator: l.Operator,
		Status: status(l), Category: l.Verdict.Category, Values: l.Values, Summary: l.Summary, Why: l.Why,
		Verdict: l.Verdict.Why, Failure: l.Failure, Detail: l.Detail, Commit: l.Commit, Same: l.Same,
		Tries: l.Try, Isolation: l.Isolation, Paid: l.Paid, Overspent: l.Overspent,
	}
	if r.Parents == nil {
		r.Parents = []clade.ID{}
	}
	if l.Scored {
		score := l.Score
		r.Score = &score
	}
	return r
}

func status(l *clade.Life) string {
	switch {
	case l.Verdict.Status != clade.StatusOpen:
		return string(l.Verdict.Status)
	case l.Running:
		return "running"
	}
	return "waiting"
}

// Status is where a run stands.
type Status struct {
	Run       string          `json:"run"`
	Where     string          `json:"where"`
	Objective string          `json:"objective"`
	State     State           `json:"state"`
	Stop      clade.Stop      `json:"stop,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	Holder    *control.Holder `json:"holder,omitempty"`
	Started   time.Time       `json:"started"`
	Measures  []clade.Measure `json:"measures"`
	Budget    clade.Budget    `json:"budget"`
	Proposed  int             `json:"proposed"` // attempts that propose, planned so far
	Judged    int             `json:"judged"`
	Usable    int             `json:"usable"`
	Records   int64           `json:"records"`
	Spent     clade.Amount    `json:"spent"`
	Held      clade.Amount    `json:"held"`
	Left      Left            `json:"left"`
	Overspent clade.Amount    `json:"overspent"` // of caps, at the most; see clade.Head
	// Overspenders are the attempts that passed a cap.
	Overspenders []clade.ID    `json:"overspenders,omitempty"`
	Active       time.Duration `json:"active_ns"`
	Base         Row           `json:"base"`
	Best         *Row          `json:"best,omitempty"`
	Winner       *Row          `json:"winner,omitempty"`
	Final        *clade.Final  `json:"final,omitempty"`
	Finalists    []Row         `json:"finalists,omitempty"`
	Top          []Row         `json:"top"`
	Open         []Row         `json:"open"`
	Warnings     []string      `json:"warnings,omitempty"`
	Landing      *Landing      `json:"landing,omitempty"`
	Trouble      *Trouble      `json:"trouble,omitempty"`
}

// Status reports on the run called name ("" : the newest here) with the top rows
// of its frontier.
func (d *Door) Status(ctx context.Context, name string, top int) (*Status, error) {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	holder, held, err := r.Holder(ctx)
	if err != nil {
		return nil, err
	}
	var s *Status
	err = r.View(ctx, func(v clade.View) error {
		s = Summarise(v, top)
		s.Where = r.Where(v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if held {
		s.Holder = &holder
	}
	s.State = state(s, held)
	return s, nil
}

// Summarise reports what a view alone says; State supposes that the run is held.
func Summarise(v clade.View, top int) *Status {
	h := v.Head()
	s := &Status{
		Run: h.Run, Where: h.Where, Objective: h.Spec.Objective, Stop: h.Stop, Reason: h.Reason, Started: h.Started,
		Measures: h.Spec.Measures, Budget: h.Spec.Budget, Proposed: h.Proposing, Judged: h.Closed, Usable: h.Usable,
		Records: h.Seq, Spent: h.Spent, Held: h.Held, Left: left(h), Overspent: h.Overspent, Overspenders: overspenders(v), Active: h.Active, Base: row(v.Life(clade.Base)), Top: []Row{}, Open: []Row{},
	}
	if h.Best != clade.Base {
		best := row(v.Life(h.Best))
		s.Best = &best
	}
	if h.Winner != clade.Base {
		won := v.Life(h.Winner)
		w := row(won)
		s.Winner, s.Final = &w, won.Verdict.Final
	}
	for id := range v.Frontier() {
		if len(s.Top) >= top {
			break
		}
		s.Top = append(s.Top, row(v.Life(id)))
	}
	for _, id := range v.Open() {
		s.Open = append(s.Open, row(v.Life(id)))
	}
	for n := range v.Notes(clade.NoteWarning) {
		s.Warnings = append(s.Warnings, n.Body)
	}
	s.Landing, s.Trouble = landing(h), TroubleOf(v)
	if h.Applied() != clade.Base {
		s.State = StateApplied
	}
	if h.Paused {
		s.State = StatePaused
	}
	if s.State == "" {
		s.State = state(s, true)
	}
	return s
}

func state(s *Status, held bool) State {
	switch {
	case s.State == StateApplied || s.State == StatePaused && held:
		return s.State
	case s.Winner != nil && s.Stop != clade.StopNone:
		return StateWon
	case s.Stop != clade.StopNone:
		return StateStopped
	case held:
		return StateSearching
	}
	return StateInterrupted
}

// Rows lists every attempt, in order.
func (d *Door) Rows(ctx context.Context, name string) (rows []Row, err error) {
	return rows, d.view(ctx, name, func(_ *control.Run, v clade.View) error {
		for id := clade.Base; id <= v.Head().Count; id++ {
			rows = append(rows, row(v.Life(id)))
		}
		return nil
	})
}

// Runs lists the user's runs, newest first.
func (d *Door) Runs(ctx context.Context) ([]control.Located, error) { return d.c.Find(ctx, "") }

// A Node is an attempt with those made from it.
type Node struct {
	Row
	Children []*Node `json:"children,omitempty"`
}

// Tree returns the lineage from the base. An attempt with two parents hangs
// below its first. With all false only candidates that may be parents, or lead
// to one, are kept.
func (d *Door) Tree(ctx context.Context, name string, all bool) (root *Node, err error) {
	return root, d.view(ctx, name, func(_ *control.Run, v clade.View) error {
		nodes := make([]*Node, v.Head().Count+1)
		keep := make([]bool, len(nodes))
		for id := v.Head().Count; id >= clade.Base; id-- {
			l := v.Life(id)
			nodes[id] = &Node{Row: row(l)}
			keep[id] = keep[id] || all || id == clade.Base || l.Proposes() && l.Verdict.Status.Parent()
			if keep[id] && id != clade.Base {
				keep[l.ParentOr()] = true
			}
		}
		for id := clade.Base + 1; int(id) < len(nodes); id++ {
			if l := v.Life(id); keep[id] {
				nodes[l.ParentOr()].Children = append(nodes[l.ParentOr()].Children, nodes[id])
			}
		}
		root = nodes[clade.Base]
		return nil
	})
}

// Detail is all that is known of one attempt.
type Detail struct {
	Row
	Attempt     clade.Attempt      `json:"attempt"`
	Evaluations []clade.Evaluation `json:"evaluations,omitempty"`
	Children    []clade.ID         `json:"children,omitempty"`
	Final       *clade.Final       `json:"final,omitempty"`
	LogFiles    []string           `json:"log_files,omitempty"`
	Landing     *Landing           `json:"landing,omitempty"`
}

// Show reports on one attempt.
func (d *Door) Show(ctx context.Context, name string, id clade.ID) (out *Detail, err error) {
	return out, d.view(ctx, name, func(r *control.Run, v clade.View) error {
		l, err := life(v, id)
		if err != nil {
			return err
		}
		out = &Detail{Row: row(l), Attempt: l.Attempt, Evaluations: l.Evaluations,
			Children: slices.Clone(v.Children(id)), Final: l.Verdict.Final, LogFiles: r.Logs(id, l.Try)}
		if open := landing(v.Head()); open != nil && open.Candidate == id {
			out.Landing = open
		}
		return nil
	})
}

func life(v clade.View, id clade.ID) (*clade.Life, error) {
	if l := v.Life(id); l != nil {
		return l, nil
	}
	return nil, &clade.Problem{Fault: clade.FaultNotFound, Text: fmt.Sprintf("run %s has no candidate %d", v.Head().Run, id),
		Hint: "clade status and clade tree show the numbers"}
}

func (d *Door) view(ctx context.Context, name string, fn func(*control.Run, clade.View) error) error {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return err
	}
	defer r.Close()
	return r.View(ctx, func(v clade.View) error { return fn(r, v) })
}

// Diff is the unified diff of a candidate against the base, or against its
// first parent.
func (d *Door) Diff(ctx context.Context, name string, id clade.ID, parent bool) ([]byte, error) {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var from, to string
	err = r.View(ctx, func(v clade.View) error {
		l, err := life(v, id)
		if err != nil {
			return err
		}
		if l.Commit == "" {
			return &clade.Problem{Fault: clade.FaultNotFound, Text: "that attempt made no candidate: " + l.Verdict.Why}
		}
		to, from = l.Commit, v.Life(clade.Base).Commit
		if parent {
			from = v.Life(l.ParentOr()).Commit
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	led, err := r.Ledger(ctx)
	if err != nil {
		return nil, err
	}
	return led.Patch(ctx, from, to)
}
