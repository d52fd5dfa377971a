package evolution

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format"
)

// Format reads evolution.yaml as a spec.
type Format struct{}

var _ format.Format = (*Format)(nil)

// New returns the format.
func New() *Format { return &Format{} }

// Name implements format.Format.
func (*Format) Name() string { return FileEvolution }

var keyLine = pattern(`(?m)^["{ ]*([a-z_]+)"?[ \t]*:`)

// Detect implements format.Format: whatever its name, a file with an
// evolution_id and one more key that only an evolution has at its top.
func (*Format) Detect(name string, data []byte) bool {
	r := reader{name: name}
	var keys []string
	if root := r.parse(data, "evolution", ""); root != nil {
		for _, p := range root.Pairs {
			keys = append(keys, p.Key)
		}
	} else {
		for _, m := range keyLine().FindAllSubmatch(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), -1) {
			keys = append(keys, string(m[1]))
		}
	}
	has := func(k string) bool { return slices.Contains(keys, k) }
	return has("evolution_id") && (has("rubric") || has("variants"))
}

// Read implements format.Format. The spec says what the file says and no more:
//
//   - the target is the repository that holds .agents/, found in name;
//   - gates and axes become gates and measures of the same ids; an axis without
//     extract is the whole output, one with wall_clock_seconds the running time
//     and a timing, any other the last match of its group;
//   - the search is generational, a generation of budget.parallel at once;
//   - max_variants, max_minutes and plateau_generations bound it;
//   - scope files allows what include covers; worktree allows everything. What
//     is excluded is not frozen: a change of it is refused when it is landed.
//
// Operators, setup, carry, limits, sandbox, protect, final, and the noise of
// axes that are not timed keep their zero values, for the caller to fill in.
func (*Format) Read(name string, data []byte) (*clade.Spec, []format.Warning, error) {
	d, err := Open(name, data)
	if err != nil {
		return nil, nil, err
	}
	return d.Evolution.Spec(name), d.Warnings, nil
}

// Spec is the evolution as a spec, as Format.Read describes it. Name is the
// file's, which says where the repository is.
func (e *Evolution) Spec(name string) *clade.Spec {
	s := &clade.Spec{Version: 1, Objective: e.Objective, Seed: 1, Slots: e.Budget.Parallel,
		Target: clade.Target{Path: repository(name), Kind: clade.TargetGit},
		Search: clade.Search{Strategy: "generational", Batch: e.Budget.Parallel},
		Budget: clade.Budget{Candidates: e.Budget.MaxVariants, Plateau: e.Budget.PlateauGenerations,
			Wall: clade.Duration(e.Budget.wall())},
	}
	if e.Scope != nil && e.Scope.Kind == ScopeFiles {
		for _, entry := range e.Scope.Include {
			s.Allow = append(s.Allow, globs(entry)...)
		}
	}
	for _, g := range e.Gates {
		s.Gates = append(s.Gates, clade.Gate{ID: g.ID, Command: clade.Command{Run: g.Cmd}})
	}
	for _, a := range e.Rubric {
		s.Measures = append(s.Measures, a.measure())
	}
	return s
}

func (a Axis) measure() clade.Measure {
	m := clade.Measure{ID: a.ID, Command: clade.Command{Run: a.Cmd}, Goal: clade.Direction(a.Direction), Weight: a.weight(), Repeats: 1}
	switch a.Extract {
	case "":
		m.Read = clade.Read{Kind: clade.ReadWhole}
	case WallClock:
		m.Read, m.Noise, m.Unit = clade.Read{Kind: clade.ReadClock}, clade.NoiseTiming, "s"
	default:
		m.Read = clade.Read{Kind: clade.ReadRegex, Regex: a.Extract, Match: "last"}
	}
	return m
}

// repository is the path from an evolution's folder to the repository that
// holds .agents/, "" where its name does not say.
func repository(name string) string {
	parts := strings.Split(filepath.ToSlash(filepath.Dir(name)), "/")
	at := len(parts) - 1
	for at >= 0 && parts[at] != ".agents" {
		at--
	}
	if at < 0 {
		return ""
	}
	return strings.TrimSuffix(strings.Repeat("../", len(parts)-at), "/")
}
