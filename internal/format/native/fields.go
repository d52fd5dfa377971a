package native

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cladehq/clade"
)

// A decoder makes a spec of a tree and collects what is wrong with it. Its
// methods take nil for what is absent and return the zero value for what is
// absent or wrong, so that one pass finds every fault.
type decoder struct {
	*faults
	gates     []string // ids of the gates
	dataset   bool
	benchmark bool
	models    []clade.Model // those of the file, and those that operators add
}

// fields is a mapping whose keys are taken one by one; done refuses the rest.
// A key is known because it was asked for, so there is no second list of keys.
type fields struct {
	d       *decoder
	of      *node
	known   []string
	refused []string // of which more was said than that they are unknown
}

// fields opens a mapping. Anything else is a fault and has no keys.
func (d *decoder) fields(n *node, hint string) *fields {
	if n.kind != mapping {
		d.wrong(n, "a mapping", hint)
	}
	return &fields{d: d, of: n}
}

// get takes a key: nil if it is absent or has no value.
func (f *fields) get(key string) *node {
	f.known = append(f.known, key)
	n := f.of.get(key)
	if n != nil && n.kind == null {
		f.d.add(n.at, "give it a value or remove the line", "%s has no value", n.path)
		return nil
	}
	return n
}

// has reports whether the key is in the file, with or without a value.
func (f *fields) has(key string) bool { return f.of.get(key) != nil }

// need takes a key that must be there.
func (f *fields) need(key, hint string) *node {
	n := f.get(key)
	if !f.has(key) && f.of.kind == mapping {
		f.d.add(f.of.at, hint, "%s is missing", join(f.of.path, key))
	}
	return n
}

// refuse faults every one of these keys that is given.
func (f *fields) refuse(why, hint string, keys ...string) {
	for _, p := range f.of.pairs {
		if slices.Contains(keys, p.key) {
			f.refused = append(f.refused, p.key)
			f.d.add(p.at, hint, "%s %s", join(f.of.path, p.key), why)
		}
	}
}

// done refuses the keys nobody asked for.
func (f *fields) done() {
	for _, p := range f.of.pairs {
		if slices.Contains(f.known, p.key) || slices.Contains(f.refused, p.key) {
			continue
		}
		where := ""
		if f.of.path != "" {
			where = " in " + f.of.path
		}
		f.d.add(p.at, suggest(p.key, f.known), "unknown key %s%s", quote(p.key), where)
	}
}

// wrong says what n must be, unless something was said of n already.
func (d *decoder) wrong(n *node, want, hint string) {
	if n.kind == broken {
		return
	}
	name := n.path
	if name == "" {
		name = "the spec"
	}
	d.add(n.at, hint, "%s must be %s, not %s", name, want, n)
}

// text reads text that is not empty.
func (d *decoder) text(n *node, hint string) string {
	switch {
	case n == nil:
		return ""
	case n.kind == number || n.kind == boolean:
		d.wrong(n, "text", "quote it: "+strconv.Quote(n.text))
	case n.kind != text:
		d.wrong(n, "text", hint)
	case strings.TrimSpace(n.text) == "":
		d.add(n.at, hint, "%s is empty", n.path)
	default:
		d.noNUL(n)
		return n.text
	}
	return ""
}

// noNUL refuses what no path, argument or variable can hold.
func (d *decoder) noNUL(n *node) {
	if strings.ContainsRune(n.text, 0) {
		d.add(n.at, "", "%s holds a NUL", n.path)
	}
}

func (d *decoder) bool(n *node) bool {
	if n != nil && n.kind != boolean {
		d.wrong(n, "true or false", "")
	}
	return n != nil && n.text == "true"
}

// exact is the largest whole number that every reader of JSON keeps exact.
const exact = 1<<53 - 1

// whole reads a whole number from least to most.
func (d *decoder) whole(n *node, least, most int64) int64 {
	if n == nil {
		return 0
	}
	v, err := strconv.ParseFloat(n.text, 64)
	if n.kind != number || err != nil || v != math.Trunc(v) || math.Abs(v) > exact {
		d.wrong(n, "a whole number", "")
		return 0
	}
	if int64(v) < least || int64(v) > most {
		d.wrong(n, span(least, most), "")
		return 0
	}
	return int64(v)
}

func span(least, most int64) string {
	if most == exact {
		return "at least " + strconv.FormatInt(least, 10)
	}
	return "from " + strconv.FormatInt(least, 10) + " to " + strconv.FormatInt(most, 10)
}

// real reads a finite number.
func (d *decoder) real(n *node) (v float64, ok bool) {
	if n == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(n.text, 64)
	if n.kind != number || err != nil {
		d.wrong(n, "a number", "")
		return 0, false
	}
	return v, true
}

