package evolution

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format/evolution"
)

// Keys of the settings beside an evolution: those that replace what there is, and
// those whose own keys do.
var (
	wholeSettings  = []string{"setup", "carry", "lock", "operators", "slots", "seed"}
	nestedSettings = map[string][]string{
		"limits": nil, "sandbox": nil, "protect": nil,
		"final":  {"finalists", "alpha", "looks", "look_alpha"},
		"search": {"explore", "cross", "parents", "operators"},
		"budget": {"usd", "tokens", "calls", "target", "per_try_usd"},
	}
	gateSettings = []string{"timeout", "pass_env", "network"}
	axisSettings = append([]string{"noise", "repeats", "threshold", "min", "max", "unit"}, gateSettings...)
)

// settings are the bytes of .clade.yaml for what the run did otherwise than the
// evolution would, nil for nothing. have is what the evolution says without.
func (x *exporting) settings(have *clade.Spec) ([]byte, error) {
	is, err := keysOf(have)
	if err != nil {
		return nil, err
	}
	want, err := keysOf(x.measuredAs(have))
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	for _, key := range wholeSettings {
		if v, ok := want[key]; ok && !alike(v, is[key]) {
			out[key] = v
		}
	}
	for key, keys := range nestedSettings {
		if some := differing(is[key], want[key], keys); len(some) > 0 {
			out[key] = some
		}
	}
	for key, by := range map[string]string{"frozen": "", "models": "name"} { // these are added to
		if more := lacking(is[key], want[key], by); len(more) > 0 {
			out[key] = more
		}
	}
	for key, keys := range map[string][]string{"gates": gateSettings, "measures": axisSettings} {
		if all := eachDiffering(is[key], want[key], keys); len(all) > 0 {
			out[key] = all
		}
	}
	return x.file(out), nil
}

// measuredAs is the run's spec with the gates and axes that the evolution has for
// them, and everything below the folder that holds .agents.
func (x *exporting) measuredAs(have *clade.Spec) *clade.Spec {
	s := x.spec
	s.Gates, s.Measures = slices.Clone(s.Gates), slices.Clone(s.Measures)
	for i := range s.Gates {
		s.Gates[i].ID, s.Gates[i].Command = x.gates[s.Gates[i].ID], x.outside(s.Gates[i].Command)
	}
	if len(s.Gates) == 0 {
		s.Gates = have.Gates
	}
	for i := range s.Measures {
		m := &s.Measures[i]
		m.ID, m.Command = x.axes[m.ID], x.outside(m.Command)
		if as, ok := have.Measure(m.ID); ok {
			m.Read = as.Read
		}
	}
	if s.Setup != nil {
		setup := *s.Setup
		setup.Dir = x.inside(setup.Dir)
		s.Setup = &setup
	}
	s.Operators = slices.Clone(s.Operators)
	for i := range s.Operators {
		if o := &s.Operators[i]; !o.Command.IsZero() {
			o.Dir = x.inside(o.Dir)
		}
	}
	s.Carry, s.Lock, s.Frozen = x.outward(s.Carry), x.outward(s.Lock), x.outward(s.Frozen)
	if x.rel != "" && len(s.Protect.Tripwires) > 0 {
		s.Protect.Tripwires = nil
		x.note("tripwires are left out")
	}
	if s.Search.Strategy != strategyGenerations {
		s.Search.Explore, s.Search.Cross, s.Search.Parents = have.Search.Explore, have.Search.Cross, have.Search.Parents
		x.note("the run searched by %s; an evolution goes on by generations", s.Search.Strategy)
	}
	return &s
}

// outside is a command as the line that the evolution has for it.
func (x *exporting) outside(c clade.Command) clade.Command {
	c.Run, c.Argv, c.Env, c.Dir = x.line(c), nil, nil, ""
	return c
}

// inside is a folder of the target, below the one that holds .agents.
func (x *exporting) inside(dir string) string {
	if dir = path.Join(x.rel, dir); dir == "." {
		return ""
	}
	return dir
}

// kept reports what of how the run measured the evolution does not: both say the
// same, or the names of keys.
func (x *exporting) kept(now *clade.Spec) (not []string, err error) {
	is, err := keysOf(now)
	if err != nil {
		return nil, err
	}
	notes := x.notes // said already
	want, err := keysOf(x.measuredAs(now))
	if x.notes = notes; err != nil {
		return nil, err
	}
	for _, key := range []string{"gates", "measures", "setup", "carry", "lock", "limits", "sandbox"} {
		if !alike(is[key], want[key]) {
			not = append(not, key)
		}
	}
	return not, nil
}

// keysOf is what the JSON of a value says.
func keysOf(v any) (o map[string]any, err error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("exporting a run: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return o, d.Decode(&o)
}

func alike(a, b any) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}

// differing are the keys of want, of these keys only unless there are none, that
// say something else than in is. A switch that is not on is off.
func differing(is, want any, keys []string) map[string]any {
	have, _ := is.(map[string]any)
	all, _ := want.(map[string]any)
	out := map[string]any{}
	for key, v := range all {
		if (len(keys) == 0 || slices.Contains(keys, key)) && !alike(v, have[key]) {
			out[key] = v
		}
	}
	for key, v := range have {
		if _, ok := all[key]; !ok && v == true && (len(keys) == 0 || slices.Contains(keys, key)) {
			out[key] = false
		}
	}
	return out
}

// eachDiffering is differing of lists whose entries have ids.
func eachDiffering(is, want any, keys []string) map[string]any {
	have, out := map[string]any{}, map[string]any{}
	entries, _ := is.([]any)
	for _, v := range entries {
		if o, ok := v.(map[string]any); ok {
			have[fmt.Sprint(o["id"])] = o
		}
	}
	entries, _ = want.([]any)
	for _, v := range entries {
		o, _ := v.(map[string]any)
		id := fmt.Sprint(o["id"])
		if some := differing(have[id], o, keys); len(some) > 0 {
			out[id] = some
		}
	}
	return out
}

// lacking are the entries of want that is has not, told by a key of theirs or as
// a whole.
func lacking(is, want any, by string) (out []any) {
	have, _ := is.([]any)
	all, _ := want.([]any)
	tell := func(v any) any {
		if o, ok := v.(map[string]any); ok && by != "" {
			return o[by]
		}
		return v
	}
	for _, v := range all {
		if !slices.ContainsFunc(have, func(h any) bool { return alike(tell(h), tell(v)) }) {
			out = append(out, v)
		}
	}
	return out
}

// file lays settings out, a key to a line.
func (x *exporting) file(settings map[string]any) []byte {
	if len(settings) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# How run %s made and measured its candidates, where %s cannot say it.\n", x.name, evolution.FileEvolution)
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&b, "%s: %s\n", key, flow(settings[key]))
	}
	return []byte(b.String())
}

// noKeys are words that some readers of YAML take for something else.
var noKeys = []string{"on", "off", "yes", "no", "true", "false", "null"}

var plainKey = regexp.MustCompile(`^[a-z_]{2,}$|^[GR][0-9]+$`)

// flow is what JSON said on one line of YAML.
func flow(v any) string {
	var parts []string
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			name := key
			if !plainKey.MatchString(key) || slices.Contains(noKeys, key) {
				name = text(key)
			}
			parts = append(parts, name+": "+flow(v[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		for _, item := range v {
			parts = append(parts, flow(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return text(v)
}

// text is a scalar as JSON, which is YAML.
func text(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // it came from JSON
	}
	return strings.TrimSpace(b.String())
}
