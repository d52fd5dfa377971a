package native

import (
	"regexp"
	"slices"
	"strings"

	"github.com/cladehq/clade"
)

// readKinds are the words of read, in the order of the documentation.
var readKinds = []string{string(clade.ReadWhole), string(clade.ReadPointer), string(clade.ReadRegex), string(clade.ReadClock),
	string(clade.ReadMemory), string(clade.ReadResult), string(clade.ReadCases)}

// measures reads the measures and adds those that a benchmark and a dataset
// yield when none is declared for them.
func (d *decoder) measures(f *fields) (all []clade.Measure) {
	var ids []string
	for _, item := range d.each(f.get("measures"), "list mappings with id, run, read and goal") {
		m := d.measure(item, ids)
		ids = append(ids, m.ID)
		all = append(all, m)
	}
	reads := func(k clade.ReadKind) bool {
		return slices.ContainsFunc(all, func(m clade.Measure) bool { return m.Read.Kind == k })
	}
	derive := func(k clade.ReadKind, noise clade.Noise) {
		m := clade.Measure{ID: free("score", ids), Read: clade.Read{Kind: k}, Goal: clade.Maximize, Weight: 1, Repeats: 1, Noise: noise}
		ids = append(ids, m.ID)
		all = append(all, m)
	}
	if d.dataset && !reads(clade.ReadCases) {
		derive(clade.ReadCases, clade.NoiseCases)
	}
	if d.benchmark && !reads(clade.ReadResult) && (d.dataset || !reads(clade.ReadCases)) {
		derive(clade.ReadResult, clade.NoiseNone)
	}
	if len(all) == 0 && f.of.kind == mapping {
		d.add(f.of.at, "add measures, a benchmark or a dataset", "nothing is measured")
	}
	return all
}

func (d *decoder) measure(n *node, used []string) (m clade.Measure) {
	f := d.fields(n, "write a mapping with id, run, read and goal")
	m.ID = d.id(f.need("id", "name the measure, like id: speed"), used)
	m.Command = d.commandIn(f, false)
	m.From = d.from(f.get("from"))
	m.Read = d.read(f.need("read", "say where the number is: whole, {pointer: /score}, {regex: …}, wall_clock or peak_memory"))
	m.Goal = d.goal(f.need("goal", "write goal: max or goal: min"))
	m.Unit = d.text(f.get("unit"), "name the unit, like ms")
	m.Weight = d.above(f.get("weight"), 1)
	m.Repeats = int(orDefault(d.whole(f.get("repeats"), 1, 1000), 1))
	m.Min, m.Max = d.optional(f.get("min")), d.optional(f.get("max"))
	if m.Min != nil && m.Max != nil && *m.Min >= *m.Max {
		d.add(f.of.get("max").at, "a value outside of min and max is no score", "%s.max must be above min", n.path)
	}
	m.Noise = d.noise(f.get("noise"), m.Read.Kind)
	m.Threshold = d.threshold(f.get("threshold"), m.Noise)
	d.origin(f, m)
	f.done()
	return m
}

// from reads the gate whose run is measured.
func (d *decoder) from(n *node) string {
	id := d.text(n, "name a gate")
	if id != "" && !slices.Contains(d.gates, id) {
		hint := "there are no gates"
		if len(d.gates) > 0 {
			hint = suggest(id, d.gates)
		}
		d.add(n.at, hint, "%s: no gate is called %s", n.path, quote(id))
	}
	return id
}