// optional reads a finite number that may be absent.
func (d *decoder) optional(n *node) *float64 {
	if v, ok := d.real(n); ok {
		return &v
	}
	return nil
}

// share reads a number from 0 to 1, def if absent.
func (d *decoder) share(n *node, def float64) float64 {
	v, ok := d.real(n)
	if !ok {
		return def
	}
	if v < 0 || v > 1 {
		d.wrong(n, "from 0 to 1", "")
		return def
	}
	return v
}

// above reads a number above 0, def if absent.
func (d *decoder) above(n *node, def float64) float64 {
	v, ok := d.real(n)
	if !ok {
		return def
	}
	if v <= 0 {
		d.wrong(n, "above 0", "")
		return def
	}
	return v
}

// duration reads a length of time above 0.
func (d *decoder) duration(n *node) clade.Duration {
	if n == nil {
		return 0
	}
	var v clade.Duration
	if n.kind != text || v.UnmarshalText([]byte(n.text)) != nil {
		d.wrong(n, "a length of time", "write it with its unit, like 90s, 5m or 1h30m")
	} else if v == 0 {
		d.wrong(n, "above 0", "")
	}
	return v
}

// size reads a number of bytes above 0.
func (d *decoder) size(n *node, def clade.Bytes) clade.Bytes {
	if n == nil {
		return def
	}
	var v clade.Bytes
	if n.kind != text && n.kind != number || v.UnmarshalText([]byte(n.text)) != nil {
		d.wrong(n, "a size", "write it like 64MiB, 2GiB or 1000")
	} else if v == 0 {
		d.wrong(n, "at least one byte", "")
	}
	return v
}

// money reads an amount above 0.
func (d *decoder) money(n *node) *clade.Microdollars {
	if n == nil {
		return nil
	}
	var v clade.Microdollars
	if n.kind != number || v.UnmarshalJSON([]byte(n.text)) != nil {
		d.wrong(n, "an amount of US dollars", "write it like 2.50, with at most six decimals")
	} else if v <= 0 {
		d.wrong(n, "above 0", "")
	}
	return &v
}

// choice reads one of a few words.
func (d *decoder) choice(n *node, words ...string) string {
	if n == nil {
		return ""
	}
	if n.kind == text && slices.Contains(words, n.text) {
		return n.text
	}
	d.wrong(n, "one of "+strings.Join(words, ", "), near(n, words))
	return ""
}

// near is the suggestion for a word that is not among words, "" if none is near.
func near(n *node, words []string) string {
	if hint := suggest(n.text, words); n.kind == text && strings.HasPrefix(hint, "did") {
		return hint
	}
	return ""
}

// each returns the items of a list.
func (d *decoder) each(n *node, hint string) []*node {
	if n == nil {
		return nil
	}
	if n.kind != list {
		d.wrong(n, "a list", hint)
		return nil
	}
	return n.items
}

// texts reads a list of texts, each passed through check unless it is nil.
func (d *decoder) texts(n *node, hint string, check func(*node)) (all []string) {
	for _, item := range d.each(n, hint) {
		s := d.text(item, hint)
		if s != "" && check != nil {
			check(item)
		}
		all = append(all, s)
	}
	return all
}

// options reads settings that their implementation checks.
func (d *decoder) options(n *node) clade.Options {
	if n == nil {
		return nil
	}
	if n.kind != mapping {
		d.wrong(n, "a mapping", "")
		return nil
	}
	o, _ := d.any(n).(map[string]any)
	if len(o) == 0 {
		return nil
	}
	return o
}

// without refuses every setting of what has none. A slip is likely to be meant
// for one of the keys around.
func (d *decoder) without(n *node, why string, around []string) {
	if d.options(n) == nil {
		return
	}
	for _, p := range n.pairs {
		hint := "remove it"
		if slices.Contains(around, p.key) {
			hint = "write it beside with, not in it"
		}
		d.add(p.at, hint, "unknown key %s in %s: %s", quote(p.key), n.path, why)
	}
}

// any is the value as encoding/json would give it.
func (d *decoder) any(n *node) any {
	switch n.kind {
	case boolean:
		return n.text == "true"
	case number:
		v, _ := d.real(n)
		return v
	case text:
		return n.text
	case list:
		all := make([]any, len(n.items))
		for i, item := range n.items {
			all[i] = d.any(item)
		}
		return all
	case mapping:
		all := make(map[string]any, len(n.pairs))
		for _, p := range n.pairs {
			all[p.key] = d.any(p.value)
		}
		return all
	}
	return nil
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
