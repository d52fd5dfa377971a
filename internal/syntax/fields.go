package syntax

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Fields is a mapping whose keys are taken one by one; Done refuses the rest.
// A key is known because it was asked for, so there is no second list of keys.
type Fields struct {
	Of      *Node
	Known   []string // the keys asked for so far
	d       *Faults
	refused []string // of which more was said than that they are unknown
}

// Fields opens a mapping. Anything else is a fault and has no keys.
func (f *Faults) Fields(n *Node, hint string) *Fields {
	if n.Kind != Mapping {
		f.Wrong(n, "a mapping", hint)
	}
	return &Fields{d: f, Of: n}
}

// Get takes a key: nil if it is absent or has no value.
func (f *Fields) Get(key string) *Node {
	f.Known = append(f.Known, key)
	n := f.Of.Get(key)
	if n != nil && n.Kind == Null {
		f.d.Add(n.At, "give it a value or remove the line", "%s has no value", n.Path)
		return nil
	}
	return n
}

// Has reports whether the key is in the file, with or without a value.
func (f *Fields) Has(key string) bool { return f.Of.Get(key) != nil }

// Need takes a key that must be there.
func (f *Fields) Need(key, hint string) *Node {
	n := f.Get(key)
	if !f.Has(key) && f.Of.Kind == Mapping {
		f.d.Add(f.Of.At, hint, "%s is missing", Join(f.Of.Path, key))
	}
	return n
}

// Refuse faults every one of these keys that is given.
func (f *Fields) Refuse(why, hint string, keys ...string) {
	for _, p := range f.Of.Pairs {
		if slices.Contains(keys, p.Key) {
			f.refused = append(f.refused, p.Key)
			f.d.Add(p.At, hint, "%s %s", Join(f.Of.Path, p.Key), why)
		}
	}
}

// Done refuses the keys nobody asked for.
func (f *Fields) Done() {
	for _, p := range f.Of.Pairs {
		if slices.Contains(f.Known, p.Key) || slices.Contains(f.refused, p.Key) {
			continue
		}
		where := ""
		if f.Of.Path != "" {
			where = " in " + f.Of.Path
		}
		f.d.Add(p.At, Suggest(p.Key, f.Known), "unknown key %s%s", Quote(p.Key), where)
	}
}

// Wrong says what n must be, unless something was said of n already.
func (f *Faults) Wrong(n *Node, want, hint string) {
	if n.Kind == Broken {
		return
	}
	name := n.Path
	if name == "" {
		name = "the file"
	}
	f.Add(n.At, hint, "%s must be %s, not %s", name, want, n)
}

// Text reads text that is not empty.
func (f *Faults) Text(n *Node, hint string) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == Number || n.Kind == Boolean:
		f.Wrong(n, "text", "quote it: "+strconv.Quote(n.Text))
	case n.Kind != Text:
		f.Wrong(n, "text", hint)
	case strings.TrimSpace(n.Text) == "":
		f.Add(n.At, hint, "%s is empty", n.Path)
	default:
		f.NoNUL(n)
		return n.Text
	}
	return ""
}

// NoNUL refuses what no path, argument or variable can hold.
func (f *Faults) NoNUL(n *Node) {
	if strings.ContainsRune(n.Text, 0) {
		f.Add(n.At, "", "%s holds a NUL", n.Path)
	}
}

// Bool reads true or false.
func (f *Faults) Bool(n *Node) bool {
	if n != nil && n.Kind != Boolean {
		f.Wrong(n, "true or false", "")
	}
	return n != nil && n.Text == "true"
}

// Exact is the largest whole number that every reader of JSON keeps exact.
const Exact = 1<<53 - 1

// Whole reads a whole number from least to most.
func (f *Faults) Whole(n *Node, least, most int64) int64 {
	if n == nil {
		return 0
	}
	v, err := strconv.ParseFloat(n.Text, 64)
	if n.Kind != Number || err != nil || v != math.Trunc(v) || math.Abs(v) > Exact {
		f.Wrong(n, "a whole number", "")
		return 0
	}
	if int64(v) < least || int64(v) > most {
		f.Wrong(n, span(least, most), "")
		return 0
	}
	return int64(v)
}

func span(least, most int64) string {
	if most == Exact {
		return "at least " + strconv.FormatInt(least, 10)
	}
	return "from " + strconv.FormatInt(least, 10) + " to " + strconv.FormatInt(most, 10)
}

// Real reads a finite number.
func (f *Faults) Real(n *Node) (v float64, ok bool) {
	if n == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(n.Text, 64)
	if n.Kind != Number || err != nil {
		f.Wrong(n, "a number", "")
		return 0, false
	}
	return v, true
}

// Optional reads a finite number that may be absent.
func (f *Faults) Optional(n *Node) *float64 {
	if v, ok := f.Real(n); ok {
		return &v
	}
	return nil
}

// Share reads a number from 0 to 1, def if absent.
func (f *Faults) Share(n *Node, def float64) float64 {
	v, ok := f.Real(n)
	if !ok {
		return def
	}
	if v < 0 || v > 1 {
		f.Wrong(n, "from 0 to 1", "")
		return def
	}
	return v
}

// Above reads a number above 0, def if absent.
func (f *Faults) Above(n *Node, def float64) float64 {
	v, ok := f.Real(n)
	if !ok {
		return def
	}
	if v <= 0 {
		f.Wrong(n, "above 0", "")
		return def
	}
	return v
}

// Choice reads one of a few words.
func (f *Faults) Choice(n *Node, words ...string) string {
	if n == nil {
		return ""
	}
	if n.Kind == Text && slices.Contains(words, n.Text) {
		return n.Text
	}
	f.Wrong(n, "one of "+strings.Join(words, ", "), Near(n, words))
	return ""
}

// Each returns the items of a list.
func (f *Faults) Each(n *Node, hint string) []*Node {
	if n == nil {
		return nil
	}
	if n.Kind != List {
		f.Wrong(n, "a list", hint)
		return nil
	}
	return n.Items
}

// Texts reads a list of texts, each passed through check unless it is nil.
func (f *Faults) Texts(n *Node, hint string, check func(*Node)) (all []string) {
	for _, item := range f.Each(n, hint) {
		s := f.Text(item, hint)
		if s != "" && check != nil {
			check(item)
		}
		all = append(all, s)
	}
	return all
}
