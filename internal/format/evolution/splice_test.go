package evolution

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
)

// An author writes random evolutions in the styles that people use. It shares
// nothing with what writes them in the package.
type author struct {
	*rand.Rand
	strings.Builder
	eol      string
	comments int
}

func (a *author) pick(of ...string) string { return of[a.IntN(len(of))] }
func (a *author) coin() bool               { return a.IntN(2) == 0 }
func (a *author) spaces(n int)             { a.WriteString(strings.Repeat(" ", n)) }

// end ends a line, with a numbered comment now and then.
func (a *author) end() {
	if a.IntN(4) == 0 {
		a.comments++
		fmt.Fprintf(a, "%s#c%d: [größe {", a.pick(" ", "  ", "\t"), a.comments)
	}
	a.WriteString(a.eol)
}

// pause puts comments and blank lines between lines.
func (a *author) pause(indent int) {
	for range a.IntN(2) * a.IntN(3) {
		if a.coin() {
			a.comments++
			a.spaces(a.pick2(0, indent))
			fmt.Fprintf(a, "#c%d - id: v9", a.comments)
		}
		a.WriteString(a.eol)
	}
}

func (a *author) pick2(x, y int) int {
	if a.coin() {
		return x
	}
	return y
}

// word writes a word in any quotes.
func (a *author) word(s string) string { return a.pick(s, s, "'"+s+"'", `"`+s+`"`) }

