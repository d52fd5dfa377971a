package evolution

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Row is one variant in the table of results.
type Row struct {
	Variant  *Variant
	Eligible bool
	Rank     int       // from 1; 0: not eligible
	Score    float64   // from 0 to 1, of what is eligible
	Values   []float64 // raw, in the order of the axes; NaN where nothing was measured
	// Why says what keeps it from being ranked: "G2 ✗", "killed", "G3 ?" for a
	// gate that was not run; "" if nothing does.
	Why string
}

// Score ranks the variants as they stand now. Nothing of it is stored. Eligible
// is what was evaluated, passed every declared gate and has a number for every
// axis. On each axis the best has rank 1 and ties share the mean of their
// ranks; a rank becomes (n−rank)/(n−1), or 1 where there is only one; the score
// is the weighted mean over the axes. Rows are in the order of the table: by
// score, then the lower id, and below them what is not eligible, by id.
func Score(e *Evolution) []Row {
	rows := make([]Row, 0, len(e.Variants))
	var ranked []*Row
	for i := range e.Variants {
		rows = append(rows, row(e, &e.Variants[i]))
	}
	for i := range rows {
		if rows[i].Eligible {
			ranked = append(ranked, &rows[i])
		}
	}
	composite(e.Rubric, ranked)
	slices.SortStableFunc(rows, func(a, b Row) int {
		switch {
		case a.Eligible != b.Eligible:
			return map[bool]int{true: -1, false: 1}[a.Eligible]
		case a.Eligible && !same(a.Score, b.Score):
			return cmp.Compare(b.Score, a.Score)
		}
		return byNumber(a.Variant, b.Variant)
	})
	for i := range rows {
		if rows[i].Eligible {
			rows[i].Rank = i + 1
		}
	}
	return rows
}

// same reports whether two scores differ by no more than rounding.
func same(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

func row(e *Evolution, v *Variant) Row {
	r := Row{Variant: v}
	var why, unrun []string
	if v.Status != Evaluated {
		why = append(why, string(v.Status))
	}
	for _, g := range e.Gates {
		i := slices.IndexFunc(v.Gates, func(r GateResult) bool { return r.ID == g.ID })
		switch {
		case i >= 0 && !v.Gates[i].Passes:
			why = append(why, g.ID+" ✗")
		case i < 0 && v.Status == Evaluated:
			unrun = append(unrun, g.ID+" ?")
		}
	}
	if len(why) == 0 { // what comes after a gate that failed is not run
		why = unrun
	}
	failed := len(why) > 0
	for _, a := range e.Rubric {
		i := slices.IndexFunc(v.Rubric, func(x Value) bool { return x.ID == a.ID })
		if i >= 0 {
			r.Values = append(r.Values, v.Rubric[i].Value)
			continue
		}
		r.Values = append(r.Values, math.NaN())
		if !failed {
			why = append(why, a.ID+" ?")
		}
	}
	r.Why, r.Eligible = strings.Join(why, ", "), len(why) == 0
	return r
}

// composite fills in the scores of what is eligible.
func composite(axes []Axis, rows []*Row) {
	n, weights := float64(len(rows)), 0.0
	for k, a := range axes {
		weights += a.weight()
		for _, r := range rows {
			norm := 1.0
			if n > 1 {
				norm = (n - rank(a, k, r, rows)) / (n - 1)
			}
			r.Score += a.weight() * norm
		}
	}
	for _, r := range rows {
		r.Score /= weights
	}
}

// rank is a row's rank on the k-th axis, from 1, ties averaged.
func rank(a Axis, k int, r *Row, rows []*Row) float64 {
	better, equal := 0, 0
	for _, o := range rows {
		x, y := o.Values[k], r.Values[k]
		switch {
		case x == y:
			equal++
		case (x < y) == (a.Direction == Minimize):
			better++
		}
	}
	return float64(better) + float64(equal+1)/2
}

// Leader is the row that would win: rank 1, which ties leave to the lower id.
// Two variants never share an id, so that parents are never counted.
func Leader(rows []Row) (Row, bool) {
	if len(rows) == 0 || !rows[0].Eligible {
		return Row{}, false
	}
	return rows[0], true
}

// RowOf returns the row of a variant, and whether there is one. Its Why says what
// keeps the variant from winning, and so from being applied.
func RowOf(rows []Row, variant string) (Row, bool) {
	for _, r := range rows {
		if r.Variant.ID == variant {
			return r, true
		}
	}
	return Row{}, false
}

// Table is the results as a Markdown table. Notes has a remark by variant; one
// that is not eligible shows why before it.
func Table(e *Evolution, rows []Row, notes map[string]string) string {
	var b strings.Builder
	head := []string{"Rank", "Variant", "Gen", "Parents", "Score"}
	head = append(append(head, axisIDs(e)...), "Notes")
	writeRow(&b, head)
	b.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, r := range rows {
		cells := []string{"—", r.Variant.ID, strconv.Itoa(r.Variant.Generation), parents(r.Variant), "—"}
		if r.Eligible {
			cells[0], cells[4] = strconv.Itoa(r.Rank), fmt.Sprintf("%.2f", r.Score)
		}
		for _, v := range r.Values {
			cells = append(cells, number(v))
		}
		note := oneLine(notes[r.Variant.ID])
		if r.Why != "" {
			note = strings.TrimSuffix(r.Why+"; "+note, "; ")
		}
		writeRow(&b, append(cells, strings.ReplaceAll(note, "|", `\|`)))
	}
	return b.String()
}

func writeRow(b *strings.Builder, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// number is a value for people, — where there is none.
func number(v float64) string {
	if math.IsNaN(v) {
		return "—"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func parents(v *Variant) string {
	if len(v.Parents) == 0 {
		return "—"
	}
	return strings.Join(v.Parents, ", ")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
