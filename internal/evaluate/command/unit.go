package command

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
)

// A unit is one command, run once for a subject and replicate (or Repeats times,
// averaged), and the samples it gives: its exit status as a gate, the measures
// that read its run, or the score of its answer to a case.
type unit struct {
	name     string
	group    string // units that stop together: every case, or the unit alone
	cmd      clade.Command
	gate     string // id of the gate the exit status answers, "": none
	measures []clade.Measure
	asked    *evaluate.Case // the case it answers, nil: none
	split    string
	timing   bool
	repeats  int
	digest   string // of all that its samples depend on but the tree
}

// gateUnits and the others turn what a stage asks for into units, in the order
// in which they run.
func (s *stage) gateUnits() ([]*unit, error) {
	var units []*unit
	for _, m := range s.job.Spec.Measures {
		if _, ok := s.job.Spec.Gate(m.From); m.From != "" && !ok {
			return nil, fmt.Errorf("measure %q reads gate %q, which there is not", m.ID, m.From)
		}
	}
	for _, g := range s.job.Spec.Gates {
		readers := s.measures(func(m clade.Measure) bool { return m.From == g.ID })
		if s.wanted(g.ID) || len(readers) > 0 {
			units = append(units, s.unit(unit{name: g.ID, cmd: g.Command, gate: g.ID, measures: readers, repeats: 1}))
		}
	}
	return units, nil
}

func (s *stage) measureUnits() ([]*unit, error) {
	var units []*unit
	spec := s.job.Spec
	benched := s.measures(func(m clade.Measure) bool { return m.From == "" && m.IsZero() && s.readsResult(m) })
	if len(benched) > 0 {
		if spec.Benchmark == nil {
			return nil, fmt.Errorf("measure %q reads a benchmark, which there is not", benched[0].ID)
		}
		units = append(units, s.unit(unit{name: "benchmark", cmd: spec.Benchmark.Command, measures: benched}))
	}
	for _, m := range s.measures(func(m clade.Measure) bool { return m.From == "" && !s.readsDataset(m) }) {
		switch {
		case m.IsZero() && s.readsResult(m):
		case m.IsZero():
			return nil, fmt.Errorf("measure %q has no command", m.ID)
		default:
			units = append(units, s.unit(unit{name: m.ID, cmd: m.Command, measures: []clade.Measure{m}}))
		}
	}
	return units, nil
}

func (s *stage) caseUnits() ([]*unit, error) {
	readers := s.measures(s.readsDataset)
	if len(readers) == 0 {
		return nil, nil
	}
	cases, err := s.cases()
	if err != nil {
		return nil, err
	}
	units := make([]*unit, len(cases))
	for i := range cases {
		units[i] = s.unit(unit{
			name: "case " + cases[i].ID, group: "cases", cmd: s.job.Spec.Dataset.Command,
			measures: readers, asked: &cases[i], split: cases[i].Split,
		})
	}
	return units, nil
}

// cases are those the stage names, or all of its split.
func (s *stage) cases() ([]evaluate.Case, error) {
	names := s.job.Stage.Cases
	if len(names) == 0 {
		var out []evaluate.Case
		for _, c := range s.job.Cases {
			if c.Split == s.split {
				out = append(out, c)
			}
		}
		return s.batch(out), nil
	}
	at := make(map[string]evaluate.Case, len(s.job.Cases))
	for _, c := range s.job.Cases {
		at[c.ID] = c
	}
	out := make([]evaluate.Case, len(names))
	for i, name := range names {
		c, ok := at[name]
		if !ok {
			return nil, fmt.Errorf("the dataset has no case %q", name)
		}
		out[i] = c
	}
	return out, nil
}

// batch leaves the cases that the stage's batch draws, in the dataset's order.
func (s *stage) batch(cases []evaluate.Case) []evaluate.Case {
	names := make([]string, len(cases))
	for i, c := range cases {
		names[i] = c.ID
	}
	drawn := clade.Minibatch(s.job.Spec.Seed, s.job.Attempt.ID, names, s.job.Stage.Batch)
	return slices.DeleteFunc(cases, func(c evaluate.Case) bool { return !slices.Contains(drawn, c.ID) })
}

