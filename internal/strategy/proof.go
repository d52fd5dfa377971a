package strategy

import (
	"errors"
	"fmt"
	"math"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy/noise"
)

// A claim is what one final says of its finalist.
type claim struct {
	attempt  *clade.Life
	finalist clade.ID
	figures  clade.Final
	measured bool // figures mean something
	holds    bool // everything but the level of p
	category string
	why      string
}

// judgeFinals gives the verdicts on the finals once all of them have settled.
// The claim is about the primary measure: its p by Holm over the finalists, and
// an estimate of at least the smallest gain that counts. Each other measure must
// not be worse by more than noise.Margin; since all of them must hold, each is
// tested at the full level (Berger 1982).
func judgeFinals(v clade.View) (out []clade.Verdict) {
	tail := finals(v)
	if len(tail) == 0 || len(tail) < brief(tail[0]).Of {
		return nil
	}
	for _, l := range tail {
		if s := v.Life(l.ParentOr()).Verdict; l.Open && s.Status == clade.StatusAccepted {
			out = append(out, clade.Verdict{ID: l.ParentOr(), Status: clade.StatusFinalist, Category: "best", Why: l.Why})
		}
	}
	if len(out) > 0 {
		return out
	}
	claims := make([]claim, 0, len(tail))
	for _, l := range tail {
		if !Settled(l) {
			return nil
		}
		claims = append(claims, examine(v, l))
	}
	winner := choose(v, claims)
	for i := range claims {
		out = append(out, claims[i].verdict(i == winner))
	}
	if w := v.Life(v.Head().Winner); winner >= 0 && w.Verdict.Status == clade.StatusWinner {
		out = append(out, clade.Verdict{ID: w.ID, Status: clade.StatusFinalist, Category: "succeeded", Final: w.Verdict.Final,
			Why: fmt.Sprintf("%s proved a larger gain later; %s", Name(v, claims[winner].finalist), w.Verdict.Why)})
	}
	for _, c := range claims {
		out = append(out, c.closing())
	}
	return out
}

// examine reads one final.
func examine(v clade.View, l *clade.Life) claim {
	c := claim{attempt: l, finalist: l.ParentOr(), category: "not proven"}
	spec := &v.Head().Spec
	if l.Failure != clade.OK {
		c.unmeasured(l)
		return c
	}
	m, _ := noise.Primary(spec)
	cmp, look, err := c.compare(v, m)
	if err == nil {
		err = c.repeats(v)
	}
	switch {
	case errors.Is(err, noise.ErrUnsteady):
		c.category, c.why = "unsteady", err.Error()
		return c
	case err != nil:
		c.category, c.why = "evaluator", err.Error()
		return c
	}
	c.measured = true
	c.figures = clade.Final{
		Measure: m.ID, Base: cmp.Base, Value: cmp.Value, Estimate: cmp.Estimate, Low: cmp.Low, High: cmp.High,
		P: cmp.P, Alpha: level(spec, m, l), N: cmp.N, Look: look, Kind: kind(spec, m), Selected: brief(l).Selected,
	}
	c.why = figureText(m, c.figures)
	least := leastGain(v, m)
	switch loss := c.worse(v, m); {
	case cmp.Estimate == 0:
		c.category, c.why = "tie", "no difference from the base: "+c.why
	case cmp.Estimate < 0:
		c.why = "not better than the base: " + c.why
	case cmp.Estimate < least:
		c.why = fmt.Sprintf("the gain is below %s, the smallest that counts: %s", gain(m, least), c.why)
	case loss != "":
		c.category, c.why = "regressed", loss+"; "+c.why
	default:
		c.holds = true
	}
	return c
}

// unmeasured says why a final that failed proves nothing, and whose fault it is:
// the finalist's, when a gate or the finalist's own failure ended it.
func (c *claim) unmeasured(l *clade.Life) {
	c.category, c.why = "unmeasured", tell("the final could not be measured", l.Detail)
	baseGate, baseFailed := failedGateOf(l.Evaluations, clade.Base)
	gate, failed := failedGateOf(l.Evaluations, c.finalist)
	switch {
	case baseFailed:
		c.category, c.why = "evaluator", tell(fmt.Sprintf("in the final the base failed its gate %q", baseGate.Check), baseGate.Detail)
	case failed && l.Failure == clade.ClassCandidate:
		c.category, c.why = "gate", tell(fmt.Sprintf("failed the gate %q in the final", gate.Check), gate.Detail)
	case l.Failure == clade.ClassCandidate && gaveNone(l.Evaluations, c.finalist) && !gaveNone(l.Evaluations, clade.Base):
		c.category, c.why = "failed", tell("failed in the final", l.Detail)
	case l.Failure == clade.ClassCandidate || l.Failure == clade.ClassEvaluator:
		c.category = "evaluator"
	}
}

// gaveNone reports whether a check of the subject's ended without a number, by
// the subject's own fault.
func gaveNone(evs []clade.Evaluation, subject clade.ID) bool {
	for _, e := range evs {
		for _, s := range e.Samples {
			if e.Subject == subject && s.Class == clade.ClassCandidate && s.Case == "" {
				return true
			}
		}
	}
	return false
}

func (c *claim) compare(v clade.View, m clade.Measure) (noise.Comparison, int, error) {
	spec := &v.Head().Spec
	alpha := level(spec, m, c.attempt) / float64(max(1, brief(c.attempt).Of))
	if m.Noise == clade.NoiseTiming {
		d, ok := noise.LastLook(spec, &c.attempt.Attempt, c.attempt.Evaluations)
		if !ok {
			return noise.Comparison{}, 0, fmt.Errorf("measure %s: %w", m.ID, noise.ErrNothing)
		}
		return d.Comparison, d.Look, nil
	}
	cmp, err := noise.Compare(m, c.attempt.Evaluations, clade.Base, c.finalist, true, alpha)
	if c.attempt.Look > 0 {
		return cmp, c.attempt.Look, err
	}
	return cmp, brief(c.attempt).Look, err
}

