// Package evolution is the door to directories of agent-evolutions: which there
// are in a repository, and how far each is.
package evolution

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/format/evolution"
)

// A Door serves one person, working in folder here.
type Door struct {
	c     *control.Control
	here  string
	clock func() time.Time
}

// New makes the door for a person working in folder here, an absolute path.
func New(c *control.Control, here string) *Door { return &Door{c: c, here: here, clock: time.Now} }

// A Summary is one evolution in a list.
type Summary struct {
	ID          int    `json:"id"`
	Slug        string `json:"slug"`
	Dir         string `json:"dir"`             // absolute
	State       string `json:"state,omitempty"` // ready, running, evaluated, applied; "": the file cannot be read
	Objective   string `json:"objective,omitempty"`
	Variants    int    `json:"variants"`
	MaxVariants int    `json:"max_variants,omitempty"`
	Generations int    `json:"generations"`
	Leader      string `json:"leader,omitempty"` // the winner, or who leads until there is one
	Problem     string `json:"problem,omitempty"`
}

// List lists the evolutions of the repository that here lies in, by id. What
// cannot be read is listed with its problem; the error then is of the spec.
func (d *Door) List() ([]Summary, error) {
	root, names, err := d.names()
	if err != nil {
		return nil, err
	}
	list, faults := []Summary{}, []error(nil)
	for _, name := range names {
		s, err := summary(root, name)
		if err != nil {
			s.Problem = err.Error()
			faults = append(faults, err)
		}
		list = append(list, s)
	}
	return list, errors.Join(faults...)
}

func summary(root, name string) (Summary, error) {
	f := folder{filepath.Join(root, name)}
	doc, err := f.read()
	if err != nil {
		return ofName(f.dir), err
	}
	return summaryOf(f.dir, doc.Evolution), nil
}

// ofName is what the name of a directory says.
func ofName(dir string) Summary {
	id, slug, _ := strings.Cut(filepath.Base(dir), "-")
	n, _ := strconv.Atoi(id) // names lists numbers only
	return Summary{ID: n, Slug: slug, Dir: dir}
}

func summaryOf(dir string, e *evolution.Evolution) Summary {
	s := ofName(dir)
	s.State, s.Objective, s.Variants, s.MaxVariants = string(e.State()), e.Objective, len(e.Variants), e.Budget.MaxVariants
	for _, v := range e.Variants {
		s.Generations = max(s.Generations, v.Generation)
	}
	if e.Winner != nil {
		s.Leader = e.Winner.Variant
	} else if row, ok := evolution.Leader(evolution.Score(e)); ok {
		s.Leader = row.Variant.ID
	}
	return s
}

// A Report is one evolution, scored on read.
type Report struct {
	Summary
	Others    []string   `json:"others,omitempty"` // further directories that the argument names
	Gates     []Check    `json:"gates"`
	Axes      []Check    `json:"rubric"`
	Rows      []Row      `json:"results"`
	Rationale string     `json:"rationale,omitempty"` // of the winner
	AppliedAt *time.Time `json:"applied_at,omitempty"`
	Files     []string   `json:"files_changed,omitempty"`
}

// A Check is a gate, or an axis of the rubric.
type Check struct {
	ID          string  `json:"id"`
	Description string  `json:"description"`
	Cmd         string  `json:"cmd"`
	Direction   string  `json:"direction,omitempty"` // of an axis
	Weight      float64 `json:"weight,omitempty"`    // of an axis
}

// A Row is a variant's place. Rank and Score are missing where Why says what
// keeps the variant from being ranked.
type Row struct {
	Rank       int                 `json:"rank,omitempty"`
	Variant    string              `json:"variant"`
	Generation int                 `json:"generation"`
	Parents    []string            `json:"parents"`
	Status     string              `json:"status"`
	Score      *float64            `json:"score,omitempty"` // composite of ranks, 0 to 1
	Values     map[string]*float64 `json:"values"`          // by axis, null where nothing was measured
	Why        string              `json:"why,omitempty"`   // "G2 ✗", "killed"
	Hypothesis string              `json:"hypothesis"`
	// Claim is what its worker says in result.json, by axis, where that is not what
	// the file says. It is never ranked. Remark says where it cannot be read, or
	// what became of the variant.
	Claim  map[string]float64 `json:"claim,omitempty"`
	Remark string             `json:"remark,omitempty"`
}

// Show returns the evolution that arg names: an id, a directory's name, or a
// fragment of a slug, of several the one of the lowest id.
func (d *Door) Show(arg string) (*Report, error) {
	f, m, err := d.find(arg)
	if err != nil {
		return nil, err
	}
	doc, err := f.read()
	if err != nil {
		return nil, err
	}
	s, e := summaryOf(f.dir, doc.Evolution), doc.Evolution
	r := &Report{Summary: s, Others: m.Others, Gates: []Check{}, Axes: []Check{}, Rows: []Row{}}
	for _, g := range e.Gates {
		r.Gates = append(r.Gates, Check{ID: g.ID, Description: g.Description, Cmd: g.Cmd})
	}
	for _, a := range e.Rubric {
		r.Axes = append(r.Axes, Check{ID: a.ID, Description: a.Description, Cmd: a.Cmd, Direction: string(a.Direction), Weight: a.Weight})
	}
	for _, row := range evolution.Score(e) {
		one := rowOf(e, row)
		one.Claim, one.Remark = f.claim(e, row.Variant)
		r.Rows = append(r.Rows, one)
	}
	if e.Winner != nil {
		r.Rationale = e.Winner.Rationale
	}
	if e.Applied != nil {
		r.AppliedAt, r.Files = &e.Applied.At, e.Applied.FilesChanged
	}
	return r, nil
}

func rowOf(e *evolution.Evolution, from evolution.Row) Row {
	v := from.Variant
	r := Row{Rank: from.Rank, Variant: v.ID, Generation: v.Generation, Parents: append([]string{}, v.Parents...), Status: string(v.Status),
		Values: map[string]*float64{}, Why: from.Why, Hypothesis: v.Hypothesis}
	if from.Eligible {
		r.Score = &from.Score
	}
	for i, a := range e.Rubric {
		r.Values[a.ID] = nil
		if x := from.Values[i]; x == x { // measured
			r.Values[a.ID] = &x
		}
	}
	return r
}

// names are the directories of evolutions, by id, and the folder they lie in.
func (d *Door) names() (root string, names []string, err error) {
	for dir := d.here; ; dir = filepath.Dir(dir) {
		root = filepath.Join(dir, filepath.FromSlash(evolution.Root))
		if info, err := os.Stat(root); err == nil && info.IsDir() {
			break
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || dir == filepath.Dir(dir) {
			return "", nil, &clade.Problem{Fault: clade.FaultNotFound, Text: "no evolutions here",
				Hint: "they lie in " + evolution.Root + " of a repository; -C looks in another folder"}
		}
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return "", nil, &clade.Problem{Fault: clade.FaultEnvironment, Text: "evolutions cannot be listed", Err: err}
	}
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return root, evolution.Sorted(names), nil
}
