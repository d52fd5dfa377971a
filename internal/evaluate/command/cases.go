package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/workspace"
)

// answer puts a case to the subject and scores what it says. A subject that
// crashes, is stopped by a limit or says more than fits failed the case itself.
func (s *stage) answer(ctx context.Context, ws workspace.Workspace, u *unit, p *place, q request) ([]clade.Sample, error) {
	if s.job.Spec.Dataset.Rollout != nil {
		return s.roll(ctx, ws, u)
	}
	q.stdin = u.asked.Input
	r, err := s.run(ctx, ws, q)
	if err != nil {
		return nil, err
	}
	if bad := s.census(u, p, &r); bad != nil {
		return bad, nil
	}
	switch fate := r.fate(); {
	case p.subject.ID == clade.Base && r.notFound():
		return noNumbers(u, detail(fate+"; "+hintNotFound, r.text)), nil
	case fate != "":
		return failures(u, clade.ClassCandidate, detail(fate, r.text)), nil
	case r.Stdout.Truncated():
		return failures(u, clade.ClassCandidate, fmt.Sprintf("the answer of %d bytes is larger than the limit", r.Stdout.Size)), nil
	}
	score, err := s.score(ctx, u, r.Stdout.Bytes())
	var no *noScore
	if err != nil && !errors.As(err, &no) {
		return nil, err
	}
	var out []clade.Sample
	for _, m := range u.measures {
		one := sampleOf(m, u.asked.ID, score, err, &r)
		if one.Class == clade.OK && u.asked.Split == clade.SplitTrain {
			one.Detail = said(&r)
		}
		out = append(out, one)
	}
	return out, nil
}

// saidMost is how much of an answer is kept with its sample, bytes.
const saidMost = 1 << 10

// said is the answer to a case that proposers may see, so that they can learn
// from it.
func said(r *ran) string {
	return clade.Clip(strings.TrimSpace(clade.Clean(r.hide.Hide(string(r.Stdout.Bytes())))), saidMost)
}

// noScore is why a case cannot be scored, when it is not infrastructure.
type noScore struct{ error }

func (s *stage) score(ctx context.Context, u *unit, answer []byte) (float64, error) {
	scorer := s.job.Spec.Dataset.Scorer
	if scorer.Kind == "command" {
		return s.scoreByCommand(ctx, scorer, u, answer)
	}
	v, err := evaluate.Score(scorer, answer, u.asked.Expected)
	if err != nil {
		return 0, &noScore{err}
	}
	return v, nil
}

// scoreByCommand asks the spec's own scorer, in the base's tree: it gets
// {"input": …, "expected": …, "answer": …} on standard input and prints a number
// from 0 to 1. Bytes that are not UTF-8 reach it as U+FFFD.
func (s *stage) scoreByCommand(ctx context.Context, scorer clade.Scorer, u *unit, answer []byte) (float64, error) {
	if scorer.Command == nil {
		return 0, &noScore{errors.New("the scorer has no command")}
	}
	if len(bytes.TrimSpace(answer)) == 0 && u.asked.Expected == "" && s.job.Spec.Dataset.Expected != "" {
		return 0, &noScore{errors.New("both the answer and the expected text are empty: nothing to compare")}
	}
	ws, err := s.baseWorkspace(ctx)
	if err != nil {
		return 0, err
	}
	question, err := json.Marshal(map[string]string{
		"input": string(u.asked.Input), "expected": u.asked.Expected, "answer": string(answer),
	})
	if err != nil {
		return 0, err
	}
	r, err := s.run(ctx, ws, request{name: "scorer", cmd: *scorer.Command, stdin: question})
	if err != nil {
		return 0, err
	}
	if fate := r.fate(); fate != "" {
		return 0, &noScore{errors.New(detail("the scorer: "+fate, r.text))}
	}
	v, err := evaluate.ReadNumber(clade.Read{Kind: clade.ReadWhole}, evaluate.Output{
		Head: r.Stdout.Head, Tail: r.Stdout.Tail, Truncated: r.Stdout.Truncated(),
	})
	switch {
	case err != nil:
		return 0, &noScore{errors.New(r.hide.Hide("the scorer: " + err.Error()))}
	case v < 0 || v > 1:
		return 0, &noScore{fmt.Errorf("the scorer: %v is not from 0 to 1", v)}
	}
	return v, nil
}