func (s *stage) readsDataset(m clade.Measure) bool {
	return m.Read.Kind == clade.ReadCases && s.job.Spec.Dataset != nil
}

// readsResult reports whether the measure reads the file named by CLADE_RESULT.
func (s *stage) readsResult(m clade.Measure) bool {
	return m.Read.Kind == clade.ReadResult || m.Read.Kind == clade.ReadCases && s.job.Spec.Dataset == nil
}

func (s *stage) wanted(id string) bool {
	return len(s.job.Stage.Checks) == 0 || slices.Contains(s.job.Stage.Checks, id)
}

// measures lists the wanted measures that hold.
func (s *stage) measures(hold func(clade.Measure) bool) (out []clade.Measure) {
	for _, m := range s.job.Spec.Measures {
		if s.wanted(m.ID) && hold(m) {
			out = append(out, m)
		}
	}
	return out
}

// unit fills in what follows from the rest.
func (s *stage) unit(u unit) *unit {
	if u.group == "" {
		u.group = u.name
	}
	if u.split == "" {
		u.split = s.split
	}
	for _, m := range u.measures {
		u.timing = u.timing || m.Noise == clade.NoiseTiming
		if u.gate == "" {
			u.repeats = max(u.repeats, m.Repeats)
		}
	}
	u.repeats = max(u.repeats, 1)
	u.digest = s.digest(&u)
	return &u
}

// digest covers everything but the tree that the unit's samples depend on.
func (s *stage) digest(u *unit) string {
	type reader struct {
		ID, Unit string
		Read     clade.Read
		Min, Max *float64
	}
	on := struct {
		Common  string
		Command clade.Command
		Env     []string
		Gate    string
		Repeats int
		Readers []reader
		Case    *evaluate.Case
		Scorer  *clade.Scorer
		Scores  []string       // environment of the scorer's command
		Rollout *clade.Rollout `json:",omitempty"`
		Nonce   bool           `json:",omitempty"` // results without it are none
		Census  bool           `json:",omitempty"` // what leaves processes behind gives no sample
	}{Common: s.common, Command: u.cmd, Env: s.command(u.cmd).Env, Gate: u.gate, Repeats: u.repeats, Case: u.asked,
		Nonce: s.job.Spec.Protect.Nonce, Census: s.job.Spec.Protect.Census == clade.ProtectReject}
	for _, m := range u.measures {
		on.Readers = append(on.Readers, reader{m.ID, m.Unit, m.Read, m.Min, m.Max})
	}
	if u.asked != nil {
		on.Rollout = s.job.Spec.Dataset.Rollout
		on.Scorer = &s.job.Spec.Dataset.Scorer
		if on.Scorer.Command != nil {
			on.Scores = s.command(*on.Scorer.Command).Env
		}
	}
	return digestOf(on)
}

// commonDigest covers what every unit of a job depends on.
func (s *stage) commonDigest() string {
	plan := s.job.Plan
	var files []string // quoted: a path need not be UTF-8, which JSON is
	for _, f := range plan.Frozen {
		files = append(files, fmt.Sprintf("frozen %q %s %s", f.Path, f.Mode, f.Blob))
	}
	files = append(files, fmt.Sprintf("removed %q", plan.Removed), fmt.Sprintf("hidden %q", plan.Hidden))
	for _, name := range slices.Sorted(maps.Keys(plan.Fixtures)) {
		files = append(files, fmt.Sprintf("fixture %q %x", name, sha256.Sum256(plan.Fixtures[name])))
	}
	return digestOf(struct {
		Version                 int // of this package's reading of outputs
		Template, Prefix, Grade string
		Limits                  clade.Limits
		Files                   []string
	}{1, s.job.Template.Key(), s.job.Spec.Target.Prefix, s.Grade(), s.job.Spec.Limits, files})
}

// digestOf is a digest of v's JSON. v is plain data with finite numbers.
func digestOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("digest of %T: %v", v, err)) // a defect of this package
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}