// level is what a claim about m in this final is held to.
func level(spec *clade.Spec, m clade.Measure, final *clade.Life) float64 {
	return noise.FurtherLevel(spec, m, brief(final).Round)
}

// repeats checks that what is declared exact gave in the final what it gave in
// the search, for both subjects. Cases are other ones in the final.
func (c *claim) repeats(v clade.View) error {
	for _, m := range v.Head().Spec.Measures {
		if m.Noise != clade.NoiseNone && m.Noise != "" || overCases(m, c.attempt.Evaluations) {
			continue
		}
		for _, id := range []clade.ID{clade.Base, c.finalist} {
			fresh, _, err := noise.Exact(m.ID, c.attempt.Evaluations, id, true)
			if err != nil {
				return err
			}
			if was := v.Life(id).Values[m.ID]; was != fresh {
				return fmt.Errorf("%s of %s was %s in the search and %s in the final: %w",
					m.ID, Name(v, id), exactly(m, was), exactly(m, fresh), noise.ErrUnsteady)
			}
		}
	}
	return nil
}

func overCases(m clade.Measure, evs []clade.Evaluation) bool {
	for _, e := range evs {
		for _, s := range e.Samples {
			if s.Check == m.ID && s.Case != "" {
				return true
			}
		}
	}
	return false
}

// worse names the first other measure that may have got worse by more than the
// margin, "" if none.
func (c *claim) worse(v clade.View, primary clade.Measure) string {
	spec := &v.Head().Spec
	for _, m := range spec.Measures {
		if m.ID == primary.ID {
			continue
		}
		cmp, err := noise.Compare(m, c.attempt.Evaluations, clade.Base, c.finalist, true, level(spec, m, c.attempt))
		if err != nil {
			return err.Error()
		}
		margin := noise.Margin
		if m.Noise != clade.NoiseTiming {
			margin *= max(cmp.Base, -cmp.Base)
		}
		if cmp.Low < -margin {
			return fmt.Sprintf("%s may be worse by more than %g %% (%s against %s of the base)",
				m.ID, 100*noise.Margin, number(m, cmp.Value), number(m, cmp.Base))
		}
	}
	return ""
}

// leastGain is the smallest gain of the primary measure that counts.
func leastGain(v clade.View, m clade.Measure) float64 {
	switch {
	case m.Noise == clade.NoiseTiming:
		return noise.Delta(m, calibrationOf(v, m))
	case m.Threshold != nil:
		return *m.Threshold
	}
	return 0
}

// choose returns the index of the claim that wins, -1 if none is proven or a
// winner stands that gained as much: of the proven ones the largest gain, the
// best of the search among equals.
func choose(v clade.View, claims []claim) int {
	ps := make([]float64, len(claims))
	for i, c := range claims {
		ps[i] = 1
		if c.holds {
			ps[i] = c.figures.P
		}
	}
	spec := &v.Head().Spec
	m, _ := noise.Primary(spec)
	alpha := level(spec, m, claims[0].attempt)
	proven := noise.Holm(ps, alpha)
	best, bar := -1, math.Inf(-1)
	if w := standing(v); w != nil && w.Verdict.Final != nil {
		bar = w.Verdict.Final.Estimate
	}
	for i := range claims {
		c := &claims[i]
		switch {
		case !c.holds:
		case !proven[i]:
			c.holds, c.why = false, "not proven: "+c.why+resolution(v, m, alpha)
		case c.figures.Estimate > bar:
			best, bar = i, c.figures.Estimate
		}
	}
	return best
}

// resolution says what a timing final can see, for a claim it could not prove.
func resolution(v clade.View, m clade.Measure, alpha float64) string {
	if m.Noise != clade.NoiseTiming {
		return ""
	}
	spec := &v.Head().Spec
	looks := noise.Looks(spec)
	n := looks[len(looks)-1]
	return fmt.Sprintf("; not resolvable: %d pairs show gains from %s here", n, percent(calibrationOf(v, m).MDE(n, alpha)))
}

func (c *claim) verdict(wins bool) clade.Verdict {
	out := clade.Verdict{ID: c.finalist, Status: clade.StatusRejected, Category: c.category, Why: c.why}
	if c.measured {
		f := c.figures
		out.Final = &f
	}
	switch {
	case wins:
		out.Status, out.Category, out.Why = clade.StatusWinner, "proven", "proven: "+c.why
	case c.holds:
		out.Status, out.Category, out.Why = clade.StatusFinalist, "proven", "proven, but another one gained more: "+c.why
	case !c.measured && c.category != "gate" && c.category != "failed":
		out.Status = clade.StatusFinalist // nothing was learnt of it
	}
	return out
}

// closing is the verdict on the final attempt itself.
func (c *claim) closing() clade.Verdict {
	out := clade.Verdict{ID: c.attempt.ID, Status: clade.StatusMeasured, Category: "final", Why: c.why}
	switch {
	case c.category == "unsteady" || c.category == "evaluator":
		out.Status, out.Category = clade.StatusInvalid, c.category
	case c.category == "unmeasured":
		out.Status, out.Category = clade.StatusExhausted, "infra"
	}
	return out
}

func kind(spec *clade.Spec, m clade.Measure) string {
	switch {
	case m.Noise == clade.NoiseNone || m.Noise == "":
		return "exact"
	case spec.Dataset != nil && m.Noise == clade.NoiseCases:
		return "held out"
	}
	return "fresh, not held out"
}
