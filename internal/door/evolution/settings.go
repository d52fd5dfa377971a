package evolution

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format/evolution"
)

// fileSettings says what an evolution's own file cannot: operators, setup, carry,
// limits and so on. One beside the evolutions is for all of them, and one in an
// evolution's directory, laid over that, for it alone.
const fileSettings = ".clade.yaml"

// Settings say how variants are made and measured, beyond what the files say;
// zero values leave it to them.
type Settings struct {
	Agent   string                 `json:"agent,omitempty"` // a coding-agent CLI that makes variants, instead of the file's operators
	Model   string                 `json:"model,omitempty"` // PROVIDER/NAME that the agent asks through clade; "": its own, over the network
	Setup   string                 `json:"setup,omitempty"` // command run once in a fresh tree
	Carry   []string               `json:"carry,omitempty"`
	Timeout clade.Duration         `json:"timeout,omitempty"` // of one variant's worker
	Noise   map[string]clade.Noise `json:"noise,omitempty"`
	Inherit bool                   `json:"inherit,omitempty"` // a mutation starts from its parent's tree
	Slots   int                    `json:"slots,omitempty"`
	Seed    *uint64                `json:"seed,omitempty"`
	Sandbox string                 `json:"sandbox,omitempty"`
}

// over are the settings with those of before where they say nothing: how an
// evolution was begun is how it goes on, whoever has a part in it. Another agent
// does not take over the model of the one before.
func (s Settings) over(before *Settings) Settings {
	if before == nil {
		return s
	}
	if s.Agent == "" {
		s.Agent, s.Model = before.Agent, before.Model
	}
	noise := maps.Clone(before.Noise)
	if noise == nil {
		noise = map[string]clade.Noise{}
	}
	maps.Copy(noise, s.Noise)
	s.Noise = noise
	s.Setup, s.Timeout, s.Slots = cmp.Or(s.Setup, before.Setup), cmp.Or(s.Timeout, before.Timeout), cmp.Or(s.Slots, before.Slots)
	s.Seed, s.Sandbox, s.Inherit = cmp.Or(s.Seed, before.Seed), cmp.Or(s.Sandbox, before.Sandbox), s.Inherit || before.Inherit
	if len(s.Carry) == 0 {
		s.Carry = before.Carry
	}
	return s
}

// kept are the settings as they are kept, nil where nothing is said.
func (s Settings) kept() *Settings {
	if len(s.Noise) == 0 {
		s.Noise = nil
	}
	if reflect.ValueOf(s).IsZero() {
		return nil
	}
	return &s
}

// specOf is spec with the brief of the evolution's page.
func (d *Door) specOf(f folder, doc *evolution.Document, set Settings) (s *clade.Spec, warnings []string, err error) {
	brief, err := f.brief()
	if err != nil {
		return nil, nil, err
	}
	return d.spec(f, doc, brief, set)
}

// spec is what a run of the evolution does: what the file says, the settings
// beside it, and those of the command line. brief is told to whoever makes a
// variant.
func (d *Door) spec(f folder, doc *evolution.Document, brief string, set Settings) (s *clade.Spec, warnings []string, err error) {
	e := doc.Evolution
	s = e.Spec(doc.Name)
	s.Brief = brief
	for i := range s.Gates {
		s.Gates[i].Network = true // as published: gates and axes run as in a shell
	}
	for i := range s.Measures {
		s.Measures[i].Network = true
	}
	if warnings, err = d.overlay(f, s); err != nil {
		return nil, warnings, err
	}
	if err := d.settle(s, set); err != nil {
		return nil, warnings, err
	}
	d.c.Complete(s)
	s.Frozen = append(s.Frozen, strings.TrimPrefix(evolution.Root, "./")+"/**")
	s.Search.Names, s.Final.Leader = "v%d", clade.LeaderComposite
	s.Search.Hopeless, s.Search.Retries = 2*e.Budget.Parallel, evolution.MostTries-1
	if s.Search.Start = clade.StartBase; set.Inherit {
		s.Search.Start = clade.StartParent
	}
	if e.Scope != nil && e.Scope.Kind == evolution.ScopeFiles {
		s.Target.Kind, s.Target.Only = clade.TargetDir, slices.Clone(e.Scope.Include)
	}
	return s, warnings, nil
}

// overlay lays the settings beside the evolutions over the spec.
func (d *Door) overlay(f folder, s *clade.Spec) (out []string, err error) {
	for _, dir := range []string{filepath.Dir(f.dir), f.dir} {
		file, err := load(filepath.Join(dir, fileSettings))
		if err != nil {
			return out, err
		}
		if file == nil {
			continue
		}
		warnings, err := d.c.Overlay(file.name, file.data, s)
		if err != nil {
			return out, err
		}
		for _, w := range warnings {
			out = append(out, w.Where+": "+w.Text)
		}
	}
	return out, nil
}

// settle lays the settings of the command line over the spec.
func (d *Door) settle(s *clade.Spec, set Settings) error {
	if set.Agent != "" {
		op, _, err := d.c.AgentOperator(set.Agent, set.Model, set.Model == "") // its model is listed by Complete
		if err != nil {
			return err
		}
		s.Operators = []clade.Operator{op}
	}
	if set.Setup != "" {
		s.Setup = &clade.Command{Run: set.Setup, Network: true}
	}
	s.Carry = append(s.Carry, set.Carry...)
	for i := range s.Operators {
		if set.Timeout > 0 {
			s.Operators[i].Timeout = set.Timeout
		}
	}
	for id, noise := range set.Noise {
		i := slices.IndexFunc(s.Measures, func(m clade.Measure) bool { return m.ID == id })
		if i < 0 || noise != clade.NoiseNone && noise != clade.NoiseTiming {
			return &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("--noise %s=%s", id, noise),
				Hint: "name an axis and none (the same tree gives the same number) or timing (it varies from run to run)"}
		}
		s.Measures[i].Noise = noise
	}
	if set.Slots > 0 {
		s.Slots = set.Slots
	}
	if set.Seed != nil {
		s.Seed = *set.Seed
	}
	if set.Sandbox != "" {
		s.Sandbox.Use = set.Sandbox
	}
	return nil
}

// brief is the section Brief of the evolution's page, or what its file says of
// it where there is no page.
func (f folder) brief() (string, error) {
	file, err := load(f.file(evolution.FilePage))
	if file == nil || err != nil {
		return "", err
	}
	return evolution.Brief(file.name, file.data)
}
