package command

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
)

func (s *stage) key(u *unit, p *place, check, id string, rep int) evaluate.Key {
	return evaluate.Key{
		Attempt: s.job.Attempt.ID, Stage: s.job.Index, Place: p.index,
		Subject: p.subject.ID, Tree: p.subject.Tree, Evaluator: u.digest,
		Check: check, Case: id, Split: u.split, Replicate: rep,
	}
}

// shares reports whether the unit's samples of a replicate may serve, and be
// served by, other attempts.
func (s *stage) shares(u *unit, rep int) bool {
	return rep == 1 && !s.job.Stage.Fresh && u.split != clade.SplitTest && !u.timing && !u.cmd.Network
}

// recallTurn finds the samples of a replicate that are kept already, by subject.
// Half a timing pair is none.
func (s *stage) recallTurn(ctx context.Context, u *unit, turn []*place, rep int) (map[*place][]clade.Sample, error) {
	known := map[*place][]clade.Sample{}
	if s.job.Memory == nil {
		return known, nil
	}
	for _, p := range turn {
		samples, ok, err := s.recall(ctx, u, p, rep)
		if err != nil {
			return nil, fmt.Errorf("recall %s: %w", u.name, err)
		}
		if ok {
			known[p] = samples
		}
	}
	if u.timing && len(known) < len(turn) {
		clear(known)
	}
	return known, nil
}

// recall finds every sample of a unit, or none.
func (s *stage) recall(ctx context.Context, u *unit, p *place, rep int) (out []clade.Sample, ok bool, err error) {
	if u.gate != "" {
		gate, ok, err := s.recallOne(ctx, u, p, u.gate, "", rep)
		if err != nil || !ok {
			return nil, false, err
		}
		out = append(out, gate)
		if gate.PaidBy == 0 && strings.HasPrefix(gate.Detail, rerunMark) {
			reruns, err := s.recallReruns(ctx, u, p, rep)
			if err != nil {
				return nil, false, err
			}
			out = append(out, reruns...)
		}
		if gate.Class != clade.OK {
			return out, true, nil
		}
	}
	for _, m := range u.measures {
		samples, ok, err := s.recallMeasure(ctx, u, p, m, rep)
		if err != nil || !ok {
			return nil, false, err
		}
		out = append(out, samples...)
	}
	return out, true, nil
}

func (s *stage) recallMeasure(ctx context.Context, u *unit, p *place, m clade.Measure, rep int) ([]clade.Sample, bool, error) {
	id := ""
	if u.asked != nil {
		id = u.asked.ID
	}
	one, ok, err := s.recallOne(ctx, u, p, m.ID, id, rep)
	if err != nil || !ok {
		return nil, false, err
	}
	if u.asked != nil || one.Class != clade.OK || m.Read.Kind != clade.ReadCases {
		return []clade.Sample{one}, true, nil
	}
	return s.recallTasks(ctx, u, p, m, one, rep)
}

// recallTasks finds the tasks that a kept list of their names tells of.
func (s *stage) recallTasks(ctx context.Context, u *unit, p *place, m clade.Measure, list clade.Sample, rep int) (out []clade.Sample, ok bool, err error) {
	var names []string
	if list.Trace != taskList || json.Unmarshal([]byte(list.Detail), &names) != nil {
		return nil, false, nil
	}
	for _, name := range names {
		one, ok, err := s.recallOne(ctx, u, p, m.ID, name, rep)
		if err != nil || !ok {
			return nil, false, err
		}
		out = append(out, one)
	}
	return out, len(out) > 0, nil
}

// recallOne finds one sample, never one that only says what went wrong with
// something else than the candidate: those are not kept.
func (s *stage) recallOne(ctx context.Context, u *unit, p *place, check, id string, rep int) (clade.Sample, bool, error) {
	one, ok, err := s.job.Memory.Recall(ctx, s.key(u, p, check, id, rep), s.shares(u, rep))
	if err != nil || !ok {
		return clade.Sample{}, false, err
	}
	one.Check, one.Case, one.Split, one.Replicate = check, id, u.split, rep
	return one, true, nil
}

func (s *stage) recallReruns(ctx context.Context, u *unit, p *place, rep int) (out []clade.Sample, err error) {
	for _, check := range []string{rerunCheck(u.gate), rerunBaseCheck(u.gate)} {
		for i := range rerunsOfBase {
			one, ok, err := s.recallOne(ctx, u, p, check, "", rerunNumber(rep, i))
			if err != nil {
				return nil, err
			}
			if ok {
				out = append(out, one)
			}
		}
	}
	return out, nil
}

// keep makes the samples of a unit durable. What recall looks for first is
// written last: a gate's own sample, and after a benchmark's tasks the list of
// their names. Only plain successes are shared.
func (s *stage) keep(ctx context.Context, u *unit, p *place, samples []clade.Sample) error {
	if s.job.Memory == nil {
		return nil
	}
	var gates, others []clade.Sample
	for _, one := range samples {
		if one.Gate {
			gates = append(gates, one)
		} else {
			others = append(others, one)
		}
	}
	for _, batch := range [][]clade.Sample{others, taskLists(u, samples), gates} {
		if err := s.keepAll(ctx, u, p, batch); err != nil {
			return fmt.Errorf("keep %s: %w", u.name, err)
		}
	}
	return nil
}

// keepAll keeps samples side by side, so that a memory that syncs can do so once
// for many.
func (s *stage) keepAll(ctx context.Context, u *unit, p *place, samples []clade.Sample) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(1000)
	for _, one := range samples {
		if one.Class == clade.ClassEvaluator || one.Class == clade.ClassBudget || one.Class.Lost() {
			continue // a later try may learn more
		}
		share := served(u, one) && s.shares(u, one.Replicate)
		group.Go(func() error {
			return s.job.Memory.Keep(ctx, s.key(u, p, one.Check, one.Case, one.Replicate), one, share)
		})
	}
	return group.Wait()
}

// served reports whether a sample may serve other attempts: a success without a
// story. A case of the train split has its answer there, and a list of tasks its
// names.
func served(u *unit, one clade.Sample) bool {
	return one.Class == clade.OK && (one.Detail == "" || u.asked != nil || one.Trace == taskList)
}

// taskList marks a list of tasks among kept samples; it is never handed out.
const taskList = "tasks"

// taskLists are the names of the tasks of each measure that reads a benchmark's
// tasks, kept so that all of them are found again.
func taskLists(u *unit, samples []clade.Sample) (lists []clade.Sample) {
	if u.asked != nil {
		return nil
	}
	for _, m := range u.measures {
		if m.Read.Kind != clade.ReadCases {
			continue
		}
		var names []string
		list := clade.Sample{Check: m.ID, Trace: taskList}
		for _, one := range samples {
			if one.Check == m.ID && one.Case != "" {
				names = append(names, one.Case)
				list.Split, list.Replicate = one.Split, one.Replicate
			}
		}
		if len(names) == 0 {
			continue
		}
		text, err := json.Marshal(names)
		if err != nil {
			continue // unreachable: strings
		}
		list.Detail, list.Value = string(text), float64(len(names))
		lists = append(lists, list)
	}
	return lists
}
