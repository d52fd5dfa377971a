package bench

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// A Row is one figure.
type Row struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"` // the median of N, or a rate over N attempts
	Unit   string  `json:"unit"`
	N      int     `json:"n"`
	Target string  `json:"target,omitempty"`
	Met    *bool   `json:"met,omitempty"` // null without a target
	Note   string  `json:"note,omitempty"`
}

// atMost gives the row a target that it must not exceed.
func (r Row) atMost(limit float64) Row { return r.judged("≤", limit, r.Value <= limit) }

// atLeast gives the row a target that it must reach.
func (r Row) atLeast(limit float64) Row { return r.judged("≥", limit, r.Value >= limit) }

func (r Row) judged(sign string, limit float64, met bool) Row {
	r.Target, r.Met = fmt.Sprintf("%s %g", sign, limit), &met
	return r
}

// A Report is what was measured, and under which conditions.
type Report struct {
	Conditions Conditions `json:"conditions"`
	Rows       []Row      `json:"rows"`
}

// print writes a table for people.
func (r *Report) print(w io.Writer) {
	for _, line := range r.Conditions.lines() {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "WHAT\tMEDIAN\tUNIT\tTARGET\tMET\tN")
	var notes []string
	for _, row := range r.Rows {
		name := row.Name
		if row.Note != "" {
			notes = append(notes, row.Note)
			name = fmt.Sprintf("%s (%d)", name, len(notes))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\n", name, figure(row.Value), row.Unit, dash(row.Target), met(row.Met), row.N)
	}
	_ = t.Flush() // w reports what went wrong at its next use
	for i, note := range notes {
		fmt.Fprintf(w, "(%d) %s\n", i+1, note)
	}
}

// figure writes three significant digits and never an exponent.
func figure(x float64) string {
	switch a := max(x, -x); {
	case a >= 100:
		return fmt.Sprintf("%.0f", x)
	case a >= 10:
		return fmt.Sprintf("%.1f", x)
	case a >= 1:
		return fmt.Sprintf("%.2f", x)
	case a >= 0.1 || a == 0:
		return strings.TrimSuffix(fmt.Sprintf("%.3f", x), ".000")
	}
	return fmt.Sprintf("%.4f", x)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func met(m *bool) string {
	switch {
	case m == nil:
		return "-"
	case *m:
		return "yes"
	}
	return "NO"
}
