// Package evolution reads and writes the files of agent-evolutions:
// .agents/evolutions/<id>-<slug>/ with evolution.yaml, EVOLUTION.md and a
// result.json per variant.
//
// The file stays the contract. It is checked whole on every read, a change is
// spliced into its own bytes so that everything else stays as a person left it,
// and scores, ranks and states are derived on read and never stored. Everything
// here is a pure function of its arguments: no clock, no disk, no engine.
// docs/evolution-files.md says which holes of the format were decided, and how.
package evolution

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An Evolution is evolution.yaml. The JSON names are the keys of the file. Text
// that may have several lines has no line ends at its end.
type Evolution struct {
	ID        int       `json:"evolution_id"` // from 1
	Slug      string    `json:"slug"`         // [a-z0-9_], at most 40
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	Objective string    `json:"objective"`
	Scope     *Scope    `json:"scope,omitempty"` // nil: a worktree, nothing excluded
	Budget    Budget    `json:"budget"`
	Gates     []Gate    `json:"gates"`  // at least one
	Rubric    []Axis    `json:"rubric"` // at least one
	Variants  []Variant `json:"variants"`
	Winner    *Winner   `json:"winner,omitempty"`
	Applied   *Applied  `json:"applied,omitempty"`
}

// A ScopeKind is what a variant's workspace is.
type ScopeKind string

const (
	ScopeWorktree ScopeKind = "worktree" // the whole tree at the base commit
	ScopeFiles    ScopeKind = "files"    // a copy of what is included
)

// A Scope says what a variant works on. An entry is a path below the repository
// and stands for itself and all below it; one with *, ? or [ is a pattern.
// Exclude beats include.
type Scope struct {
	Kind    ScopeKind `json:"kind"`
	Include []string  `json:"include,omitempty"` // what apply lands; needed for files
	Exclude []string  `json:"exclude,omitempty"` // what apply must never touch
}

// A Budget bounds an evolution. Zero is no bound.
type Budget struct {
	MaxVariants        int `json:"max_variants"` // from 1
	Parallel           int `json:"parallel"`     // variants of one generation, from 1
	MaxMinutes         int `json:"max_minutes,omitempty"`
	PlateauGenerations int `json:"plateau_generations,omitempty"`
}

// wall is the most time that is spent; 0: no bound.
func (b Budget) wall() time.Duration {
	return time.Duration(min(b.MaxMinutes, int(math.MaxInt64/time.Minute))) * time.Minute
}

// A Gate is a command that passes with exit status 0.
type Gate struct {
	ID          string `json:"id"` // G1, G2, …
	Description string `json:"description"`
	Cmd         string `json:"cmd"` // run from the workspace's root
}

// Directions of an axis.
const (
	Minimize = "minimize"
	Maximize = "maximize"
)

// WallClock as Extract has the command timed; what it prints is not read.
const WallClock = "wall_clock_seconds"

// An Axis is a command that yields one number.
type Axis struct {
	ID          string  `json:"id"` // R1, R2, …
	Description string  `json:"description"`
	Direction   string  `json:"direction"`
	Weight      float64 `json:"weight,omitempty"` // above 0; 0: not written, which means 1
	Cmd         string  `json:"cmd"`
	Extract     string  `json:"extract,omitempty"` // WallClock, or RE2 with one group; "": the output is the number
}

// weight is the axis's weight with the default filled in.
func (a Axis) weight() float64 {
	if a.Weight == 0 {
		return 1
	}
	return a.Weight
}

// A Status is how far a variant is.
type Status string

const (
	Pending   Status = "pending"   // waits for a worker
	Running   Status = "running"   // a worker was sent out
	Evaluated Status = "evaluated" // the gates ran; some may have failed
	Errored   Status = "errored"   // the harness failed
	Killed    Status = "killed"    // it took too long
)

// statuses are in the order of a variant's life.
var statuses = []string{string(Pending), string(Running), string(Evaluated), string(Errored), string(Killed)}