func (d *decoder) goal(n *node) clade.Direction {
	switch d.choice(n, "max", "min", string(clade.Maximize), string(clade.Minimize)) {
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

func (d *decoder) noise(n *node, k clade.ReadKind) clade.Noise {
	allowed := noises(k)
	if n == nil {
		return allowed[0]
	}
	noise := clade.Noise(d.choice(n, string(clade.NoiseNone), string(clade.NoiseCases), string(clade.NoiseTiming)))
	if noise != "" && k != "" && !slices.Contains(allowed, noise) {
		d.add(n.at, "write noise: "+string(allowed[0])+", or leave it out", "%s: what %s reads is never %s", n.path, k, noise)
	}
	return noise
}

func (d *decoder) threshold(n *node, noise clade.Noise) *float64 {
	v := d.optional(n)
	switch {
	case v == nil:
	case *v < 0:
		d.wrong(n, "at least 0", "")
	case noise == clade.NoiseTiming && *v >= 1:
		d.add(n.at, "write 0.02 for 2 %", "%s of a timing is a share and must be below 1", n.path)
	}
	return v
}

// origin checks that the number comes from exactly one place, and what that
// place allows.
func (d *decoder) origin(f *fields, m clade.Measure) {
	path := f.of.path
	command := f.has("run") || f.has("argv")
	switch k := m.Read.Kind; {
	case k == clade.ReadResult || k == clade.ReadCases:
		f.refuse("has no use where read is "+string(k), "remove it", append([]string{"from"}, commandKeys...)...)
		if k == clade.ReadResult && !d.benchmark {
			d.add(f.of.get("read").at, "add a benchmark", "%s reads the result of a benchmark, and there is none", path)
		}
		if k == clade.ReadCases && !d.benchmark && !d.dataset {
			d.add(f.of.get("read").at, "add a dataset or a benchmark", "%s reads cases, and there are none", path)
		}
	case f.has("from"):
		f.refuse("has no use beside from, which reads the run of a gate", "remove it, or remove from", commandKeys...)
		if m.Repeats > 1 {
			f.refuse("has no use beside from: a gate runs once", "remove it, or give the measure its own command", "repeats")
		}
	case !command && f.of.kind == mapping:
		d.add(f.of.at, "write run: with a line for the shell, or from: with the id of a gate", "%s has no command", path)
	}
	if k := m.Read.Kind; m.Goal == clade.Maximize && (k == clade.ReadClock || k == clade.ReadMemory) {
		d.warn(f.of.get("goal").at, "%s asks for more %s, not less", path, k)
	}
	if m.Noise == clade.NoiseTiming && m.Repeats > 1 {
		f.refuse("has no use for a timing, which is measured in pairs until it is clear", "remove it", "repeats")
	}
}

const readHint = "write whole, wall_clock, peak_memory, result, cases, {pointer: /score} or {regex: …}"

// read reads where the number is: a word, or a mapping whose kind may be told
// by its keys.
func (d *decoder) read(n *node) (r clade.Read) {
	switch {
	case n == nil:
		return r
	case n.kind == text:
		r.Kind = d.readWord(n)
		return r
	}
	f := d.fields(n, readHint)
	kind, pointer, regex, file := f.get("kind"), f.get("pointer"), f.get("regex"), f.get("file")
	r.Kind = clade.ReadKind(d.choice(kind, readKinds...))
	if kind == nil && n.kind == mapping {
		r.Kind = d.readKind(f, pointer, regex, file)
	}
	r.Pointer, r.Regex, r.File = d.pointer(pointer), d.regex(regex), d.file(file)
	r.Match = d.choice(f.get("match"), "only", "last")
	d.readFits(f, &r)
	f.done()
	return r
}

// readWord reads a kind that needs nothing else.
func (d *decoder) readWord(n *node) clade.ReadKind {
	switch {
	case strings.HasPrefix(n.text, "/"):
		d.add(n.at, "write read: {pointer: "+cut(n.text)+"}", "%s: %s is no way to read", n.path, quote(n.text))
		return ""
	case n.text == string(clade.ReadPointer) || n.text == string(clade.ReadRegex):
		d.add(n.at, "write read: {"+n.text+": …}", "%s: %s needs to be told what to look for", n.path, n.text)
		return ""
	}
	words := slices.DeleteFunc(slices.Clone(readKinds), func(k string) bool {
		return k == string(clade.ReadPointer) || k == string(clade.ReadRegex)
	})
	return clade.ReadKind(d.choice(n, words...))
}

// readKind tells the kind by the keys.
func (d *decoder) readKind(f *fields, pointer, regex, file *node) clade.ReadKind {
	switch {
	case pointer != nil && regex != nil:
		d.add(later(pointer, regex).at, "keep pointer or regex", "%s says two ways to read", f.of.path)
		return ""
	case f.has("pointer"):
		return clade.ReadPointer
	case f.has("regex"):
		return clade.ReadRegex
	case file != nil:
		return clade.ReadWhole
	}
	d.add(f.of.at, readHint, "%s does not say where the number is", f.of.path)
	return ""
}

// readFits refuses keys that the kind has no use for and asks for those it needs.
func (d *decoder) readFits(f *fields, r *clade.Read) {
	if r.Kind == "" {
		return
	}
	why, hint := "has no use where kind is "+string(r.Kind), "remove it"
	if r.Kind != clade.ReadPointer {
		f.refuse(why, hint, "pointer")
	} else if !f.has("pointer") {
		d.add(f.of.at, "add pointer: /score", "%s.pointer is missing", f.of.path)
	}
	if r.Kind != clade.ReadRegex {
		f.refuse(why, hint, "regex", "match")
	} else {
		r.Match = orDefault(r.Match, "only")
		if !f.has("regex") {
			d.add(f.of.at, `add regex: 'score: ([0-9.]+)'`, "%s.regex is missing", f.of.path)
		}
	}
	switch r.Kind {
	case clade.ReadWhole, clade.ReadPointer, clade.ReadRegex:
	default:
		f.refuse(why, hint, "file")
	}
}

// pointerForm is RFC 6901, without the empty pointer: that is read: whole.
var pointerForm = pattern(`^(/([^~]|~[01])*)+$`)

func (d *decoder) pointer(n *node) string {
	p := d.text(n, "write read: whole for the whole output")
	if p != "" && !pointerForm().MatchString(p) {
		hint := "write ~0 for ~ and ~1 for / inside a key"
		if !strings.HasPrefix(p, "/") {
			hint = "a JSON pointer begins with /, like /score"
		}
		d.add(n.at, hint, "%s: %s is no JSON pointer", n.path, quote(p))
	}
	return p
}

func (d *decoder) regex(n *node) string {
	s := d.text(n, `write a pattern with one group, like 'score: ([0-9.]+)'`)
	if s == "" {
		return ""
	}
	re, err := regexp.Compile(s)
	switch {
	case err != nil:
		d.add(n.at, "the syntax is that of RE2; single quotes keep \\ as it is", "%s: %s", n.path, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	case re.NumSubexp() != 1:
		d.add(n.at, "put ( ) around the number and (?: ) around all else", "%s must have exactly one group, not %d", n.path, re.NumSubexp())
	}
	return s
}
