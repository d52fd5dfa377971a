package native

import (
	"regexp"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

// readKinds are the words of read, in the order of the documentation.
var readKinds = []string{string(clade.ReadWhole), string(clade.ReadPointer), string(clade.ReadRegex), string(clade.ReadClock),
	string(clade.ReadMemory), string(clade.ReadResult), string(clade.ReadCases)}

// measures reads the measures and adds those that a benchmark and a dataset
// yield when none is declared for them.
func (d *decoder) measures(f *syntax.Fields) (all []clade.Measure) {
	var ids []string
	for _, item := range d.Each(f.Get("measures"), "list mappings with id, run, read and goal") {
		m := d.measure(item, ids)
		ids = append(ids, m.ID)
		all = append(all, m)
	}
	all = derived(all, d.benchmark, d.dataset)
	if len(all) == 0 && f.Of.Kind == syntax.Mapping && !syntax.Means(f.Of, f.Known, "measures", "benchmark", "dataset") {
		d.Add(f.Of.At, "add measures, a benchmark or a dataset", "nothing is measured")
	}
	return all
}

func (d *decoder) measure(n *syntax.Node, used []string) (m clade.Measure) {
	f := d.Fields(n, "write a mapping with id, run, read and goal")
	m.ID = d.id(f.Need("id", "name the measure, like id: speed"), used)
	m.Command = d.commandIn(f, false)
	m.From = d.from(f.Get("from"))
	m.Read = d.read(f.Need("read", "say where the number is: whole, {pointer: /score}, {regex: …}, wall_clock or peak_memory"))
	m.Goal = d.goal(f.Need("goal", "write goal: max or goal: min"))
	m.Weight = d.Above(f.Get("weight"), 1)
	m = completeMeasure(m)
	d.sampling(f, &m)
	d.origin(f, m)
	f.Done()
	return m
}

// sampling reads how a number varies and what it is worth, over what is known
// of it.
func (d *decoder) sampling(f *syntax.Fields, m *clade.Measure) {
	m.Unit = orDefault(d.Text(f.Get("unit"), "name the unit, like ms"), m.Unit)
	m.Repeats = orDefault(int(d.Whole(f.Get("repeats"), 1, 1000)), m.Repeats)
	m.Min, m.Max = orDefault(d.Optional(f.Get("min")), m.Min), orDefault(d.Optional(f.Get("max")), m.Max)
	if m.Min != nil && m.Max != nil && *m.Min >= *m.Max {
		d.Add(first(f.Of, "max", "min").At, "a value outside of min and max is no score", "%s.max must be above min", f.Of.Path)
	}
	m.Noise = d.noise(f.Get("noise"), *m)
	d.threshold(f, m)
}

// from reads the gate whose run is measured.
func (d *decoder) from(n *syntax.Node) string {
	id := d.Text(n, "name a gate")
	if id != "" && !slices.Contains(d.gates, id) {
		hint := "there are no gates"
		if len(d.gates) > 0 {
			hint = syntax.Suggest(id, d.gates)
		}
		d.Add(n.At, hint, "%s: no gate is called %s", n.Path, syntax.Quote(id))
	}
	return id
}

func (d *decoder) goal(n *syntax.Node) clade.Direction {
	switch d.Choice(n, "max", "min", string(clade.Maximize), string(clade.Minimize)) {
	case "max", string(clade.Maximize):
		return clade.Maximize
	case "min", string(clade.Minimize):
		return clade.Minimize
	}
	return ""
}

// noises are the kinds of noise each way of reading may have, the default first.
func noises(k clade.ReadKind) []clade.Noise {
	switch k {
	case clade.ReadClock, clade.ReadMemory:
		return []clade.Noise{clade.NoiseTiming}
	case clade.ReadCases:
		return []clade.Noise{clade.NoiseCases}
	}
	return []clade.Noise{clade.NoiseNone, clade.NoiseTiming}
}

func (d *decoder) noise(n *syntax.Node, m clade.Measure) clade.Noise {
	if n == nil {
		return m.Noise
	}
	k := m.Read.Kind
	allowed := noises(k)
	noise := clade.Noise(d.Choice(n, string(clade.NoiseNone), string(clade.NoiseCases), string(clade.NoiseTiming)))
	if noise != "" && k != "" && !slices.Contains(allowed, noise) {
		d.Add(n.At, "write noise: "+string(allowed[0])+", or leave it out", "%s: what %s reads is never %s", n.Path, k, noise)
	}
	return noise
}

func (d *decoder) threshold(f *syntax.Fields, m *clade.Measure) {
	n := f.Get("threshold")
	v := d.Optional(n)
	m.Threshold = orDefault(v, m.Threshold)
	switch {
	case v != nil && *v < 0:
		d.Wrong(n, "at least 0", "")
	case m.Threshold != nil && m.Noise == clade.NoiseTiming && *m.Threshold >= 1:
		d.Add(first(f.Of, "threshold", "noise").At, "write 0.02 for 2 %", "%s.threshold of a timing is a share and must be below 1", f.Of.Path)
	}
}

// origin checks that the number comes from exactly one place, and what that
// place allows.
func (d *decoder) origin(f *syntax.Fields, m clade.Measure) {
	path := f.Of.Path
	command := f.Has("run") || f.Has("argv") || !m.IsZero()
	switch k := m.Read.Kind; {
	case k == clade.ReadResult || k == clade.ReadCases:
		f.Refuse("has no use where read is "+string(k), "remove it", append([]string{"from"}, commandKeys...)...)
		if k == clade.ReadResult && !d.benchmark {
			d.Add(first(f.Of, "read").At, "add a benchmark", "%s reads the result of a benchmark, and there is none", path)
		}
		if k == clade.ReadCases && !d.benchmark && !d.dataset {
			d.Add(first(f.Of, "read").At, "add a dataset or a benchmark", "%s reads cases, and there are none", path)
		}
	case f.Has("from") || m.From != "":
		f.Refuse("has no use beside from, which reads the run of a gate", "remove it, or remove from", commandKeys...)
		if m.Repeats > 1 {
			f.Refuse("has no use beside from: a gate runs once", "remove it, or give the measure its own command", "repeats")
		}
	case !command && f.Of.Kind == syntax.Mapping:
		d.Add(f.Of.At, "write run: with a line for the shell, or from: with the id of a gate", "%s has no command", path)
	}
	if k, goal := m.Read.Kind, f.Of.Get("goal"); goal != nil && m.Goal == clade.Maximize && (k == clade.ReadClock || k == clade.ReadMemory) {
		d.warn(goal.At, "%s asks for more %s, not less", path, k)
	}
	switch {
	case m.Noise != clade.NoiseTiming || m.Repeats == 1:
	case f.Has("repeats"):
		f.Refuse("has no use for a timing, which is measured in pairs until it is clear", "remove it", "repeats")
	default:
		d.Add(first(f.Of, "noise").At, "add repeats: 1", "%s is repeated, and a timing is measured in pairs until it is clear", path)
	}
}

const readHint = "write whole, wall_clock, peak_memory, result, cases, {pointer: /score} or {regex: …}"

// read reads where the number is: a word, or a mapping whose kind may be told
// by its keys.
func (d *decoder) read(n *syntax.Node) (r clade.Read) {
	switch {
	case n == nil:
		return r
	case n.Kind == syntax.Text:
		r.Kind = d.readWord(n)
		return r
	}
	f := d.Fields(n, readHint)
	kind, pointer, regex, file := f.Get("kind"), f.Get("pointer"), f.Get("regex"), f.Get("file")
	r.Kind = clade.ReadKind(d.Choice(kind, readKinds...))
	if kind == nil && n.Kind == syntax.Mapping {
		r.Kind = d.readKind(f, pointer, regex, file)
	}
	r.Pointer, r.Regex, r.File = d.pointer(pointer), d.regex(regex), d.file(file)
	r.Match = d.Choice(f.Get("match"), "only", "last")
	d.readFits(f, r)
	f.Done()
	return r
}

// readWord reads a kind that needs nothing else.
func (d *decoder) readWord(n *syntax.Node) clade.ReadKind {
	switch {
	case strings.HasPrefix(n.Text, "/"):
		d.Add(n.At, "write read: {pointer: "+syntax.Cut(n.Text)+"}", "%s: %s is no way to read", n.Path, syntax.Quote(n.Text))
		return ""
	case n.Text == string(clade.ReadPointer) || n.Text == string(clade.ReadRegex):
		d.Add(n.At, "write read: {"+n.Text+": …}", "%s: %s needs to be told what to look for", n.Path, n.Text)
		return ""
	}
	words := slices.DeleteFunc(slices.Clone(readKinds), func(k string) bool {
		return k == string(clade.ReadPointer) || k == string(clade.ReadRegex)
	})
	return clade.ReadKind(d.Choice(n, words...))
}

// readKind tells the kind by the keys.
func (d *decoder) readKind(f *syntax.Fields, pointer, regex, file *syntax.Node) clade.ReadKind {
	switch {
	case pointer != nil && regex != nil:
		d.Add(later(pointer, regex).At, "keep pointer or regex", "%s says two ways to read", f.Of.Path)
		return ""
	case f.Has("pointer"):
		return clade.ReadPointer
	case f.Has("regex"):
		return clade.ReadRegex
	case file != nil:
		return clade.ReadWhole
	}
	d.Add(f.Of.At, readHint, "%s does not say where the number is", f.Of.Path)
	return ""
}

// readFits refuses keys that the kind has no use for and asks for those it needs.
func (d *decoder) readFits(f *syntax.Fields, r clade.Read) {
	if r.Kind == "" {
		return
	}
	why, hint := "has no use where kind is "+string(r.Kind), "remove it"
	if r.Kind != clade.ReadPointer {
		f.Refuse(why, hint, "pointer")
	} else if !f.Has("pointer") {
		d.Add(f.Of.At, "add pointer: /score", "%s.pointer is missing", f.Of.Path)
	}
	if r.Kind != clade.ReadRegex {
		f.Refuse(why, hint, "regex", "match")
	} else if !f.Has("regex") {
		d.Add(f.Of.At, `add regex: 'score: ([0-9.]+)'`, "%s.regex is missing", f.Of.Path)
	}
	switch r.Kind {
	case clade.ReadWhole, clade.ReadPointer, clade.ReadRegex:
	default:
		f.Refuse(why, hint, "file")
	}
}

// pointerForm is RFC 6901, without the empty pointer: that is read: whole.
var pointerForm = pattern(`^(/([^~]|~[01])*)+$`)

func (d *decoder) pointer(n *syntax.Node) string {
	p := d.Text(n, "write read: whole for the whole output")
	if p != "" && !pointerForm().MatchString(p) {
		hint := "write ~0 for ~ and ~1 for / inside a key"
		if !strings.HasPrefix(p, "/") {
			hint = "a JSON pointer begins with /, like /score"
		}
		d.Add(n.At, hint, "%s: %s is no JSON pointer", n.Path, syntax.Quote(p))
	}
	return p
}

func (d *decoder) regex(n *syntax.Node) string {
	s := d.Text(n, `write a pattern with one group, like 'score: ([0-9.]+)'`)
	if s == "" {
		return ""
	}
	re, err := regexp.Compile(s)
	switch {
	case err != nil:
		d.Add(n.At, "the syntax is that of RE2; single quotes keep \\ as it is", "%s: %s", n.Path, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	case re.NumSubexp() != 1:
		d.Add(n.At, "put ( ) around the number and (?: ) around all else", "%s must have exactly one group, not %d", n.Path, re.NumSubexp())
	}
	return s
}
