package evolution

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// A value is what is written into the file: a word as it stands, text, a list
// or a mapping.
type value struct {
	word  string // a number, true, an id: never in need of quotes but in JSON
	text  *string
	bare  bool // word is no string: not in quotes in JSON either
	list  []value
	pairs []entry
	kind  valueKind
}

type valueKind int

const (
	scalarValue valueKind = iota
	listValue
	mappingValue
)

type entry struct {
	key   string
	value value
}

func word(s string) value        { return value{word: s} }
func text(s string) value        { return value{text: &s} }
func bare(s string) value        { return value{word: s, bare: true} }
func realNumber(v float64) value { return bare(float(v)) }
func whole(n int) value          { return bare(strconv.Itoa(n)) }
func moment(t time.Time) value {
	return word(t.Format(time.RFC3339Nano))
}

func mappingOf(pairs ...entry) value { return value{kind: mappingValue, pairs: pairs} }

func textsOf(all []string, one func(string) value) value {
	v := value{kind: listValue}
	for _, s := range all {
		v.list = append(v.list, one(s))
	}
	return v
}

// float writes a number the way people do while it is of a human size.
func float(v float64) string {
	if s := strconv.FormatFloat(v, 'f', -1, 64); len(s) < 20 {
		return s
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func gatesValue(all []GateResult) value {
	v := value{kind: listValue}
	for _, g := range all {
		m := mappingOf(entry{"id", word(g.ID)}, entry{"passes", bare(strconv.FormatBool(g.Passes))})
		if g.Output != "" {
			m.pairs = append(m.pairs, entry{"output", text(g.Output)})
		}
		v.list = append(v.list, m)
	}
	return v
}

func rubricValue(all []Value) value {
	v := value{kind: listValue}
	for _, x := range all {
		v.list = append(v.list, mappingOf(entry{"id", word(x.ID)}, entry{"value", realNumber(x.Value)}))
	}
	return v
}

// variantValue is a whole variant, its keys in the order of the schema.
func variantValue(v *Variant) value {
	m := mappingOf(entry{"id", word(v.ID)}, entry{"generation", whole(v.Generation)},
		entry{"parents", textsOf(v.Parents, word)}, entry{"hypothesis", text(v.Hypothesis)})
	add := func(given bool, key string, x value) {
		if given {
			m.pairs = append(m.pairs, entry{key, x})
		}
	}
	add(v.Approach != "", "approach", text(v.Approach))
	add(true, "status", word(string(v.Status)))
	add(v.Workspace != "", "workspace", text(v.Workspace))
	add(len(v.Gates) > 0, "gates", gatesValue(v.Gates))
	add(len(v.Rubric) > 0, "rubric", rubricValue(v.Rubric))
	return m
}

func winnerValue(w *Winner) value {
	return mappingOf(entry{"variant_id", word(w.Variant)}, entry{"rationale", text(w.Rationale)})
}

func appliedValue(a *Applied) value {
	return mappingOf(entry{"at", moment(a.At)}, entry{"files_changed", textsOf(a.FilesChanged, text)})
}

// safeText is text that means itself without quotes, for every reader of YAML.
var (
	safeText = pattern(`^[A-Za-z_/][^\x00-\x1f\x7f-\x9f\x{a0}\x{2028}\x{2029}\x{feff}]*$`)
	dotText  = pattern(`^\.[A-Za-z][A-Za-z]+/`)
	reserved = pattern(`^(?i:true|false|yes|no|on|off|y|n|null)$`)
)

func plainText(s string, flow bool) bool {
	switch {
	case !safeText().MatchString(s) && !dotText().MatchString(s), reserved().MatchString(s),
		strings.TrimSpace(s) != s, strings.Contains(s, ": "), strings.Contains(s, " #"), strings.HasSuffix(s, ":"),
		strings.ContainsAny(s, "\t\r\n"):
		return false
	}
	return !flow || !strings.ContainsAny(s, ",[]{}:")
}

// quoted is text in double quotes, which YAML and JSON read alike.
func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	var out strings.Builder
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		if r >= 0x7f && r <= 0x9f || r == 0xfeff { // what not every reader takes as it is
			out.WriteString(`\u` + strconv.FormatInt(0x10000+int64(r), 16)[1:])
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// scalar writes a scalar on one line.
func (v value) scalar(flow, jsonStyle bool) string {
	switch {
	case v.text == nil && jsonStyle && !v.bare:
		return quoted(v.word)
	case v.text == nil:
		return v.word
	case !jsonStyle && plainText(*v.text, flow):
		return *v.text
	}
	return quoted(*v.text)
}

// lines reports whether a text is written behind |, and its lines: several of
// them, none of which the indentation or a reader could change.
func (v value) lines() ([]string, bool) {
	if v.text == nil || !strings.Contains(*v.text, "\n") {
		return nil, false
	}
	all := strings.Split(*v.text, "\n")
	for i, l := range all {
		if i == 0 && (l == "" || l[0] == ' ' || l[0] == '\t') || strings.TrimRight(l, " \t") != l || l != "" && !literalLine().MatchString(l) {
			return nil, false
		}
	}
	return all, true
}

var literalLine = pattern(`^[^\x00-\x1f\x7f-\x9f\x{2028}\x{2029}\x{feff}]*$`)
