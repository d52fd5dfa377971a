package worker

import (
	"cmp"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/propose"
)

// traces are what an operator may see of its parents: what the attempt's Before
// stages measured, gates that failed first, then cases of the train split by
// score, worst first. Cases that decide are never shown.
func traces(spec *clade.Spec, cases []evaluate.Case, evs []clade.Evaluation) (out []propose.Trace) {
	rows := map[string]evaluate.Case{}
	for _, c := range cases {
		if c.Split == clade.SplitTrain {
			rows[c.ID] = c
		}
	}
	for _, e := range evs {
		if e.Stage >= 0 {
			continue
		}
		for _, s := range e.Samples {
			row, train := rows[s.Case]
			if s.Case != "" && spec.Dataset != nil && !train || s.Gate && s.Class == clade.OK && s.Value == 1 {
				continue
			}
			out = append(out, trace(e.Subject, s, row))
		}
	}
	slices.SortStableFunc(out, func(a, b propose.Trace) int { return cmp.Compare(rank(spec, a), rank(spec, b)) })
	return out
}

func trace(of clade.ID, s clade.Sample, row evaluate.Case) propose.Trace {
	t := propose.Trace{Of: of, Check: s.Check, Case: s.Case, Input: string(row.Input), Expected: row.Expected, Answer: s.Detail, Score: s.Value}
	switch {
	case s.Class != clade.OK:
		t.Failed, t.Answer = cmp.Or(s.Detail, string(s.Class)), ""
	case s.Gate:
		t.Failed, t.Answer = cmp.Or(s.Detail, "the gate said no"), ""
	}
	return t
}

// rank is lowest for what went worst.
func rank(spec *clade.Spec, t propose.Trace) float64 {
	if t.Failed != "" {
		return -1e300
	}
	sign := 1.0
	if m, ok := spec.Measure(t.Check); ok {
		sign = m.Goal.Sign()
	}
	return sign * t.Score
}
