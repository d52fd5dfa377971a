package command

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mathext"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
)

// passed turns a gate's run into its sample and, when it passed, those of the
// measures that read the same run.
func (s *stage) passed(u *unit, p *place, r *ran) []clade.Sample {
	one := clade.Sample{Check: u.gate, Gate: true, Value: 1}
	p.beyond = r.beyond()
	switch fate := r.fate(); {
	case fate == "":
	case p.subject.ID == clade.Base && r.notFound():
		one.Value, one.Class = 0, clade.ClassEvaluator
		one.Detail = detail(fate+"; "+hintNotFound, r.text)
	default:
		one.Value, one.Class, one.Detail = 0, clade.ClassCandidate, detail(fate, r.text)
	}
	if one.Class != clade.ClassEvaluator {
		s.flakes.saw(u.digest, p.subject.Tree, one.Value == 1)
	}
	if one.Value != 1 {
		return []clade.Sample{one}
	}
	return append([]clade.Sample{one}, numbers(u, r)...)
}

const (
	rerunsOfCandidate = 2
	rerunsOfBase      = 3
	// flakyMargin and flakyCertainty are the rule for a gate that fails now and
	// then: it counts when the candidate fails it more often than the base, by
	// at least the margin, with this probability.
	flakyMargin    = 0.02
	flakyCertainty = 0.9
	// rerunMark begins the detail of a gate's sample that took reruns.
	rerunMark = "run again: "
)

// Reruns are kept under names of their own: the gate has one sample, which says
// how it ended.
func rerunCheck(gate string) string     { return gate + " (run again)" }
func rerunBaseCheck(gate string) string { return gate + " (run again on the base)" }

func rerunNumber(rep, i int) int { return (rep-1)*rerunsOfBase + i + 1 }

// FlakyTrees is RerunGates for a search: a gate that fails three times in ten is
// found out by then as good as always, since it would have to fail nine times in
// a row, and one that seldom does costs few candidates.
const FlakyTrees = 3

// secondOpinion runs a gate again that a candidate failed, if it may be flaky:
// twice more on the candidate, and unless all three failed three times on the
// base. Every run is kept and shown; the rule decides once, and nothing is run
// until it passes. What ran into a limit is not tried again: that would cost the
// limit three times.
func (s *stage) secondOpinion(ctx context.Context, u *unit, p *place, rep int, samples []clade.Sample) ([]clade.Sample, error) {
	first := samples[0]
	if first.Class != clade.ClassCandidate || p.subject.ID == clade.Base || p.beyond || s.flakes.trusted(u.digest, s.RerunGates) {
		return samples, nil
	}
	mine, passing, err := s.rerun(ctx, u, p, rep, rerunCheck(u.gate), rerunsOfCandidate)
	if err != nil {
		return nil, err
	}
	failed := 1 + countFailed(mine)
	if passing == nil {
		s.flakes.failedEveryTime(u.digest)
		first.Detail = fmt.Sprintf("%sfailed %d of %d times: %s", rerunMark, failed, failed, first.Detail)
		return append([]clade.Sample{first}, mine...), nil
	}
	ws, err := s.baseWorkspace(ctx)
	if err != nil {
		return nil, err
	}
	base := &place{ws: ws, subject: evaluate.Subject{ID: clade.Base, Commit: s.job.Template.Commit()}}
	theirs, _, err := s.rerun(ctx, u, base, rep, rerunBaseCheck(u.gate), rerunsOfBase)
	if err != nil {
		return nil, err
	}
	all := append(mine, theirs...)
	odds := failsMore(failed, 1+len(mine)-failed, countFailed(theirs), len(theirs)-countFailed(theirs))
	first.Detail = fmt.Sprintf("%sflaky gate: failed %d of %d times here and %d of %d on the base: %s",
		rerunMark, failed, 1+len(mine), countFailed(theirs), len(theirs), first.Detail)
	if odds >= flakyCertainty {
		return append([]clade.Sample{first}, all...), nil
	}
	first.Value, first.Class = 1, clade.OK
	return append(append([]clade.Sample{first}, all...), passing[1:]...), nil
}

// rerun runs the gate n times and tells the samples of a run that passed, nil if
// there was none.
func (s *stage) rerun(ctx context.Context, u *unit, p *place, rep int, check string, n int) (runs, passing []clade.Sample, err error) {
	for i := range n {
		samples, err := s.once(ctx, u, p)
		if err != nil {
			return nil, nil, err
		}
		one := samples[0]
		if one.Value == 1 {
			passing = samples
		}
		runs = append(runs, clade.Sample{Check: check, Value: one.Value, Detail: rerunDetail(one), Replicate: rerunNumber(rep, i)})
	}
	return runs, passing, nil
}

func rerunDetail(one clade.Sample) string {
	if one.Detail == "" {
		return "passed"
	}
	return one.Detail
}

// countFailed counts the runs that failed.
func countFailed(runs []clade.Sample) (n int) {
	for _, one := range runs {
		if one.Value != 1 {
			n++
		}
	}
	return n
}

// failsMore is the probability that the candidate's rate of failures is above
// the base's by more than flakyMargin, both rates with Jeffreys' prior
// Beta(1/2, 1/2): the mean over the base's posterior, cut into equal parts, of
// what the candidate's leaves above.
func failsMore(failed, passed, baseFailed, basePassed int) float64 {
	const parts = 2000
	a, b := 0.5+float64(failed), 0.5+float64(passed)
	c, d := 0.5+float64(baseFailed), 0.5+float64(basePassed)
	sum := 0.0
	for i := range parts {
		rate := mathext.InvRegIncBeta(c, d, (float64(i)+0.5)/parts) + flakyMargin
		if rate < 1 {
			sum += 1 - mathext.RegIncBeta(a, b, rate)
		}
	}
	return sum / parts
}
