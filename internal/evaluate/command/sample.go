package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
)

// averaged runs the unit as often as one sample takes, and averages. The first
// run that gives no number ends it.
func (s *stage) averaged(ctx context.Context, u *unit, p *place) ([]clade.Sample, error) {
	sum, err := s.once(ctx, u, p)
	for n := 1; n < u.repeats && err == nil && allOK(sum); n++ {
		var next []clade.Sample
		if next, err = s.once(ctx, u, p); err != nil {
			return nil, err
		}
		if !allOK(next) {
			return next, nil
		}
		if !sameChecks(sum, next) {
			return noNumbers(u, "runs of the benchmark named different tasks"), nil
		}
		for i := range sum {
			sum[i].Value += (next[i].Value - sum[i].Value) / float64(n+1)
		}
	}
	return sum, err
}

func allOK(samples []clade.Sample) bool {
	for _, one := range samples {
		if one.Class != clade.OK {
			return false
		}
	}
	return true
}

func sameChecks(a, b []clade.Sample) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Check != b[i].Check || a[i].Case != b[i].Case {
			return false
		}
	}
	return true
}

// noNumbers says of every measure of the unit that the evaluator failed.
func noNumbers(u *unit, why string) []clade.Sample {
	return failures(u, clade.ClassEvaluator, why)
}

func failures(u *unit, class clade.Class, why string) (out []clade.Sample) {
	id := ""
	if u.asked != nil {
		id = u.asked.ID
	}
	for _, m := range u.measures {
		out = append(out, clade.Sample{Check: m.ID, Case: id, Class: class, Detail: why})
	}
	return out
}

// once runs the unit's command once.
func (s *stage) once(ctx context.Context, u *unit, p *place) ([]clade.Sample, error) {
	ws, err := s.workspace(ctx, p)
	if err != nil {
		return nil, err
	}
	q := request{name: u.name, cmd: u.cmd, exclusive: u.timing}
	if u.asked != nil {
		return s.answer(ctx, ws, u, p, q)
	}
	for _, m := range u.measures {
		q.result = q.result || s.readsResult(m)
		if m.Read.File != "" && readsText(m) {
			q.files = append(q.files, m.Read.File)
		}
	}
	r, err := s.run(ctx, ws, q)
	if err != nil {
		return nil, err
	}
	if bad := s.census(u, p, &r); bad != nil {
		return bad, nil
	}
	if u.gate != "" {
		return s.passed(u, p, &r), nil
	}
	if class, why := s.blame(p, &r); class != clade.OK {
		return failures(u, class, why), nil
	}
	return numbers(u, &r), nil
}

func readsText(m clade.Measure) bool {
	switch m.Read.Kind {
	case clade.ReadWhole, clade.ReadPointer, clade.ReadRegex, "":
		return true
	}
	return false
}

// hintNotFound is what to do about a base whose program is missing.
const hintNotFound = "a program was not found: is it installed, on PATH and seen by the sandbox?"

// blame says whose fault it is that a measure's command gave no number.
func (s *stage) blame(p *place, r *ran) (clade.Class, string) {
	fate, base := r.fate(), p.subject.ID == clade.Base
	switch {
	case fate == "":
		return clade.OK, ""
	case base && r.notFound():
		return clade.ClassEvaluator, detail(fate+"; "+hintNotFound, r.text)
	case base && r.beyond():
		return clade.ClassEvaluator, detail("the base itself "+fate+"; raise the limit", r.text)
	case r.beyond(), !base && len(s.job.Spec.Gates) == 0:
		return clade.ClassCandidate, detail(fate, r.text)
	}
	return clade.ClassEvaluator, detail(fate, r.text)
}

// numbers reads every measure of the unit from a run that succeeded.
func numbers(u *unit, r *ran) (out []clade.Sample) {
	for _, m := range u.measures {
		if m.Read.Kind == clade.ReadCases {
			out = append(out, tasks(m, r)...)
			continue
		}
		v, err := number(m, r)
		out = append(out, sampleOf(m, "", v, err, r))
	}
	return out
}

// sampleOf is a number that keeps to the measure's bounds, or why there is none.
func sampleOf(m clade.Measure, id string, v float64, err error, r *ran) clade.Sample {
	if err == nil {
		err = within(m, v)
	}
	one := clade.Sample{Check: m.ID, Case: id, Value: v}
	if err != nil {
		one.Value, one.Class, one.Detail = 0, clade.ClassEvaluator, detail(r.hide.Hide(err.Error()), r.text)
	}
	return one
}

func within(m clade.Measure, v float64) error {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return fmt.Errorf("%v is no score", v)
	case m.Min != nil && v < *m.Min:
		return fmt.Errorf("%v is outside the declared bounds: less than %v", v, *m.Min)
	case m.Max != nil && v > *m.Max:
		return fmt.Errorf("%v is outside the declared bounds: more than %v", v, *m.Max)
	}
	return nil
}

func tasks(m clade.Measure, r *ran) (out []clade.Sample) {
	if r.noGood == nil && len(r.result.Tasks) == 0 {
		r.noGood = errors.New(`its result has no "tasks"`)
	}
	if r.noGood != nil {
		return []clade.Sample{sampleOf(m, "", 0, r.noGood, r)}
	}
	for _, t := range r.result.Tasks {
		out = append(out, sampleOf(m, t.Name, t.Score, nil, r))
	}
	return out
}

func number(m clade.Measure, r *ran) (float64, error) {
	switch m.Read.Kind {
	case clade.ReadClock:
		if r.Wall <= 0 {
			return 0, fmt.Errorf("a wall time of %v is no measurement", r.Wall)
		}
		return r.Wall.Seconds() / secondsIn(m.Unit), nil
	case clade.ReadMemory:
		if r.PeakMemory <= 0 {
			return 0, errors.New("the peak memory is not known: this sandbox cannot tell, or the command needed less than clade itself")
		}
		return float64(r.PeakMemory) / bytesIn(m.Unit), nil
	case clade.ReadResult:
		if r.noGood == nil && !r.result.Scored {
			return 0, errors.New(`its result has no "score"`)
		}
		return r.result.Score, r.noGood
	}
	if m.Read.File != "" {
		f := r.files[m.Read.File]
		if f.err != nil {
			return 0, f.err
		}
		return evaluate.ReadNumber(m.Read, evaluate.Output{Head: f.data})
	}
	return evaluate.ReadNumber(m.Read, evaluate.Output{
		Head: r.Stdout.Head, Tail: r.Stdout.Tail, Truncated: r.Stdout.Truncated(),
	})
}

// secondsIn is the unit of a wall clock in seconds; one that is not a unit of
// time is a second.
func secondsIn(unit string) float64 {
	d, err := time.ParseDuration("1" + unit)
	if err != nil {
		return 1
	}
	return d.Seconds()
}

// bytesIn is the unit of a peak memory in bytes; one that is not a unit of size
// is a byte.
func bytesIn(unit string) float64 {
	var size clade.Bytes
	if err := size.UnmarshalText([]byte("1" + unit)); err != nil || size <= 0 {
		return 1
	}
	return float64(size)
}