// A Variant is one attempt at the objective.
type Variant struct {
	ID         string       `json:"id"`         // v1, v2, …
	Generation int          `json:"generation"` // from 1
	Parents    []string     `json:"parents,omitempty"`
	Hypothesis string       `json:"hypothesis"`
	Approach   string       `json:"approach,omitempty"`
	Status     Status       `json:"status"`
	Workspace  string       `json:"workspace,omitempty"` // below the repository, slash separated
	Gates      []GateResult `json:"gates,omitempty"`
	Rubric     []Value      `json:"rubric,omitempty"` // absent where a gate failed
}

// Open reports whether the variant waits for a result.
func (v *Variant) Open() bool { return v.Status == Pending || v.Status == Running }

// number is the n of v<n>.
func (v *Variant) number() int {
	n, _ := strconv.Atoi(strings.TrimPrefix(v.ID, "v")) // the largest int where there are too many digits
	return min(n, math.MaxInt32)
}

// A GateResult is what a gate said of a variant.
type GateResult struct {
	ID     string `json:"id"`
	Passes bool   `json:"passes"`
	Output string `json:"output,omitempty"` // one line
}

// A Value is what an axis measured.
type Value struct {
	ID    string  `json:"id"`
	Value float64 `json:"value"`
}

// A Winner names the variant that won and says why.
type Winner struct {
	Variant   string `json:"variant_id"`
	Rationale string `json:"rationale"`
}

// Applied says when the winner was landed and which paths changed.
type Applied struct {
	At           time.Time `json:"at"`
	FilesChanged []string  `json:"files_changed"`
}

// A State is how far an evolution is.
type State string

const (
	StateReady     State = "ready"     // no variants yet
	StateRunning   State = "running"   // variants and no winner
	StateEvaluated State = "evaluated" // a winner that was not applied
	StateApplied   State = "applied"   // done
)

// State derives how far the evolution is from what is in the file.
func (e *Evolution) State() State {
	switch {
	case e.Applied != nil:
		return StateApplied
	case e.Winner != nil:
		return StateEvaluated
	case len(e.Variants) > 0:
		return StateRunning
	}
	return StateReady
}

// Variant returns the variant with an id, nil if there is none.
func (e *Evolution) Variant(id string) *Variant {
	for i := range e.Variants {
		if e.Variants[i].ID == id {
			return &e.Variants[i]
		}
	}
	return nil
}

// Clone returns a copy that shares nothing with e.
func (e *Evolution) Clone() *Evolution {
	out := *e
	if e.Scope != nil {
		s := *e.Scope
		s.Include, s.Exclude = slices.Clone(s.Include), slices.Clone(s.Exclude)
		out.Scope = &s
	}
	out.Gates, out.Rubric, out.Variants = slices.Clone(e.Gates), slices.Clone(e.Rubric), slices.Clone(e.Variants)
	for i := range out.Variants {
		v := &out.Variants[i]
		v.Parents, v.Gates, v.Rubric = slices.Clone(v.Parents), slices.Clone(v.Gates), slices.Clone(v.Rubric)
	}
	if e.Winner != nil {
		w := *e.Winner
		out.Winner = &w
	}
	if e.Applied != nil {
		a := *e.Applied
		a.FilesChanged = slices.Clone(a.FilesChanged)
		out.Applied = &a
	}
	return &out
}

// NextVariant is the id that the next variant gets: one above the highest.
func (e *Evolution) NextVariant() string {
	n := 0
	for i := range e.Variants {
		n = max(n, e.Variants[i].number())
	}
	return "v" + strconv.Itoa(n+1)
}

// NextGeneration is the number of the generation that is planned next, and how
// many variants it may have: none when the budget is spent.
func (e *Evolution) NextGeneration() (generation, size int) {
	for _, v := range e.Variants {
		generation = max(generation, v.Generation)
	}
	return generation + 1, max(0, min(e.Budget.Parallel, e.Budget.MaxVariants-len(e.Variants)))
}

// byNumber orders variants by their ids.
func byNumber(a, b *Variant) int { return cmp.Compare(a.number(), b.number()) }
