package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/workspace"
)

// A stage is the performance of one job.
type stage struct {
	*Evaluator
	job         evaluate.Job
	split       string
	common      string // digest
	gates, rest []*unit
	places      []*place
	warmed      map[*unit]bool
	base        workspace.Workspace // for scorers and reruns; nil until needed
}

// A place is one subject of a stage.
type place struct {
	index   int
	subject evaluate.Subject
	ws      workspace.Workspace // nil until a command must run
	samples []clade.Sample
	failed  bool            // a gate said no: nothing more is asked
	beyond  bool            // the last gate ran into one of its limits
	stopped map[string]bool // groups of units that gave no number
}

func (e *Evaluator) stage(j evaluate.Job) (*stage, error) {
	s := &stage{Evaluator: e, job: j, split: j.Stage.Split, warmed: map[*unit]bool{}}
	if s.split == "" {
		s.split = clade.SplitSelect
	}
	for _, id := range j.Stage.Checks {
		_, gate := j.Spec.Gate(id)
		if _, measure := j.Spec.Measure(id); !gate && !measure {
			return nil, fmt.Errorf("the spec has no gate or measure %q", id)
		}
	}
	s.common = s.commonDigest()
	for i, subject := range j.Subjects {
		s.places = append(s.places, &place{index: i, subject: subject, stopped: map[string]bool{}})
	}
	measures, err1 := s.measureUnits()
	cases, err2 := s.caseUnits()
	gates, err3 := s.gateUnits()
	s.gates, s.rest = gates, append(measures, cases...)
	return s, errors.Join(err1, err2, err3)
}

func (s *stage) close() error {
	var errs []error
	for _, p := range s.places {
		if p.ws != nil {
			errs = append(errs, p.ws.Close())
		}
	}
	if s.base != nil {
		errs = append(errs, s.base.Close())
	}
	return errors.Join(errs...)
}

func (s *stage) perform(ctx context.Context) error {
	first := max(s.job.Stage.First, 1)
	again := s.job.Spec.Noise() != clade.NoiseTiming
	for rep := first; rep < first+max(s.job.Stage.Replicates, 1); rep++ {
		for _, u := range s.gates {
			if rep > first && !again && !u.timing {
				continue
			}
			if err := s.step(ctx, u, rep); err != nil {
				return err
			}
		}
		for _, u := range s.rest {
			if err := s.step(ctx, u, rep); err != nil {
				return err
			}
		}
	}
	return nil
}

// step has every subject that is still in take its turn at one unit.
func (s *stage) step(ctx context.Context, u *unit, rep int) error {
	turn := s.turn(u, rep)
	known, err := s.recallTurn(ctx, u, turn, rep)
	if err != nil {
		return err
	}
	for _, p := range turn {
		samples, ok := known[p]
		if !ok {
			if err := s.warmUp(ctx, u, turn); err != nil {
				return err
			}
			if samples, err = s.answered(ctx, u, p, rep); err != nil {
				return err
			}
		}
		p.take(u, samples)
	}
	return nil
}

// turn is who takes part, in the order the keyed coin tells. A timing whose
// partner is gone is a pair no more: nobody takes part.
func (s *stage) turn(u *unit, rep int) []*place {
	var in []*place
	for _, p := range s.places {
		if !p.failed && !p.stopped[u.group] {
			in = append(in, p)
		}
	}
	if u.timing && len(s.places) > 1 && len(in) < 2 {
		return nil
	}
	stream := fmt.Sprintf("order/%d/%d", s.job.Attempt.ID, rep)
	coin := func(p *place) uint64 { return clade.Draw(s.job.Spec.Seed, stream, clade.ID(p.index)) }
	slices.SortFunc(in, func(a, b *place) int { return cmp.Compare(coin(a), coin(b)) })
	return in
}

// warmUp runs a timing for everyone, before its first run of this stage, and
// drops what came out.
func (s *stage) warmUp(ctx context.Context, u *unit, turn []*place) error {
	if !u.timing || s.warmed[u] {
		return nil
	}
	s.warmed[u] = true
	for range s.job.Stage.Warmup {
		for _, p := range turn {
			if _, err := s.once(ctx, u, p); err != nil {
				return fmt.Errorf("warm-up of %s: %w", u.name, err)
			}
		}
	}
	return nil
}

// sample runs the unit for one subject and numbers what came out.
func (s *stage) sample(ctx context.Context, u *unit, p *place, rep int) ([]clade.Sample, error) {
	samples, err := s.averaged(ctx, u, p)
	if err != nil {
		return nil, err
	}
	if u.gate != "" {
		if samples, err = s.secondOpinion(ctx, u, p, rep, samples); err != nil {
			return nil, err
		}
	}
	for i := range samples {
		samples[i].Split = u.split
		if samples[i].Replicate == 0 {
			samples[i].Replicate = rep
		}
	}
	return samples, nil
}

// take adds the samples to the subject's and notes what need not be asked any
// more. Cases go on after one that the candidate failed, which scores 0.
func (p *place) take(u *unit, samples []clade.Sample) {
	p.samples = append(p.samples, samples...)
	for _, sample := range samples {
		switch {
		case sample.Class == clade.OK:
		case sample.Gate:
			p.failed = true
		case u.asked == nil || sample.Class != clade.ClassCandidate:
			p.stopped[u.group] = true
		}
	}
}

// workspace opens the subject's tree, rebuilt from its commit, when first asked.
func (s *stage) workspace(ctx context.Context, p *place) (workspace.Workspace, error) {
	return s.open(ctx, &p.ws, p.subject.Commit)
}

// baseWorkspace is the base's tree, which no candidate has touched.
func (s *stage) baseWorkspace(ctx context.Context) (workspace.Workspace, error) {
	return s.open(ctx, &s.base, s.job.Template.Commit())
}

func (s *stage) open(ctx context.Context, at *workspace.Workspace, commit string) (workspace.Workspace, error) {
	if *at != nil {
		return *at, nil
	}
	plan := s.job.Plan
	plan.Commit = commit
	ws, err := s.Workspaces.Open(ctx, s.job.Template, plan)
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	*at = ws
	return ws, nil
}