// text writes text that may need quotes.
func (a *author) text(s string) string {
	if a.coin() {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return quoted(s)
}

var texts = []string{"a cache helps", "größe: 日本", "don't # do", "- [x], {y}", "👩‍🚀 \"q\" \\ z", "true", "1.5"}

// evolution is a random evolution, which is valid.
func (a *author) evolution() *Evolution {
	at := time.Date(2026, 5, 8, 14, 30, a.IntN(60), 0, time.UTC)
	e := &Evolution{ID: 1 + a.IntN(99), Slug: "a_slug", CreatedAt: at, UpdatedAt: at, Objective: a.pick(texts[:5]...), Budget: Budget{MaxVariants: 30, Parallel: 3}}
	for i := range 1 + a.IntN(2) {
		e.Gates = append(e.Gates, Gate{fmt.Sprintf("G%d", i+1), a.pick(texts[:5]...), "make | tee 'x'"})
		e.Rubric = append(e.Rubric, Axis{ID: fmt.Sprintf("R%d", i+1), Description: "d", Direction: Minimize, Cmd: "./b"})
	}
	for range a.IntN(4) {
		e.Variants = append(e.Variants, a.variant(e))
	}
	return e
}

func (a *author) variant(e *Evolution) Variant {
	v := Variant{ID: e.NextVariant(), Generation: len(e.Variants) + 1, Hypothesis: a.pick(texts...), Status: Status(a.pick(statuses...))}
	if n := len(e.Variants); n > 0 && a.coin() {
		v.Parents = []string{e.Variants[a.IntN(n)].ID}
	}
	v.Approach = a.pick("", "one line", "two\nlines", "with\n\n  indented: lines\n# and signs", "größe\n\ttab")
	a.judge(e, &v)
	return v
}

// judge gives a variant random results.
func (a *author) judge(e *Evolution, v *Variant) {
	v.Gates, v.Rubric = nil, nil
	v.Workspace = a.pick("", ".agents/evolutions/1-a_slug/variants/"+v.ID+"/workspace", "größe/a b")
	if a.IntN(3) == 0 {
		return
	}
	passed := true
	for _, g := range e.Gates {
		r := GateResult{ID: g.ID, Passes: a.IntN(4) > 0, Output: a.pick(append([]string{"", ""}, texts...)...)}
		passed = passed && r.Passes
		v.Gates = append(v.Gates, r)
	}
	for _, x := range e.Rubric {
		if passed {
			v.Rubric = append(v.Rubric, Value{x.ID, []float64{1, -0.25, 98.6, 1e21, 1e-9}[a.IntN(5)]})
		}
	}
}

// write writes an evolution as some person would.
func (a *author) write(e *Evolution) []byte {
	a.eol = a.pick("\n", "\n", "\r\n")
	a.WriteString(a.pick("", "", "\ufeff"))
	a.pause(0)
	a.WriteString(a.pick("", "", "---"+a.eol))
	dash, gap, step := a.IntN(3), 1+a.IntN(3), 1+a.IntN(4)
	line := func(key, value string) {
		a.pause(0)
		a.WriteString(a.pick(key, key, `"`+key+`"`) + a.pick(": ", ":  ") + value)
		a.end()
	}
	line("evolution_id", fmt.Sprint(e.ID))
	line("slug", a.word(e.Slug))
	line("created_at", a.word(e.CreatedAt.Format(time.RFC3339)))
	line("updated_at", a.word(e.UpdatedAt.Format(time.RFC3339)))
	line("objective", a.text(e.Objective))
	if a.coin() {
		line("budget", "{max_variants: 30, parallel: 3}")
	} else {
		a.WriteString("budget:")
		a.end()
		for _, s := range []string{"max_variants: 30", "parallel: 3"} {
			a.spaces(step)
			a.WriteString(s)
			a.end()
		}
	}
	var gates, rubric []string
	for _, g := range e.Gates {
		gates = append(gates, fmt.Sprintf("{id: %s, description: %s, cmd: %s}", g.ID, a.text(g.Description), a.text(g.Cmd)))
	}
	for _, x := range e.Rubric {
		rubric = append(rubric, fmt.Sprintf("{id: %s, description: d, direction: minimize, cmd: ./b}", x.ID))
	}
	for i, items := range [][]string{gates, rubric} {
		key := []string{"gates", "rubric"}[i]
		if a.coin() {
			line(key, "["+strings.Join(items, ", ")+"]")
			continue
		}
		a.WriteString(key + ":")
		a.end()
		for _, item := range items {
			a.spaces(dash)
			a.WriteString("-" + strings.Repeat(" ", gap) + item)
			a.end()
		}
	}
	a.variants(e, dash, gap)
	a.pause(0)
	out := a.String()
	if a.coin() {
		out = strings.TrimRight(out, "\r\n")
	}
	return []byte(out)
}

func (a *author) variants(e *Evolution, dash, gap int) {
	a.pause(0)
	a.WriteString("variants:")
	switch {
	case len(e.Variants) == 0:
		a.WriteString(a.pick(" []", " [ ]", "  []", " [", " &none []"))
		if strings.HasSuffix(a.String(), " [") {
			a.WriteString(a.eol + "  ]")
		}
		a.end()
	case a.IntN(4) == 0:
		var items []string
		for _, v := range e.Variants {
			items = append(items, "{"+strings.Join(a.flow(v), ", ")+"}")
		}
		sep := a.pick(" ", a.eol+"  ")
		a.WriteString(" [" + sep + strings.Join(items, ","+sep) + a.pick("", ",", " ", a.eol) + "]")
		a.end()
	default:
		a.end()
		for _, v := range e.Variants {
			a.pause(dash)
			a.spaces(dash)
			a.WriteString("-")
			if a.IntN(3) == 0 {
				sep := a.pick(" ", a.eol+strings.Repeat(" ", dash+6))
				a.WriteString(" {" + a.pick("", sep) + strings.Join(a.flow(v), ","+sep) + a.pick("", ",", " ", a.eol+strings.Repeat(" ", dash+2)) + "}")
				a.end()
				continue
			}
			a.spaces(gap)
			a.entry(v, dash+1+gap, dash)
		}
	}
}

// flow is a variant's keys for braces.
func (a *author) flow(v Variant) []string {
	out := []string{a.pick("id: ", `"id": `) + v.ID, fmt.Sprintf("generation: %d", v.Generation)}
	if len(v.Parents) > 0 {
		out = append(out, "parents: ["+strings.Join(v.Parents, ", ")+"]")
	}
	out = append(out, "hypothesis: "+a.text(v.Hypothesis))
	if v.Approach != "" {
		out = append(out, "approach: "+quoted(v.Approach))
	}
	out = append(out, "status: "+a.word(string(v.Status)))
	if v.Workspace != "" {
		out = append(out, "workspace: "+a.text(v.Workspace))
	}
	for i, items := range results(v) {
		key := []string{"gates", "rubric"}[i]
		if len(items) == 0 {
			continue
		}
		out = append(out, key+": ["+strings.Join(items, ", ")+"]")
	}
	return out
}

// results are a variant's results as entries in braces.
func results(v Variant) (out [2][]string) {
	for _, g := range v.Gates {
		s := fmt.Sprintf("{id: %s, passes: %v", g.ID, g.Passes)
		if g.Output != "" {
			s += ", output: " + quoted(g.Output)
		}
		out[0] = append(out[0], s+"}")
	}
	for _, x := range v.Rubric {
		out[1] = append(out[1], fmt.Sprintf("{id: %s, value: %v}", x.ID, x.Value))
	}
	return out
}

// entry writes a variant with a key to a line.
func (a *author) entry(v Variant, indent, dash int) {
	first := true
	line := func(key, value string) {
		if !first {
			a.pause(indent)
			a.spaces(indent)
		}
		first = false
		a.WriteString(key + ": " + value)
		a.end()
	}
	line("id", v.ID)
	line("generation", fmt.Sprint(v.Generation))
	if len(v.Parents) > 0 {
		line("parents", "["+strings.Join(v.Parents, ", ")+"]")
	}
	line("hypothesis", a.text(v.Hypothesis))
	approach := func() {
		if !strings.Contains(v.Approach, "\n") || strings.Contains(v.Approach, "\t") || a.IntN(3) == 0 {
			if v.Approach != "" {
				line("approach", quoted(v.Approach))
			}
			return
		}
		a.pause(indent)
		a.spaces(indent)
		a.WriteString("approach: " + a.pick("|", "|-", "| #lit"))
		for _, l := range strings.Split(v.Approach, "\n") {
			a.WriteString(a.eol)
			if l != "" {
				a.spaces(indent + 1 + dash)
				a.WriteString(l)
			}
		}
		a.WriteString(a.eol)
	}
	late := a.coin()
	if !late {
		approach()
	}
	line("status", a.word(string(v.Status)))
	if v.Workspace != "" {
		line("workspace", a.text(v.Workspace))
	}
	for i, items := range results(v) {
		key := []string{"gates", "rubric"}[i]
		if len(items) == 0 {
			continue
		}
		if a.coin() {
			a.pause(indent)
			a.spaces(indent)
			a.WriteString(key + ": [" + strings.Join(items, ", ") + "]" + a.eol)
			continue
		}
		a.spaces(indent)
		a.WriteString(key + ":" + a.eol)
		for _, item := range items {
			a.spaces(indent + dash)
			a.WriteString("- " + item + a.eol)
		}
	}
	if late {
		approach()
	}
}

// change makes random changes of the kinds that are written.
func (a *author) change(e *Evolution) *Evolution {
	out := e.Clone()
	for i := range out.Variants {
		v := &out.Variants[i]
		if a.coin() {
			v.Status = Status(a.pick(statuses...))
		}
		if a.coin() {
			a.judge(e, v)
		}
	}
	for range a.IntN(3) {
		out.Variants = append(out.Variants, a.variant(out))
	}
	if n := len(out.Variants); n > 0 && a.coin() {
		out.Winner = &Winner{out.Variants[a.IntN(n)].ID, a.pick(append([]string{"two\nlines"}, texts...)...)}
		if a.coin() {
			out.Applied = &Applied{e.CreatedAt.Add(time.Hour), []string{"src/a.go", "größe x", "- [y]"}[:a.IntN(4)]}
		}
	}
	if a.coin() {
		out.UpdatedAt = out.UpdatedAt.Add(time.Duration(a.IntN(1e6)) * time.Millisecond)
	}
	return out
}

// holdUpdate makes an update and holds it to what it promises: it says what was
// wanted, everything outside of its edits is as it was, and no comment is lost.
func holdUpdate(t *testing.T, d *Document, want *Evolution) *Document {
	t.Helper()
	out, err := d.Update(want)
	if err != nil {
		t.Fatalf("refused: %v\n%s", err, d.Data)
	}
	again, err := Parse(d.Name, out.Data)
	if err != nil || !equal(again, tidy(want, d.Evolution)) {
		t.Fatalf("%v: something else is said\n%s\nbefore\n%s", err, out.Data, d.Data)
	}
	otherReader(t, out)
	w := newWriter(d, false)
	w.evolution(d.Evolution, tidy(want, d.Evolution))
	if made, _ := splice(d.Data, w.edits); !bytes.Equal(made, out.Data) {
		w = newWriter(d, true)
		w.evolution(d.Evolution, tidy(want, d.Evolution))
	}
	if back := undo(out.Data, d.Data, w.edits); !bytes.Equal(back, d.Data) {
		t.Fatalf("without the edits it is\n%s\nbefore\n%s", back, d.Data)
	}
	for _, e := range w.edits {
		if old := d.Data[e.Start:e.End]; bytes.Contains(old, []byte("#c")) && e.text != "" {
			t.Fatalf("a comment is written over: %q by %q", old, e.text)
		}
	}
	return out
}

// otherReader reads what was written with another library, which must see the
// same variants.
func otherReader(t *testing.T, d *Document) {
	t.Helper()
	var got struct {
		Variants []struct {
			ID, Status, Hypothesis, Approach, Workspace string
			Gates                                       []struct{ Output string }
			Rubric                                      []struct{ Value float64 }
		}
		Winner struct{ Rationale string }
	}
	if err := yaml.Unmarshal(d.Data, &got); err != nil {
		t.Fatalf("another reader: %v\n%s", err, d.Data)
	}
	for i, v := range d.Evolution.Variants {
		g := got.Variants[i]
		if g.ID != v.ID || g.Status != string(v.Status) || g.Hypothesis != v.Hypothesis || strings.TrimRight(g.Approach, "\n") != v.Approach ||
			g.Workspace != v.Workspace || len(g.Gates) != len(v.Gates) || len(g.Rubric) != len(v.Rubric) {
			t.Fatalf("another reader sees %+v\n%s", g, d.Data)
		}
	}
	if w := d.Evolution.Winner; w != nil && strings.TrimRight(got.Winner.Rationale, "\n") != w.Rationale {
		t.Fatalf("another reader sees %+v\n%s", got.Winner, d.Data)
	}
}

// undo takes edits out of what they made.
func undo(made, original []byte, edits []edit) []byte {
	var out bytes.Buffer
	at, shift := 0, 0
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, byPlace)
	for _, e := range sorted {
		from := e.Start + shift
		out.Write(made[at:from])
		out.Write(original[e.Start:e.End])
		at = from + len(e.text)
		shift += len(e.text) - (e.End - e.Start)
	}
	out.Write(made[at:])
	return out.Bytes()
}

// TestUpdatesOfRandomDocuments changes documents in every style that an author
// has, several times each.
func TestUpdatesOfRandomDocuments(t *testing.T) {
	t.Parallel()
	for seed := range uint64(700) {
		a := &author{Rand: rand.New(rand.NewPCG(seed, 3))}
		e := a.evolution()
		data := a.write(e)
		d, err := Open("evolution.yaml", data)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, data)
		}
		if !equal(d.Evolution, e) {
			t.Fatalf("seed %d: another evolution is read\n%s", seed, data)
		}
		for range 3 {
			d = holdUpdate(t, d, a.change(d.Evolution))
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestUpdateOfNothing: a want that says the same gives the same bytes.
func TestUpdateOfNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		a := &author{Rand: rand.New(rand.NewPCG(seed, 4))}
		d, err := Open("evolution.yaml", a.write(a.evolution()))
		if err != nil {
			t.Fatal(err)
		}
		out, err := d.Update(d.Evolution)
		if err != nil || !bytes.Equal(out.Data, d.Data) {
			t.Fatalf("seed %d: %v\n%s", seed, err, d.Data)
		}
	}
}
