package evolution

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format/evolution"
)

// A script tells a run's log in lines, so that the archives can be read:
//
//	base R1=184 R2=12             attempt 1, which measures the base
//	plan 2 v1 [key=value …] why…  keys: gen, parents, adopts, idea, tries, given (a tree)
//	begin 2 [hand=WHO]
//	made 2 TREE                   its operator's candidate
//	end 2 [key=value …]           keys: gates and axes, class, detail, same, late
//	judge 2 STATUS CATEGORY why…
//	offer JSON, idea JSON         notes
//	final 9 of=2                  an attempt that measured #2 fresh
//	winner 2 why…
//	stop CAUSE, resume, epoch
//
// A value with spaces is in quotes. A gate is 1, or what it printed; ! before
// that is a limit of time.
type script struct {
	t     testing.TB
	e     *evolution.Evolution
	state clade.State
	seq   int64
	tries map[clade.ID]int
	trees map[clade.ID]string
}

// runOf is the run that a script tells.
func runOf(t testing.TB, e *evolution.Evolution, lines string) *clade.State {
	t.Helper()
	s := &script{t: t, e: e, tries: map[clade.ID]int{}, trees: map[clade.ID]string{}}
	spec := e.Spec("evolution.yaml")
	spec.Search.Names = "v%d"
	s.add(clade.Opened{Run: "r", Spec: *spec, Base: "base", Tree: "tree"})
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line != "" {
			s.line(line)
		}
	}
	return &s.state
}

func (s *script) add(e clade.Event) {
	s.t.Helper()
	s.seq++
	if err := s.state.Apply(clade.Record{Seq: s.seq, At: time.Unix(0, 0), Event: e}); err != nil {
		s.t.Fatal(err)
	}
}

var pairForm = regexp.MustCompile(`^(\w+)=("[^"]*"|\S+)\s*`)

// fields takes the pairs off the front of a text.
func fields(text string) (pairs [][2]string, rest string) {
	for {
		m := pairForm.FindStringSubmatch(text)
		if m == nil {
			return pairs, text
		}
		pairs, text = append(pairs, [2]string{m[1], strings.Trim(m[2], `"`)}), text[len(m[0]):]
	}
}

func (s *script) line(line string) {
	s.t.Helper()
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "offer":
		s.add(clade.Noted{Note: clade.Note{Kind: clade.NoteAdopt, Body: rest}})
	case "idea":
		s.add(clade.Noted{Note: clade.Note{Kind: clade.NoteProposal, Body: rest}})
	case "stop":
		s.add(clade.Stopped{Cause: clade.Stop(rest), Reason: "the reason"})
	case "resume":
		s.add(clade.Directed{What: clade.DirectResume})
	case "epoch":
		s.add(clade.Amended{Spec: s.state.Head().Spec, Epoch: s.state.Head().Epoch + 1, What: "scoring"})
	case "base":
		s.base(rest)
	default:
		first, more, _ := strings.Cut(rest, " ")
		s.attempt(word, clade.ID(s.number(first)), more)
	}
}

func (s *script) number(text string) int {
	s.t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *script) base(rest string) {
	pairs, _ := fields(rest)
	s.add(clade.Planned{Attempt: clade.Attempt{ID: 1, Makes: clade.MakesNumbers, Why: "baseline", After: []clade.Stage{{Subjects: []clade.ID{clade.Base}}}}})
	s.add(clade.TryBegun{ID: 1, Try: 1})
	s.add(clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: 1, Evaluations: s.measured(clade.Base, pairs)}})
	s.add(clade.Judged{Verdicts: []clade.Verdict{{ID: 1, Status: clade.StatusMeasured, Why: "the baseline"}}})
}

func (s *script) attempt(word string, id clade.ID, rest string) {
	s.t.Helper()
	switch word {
	case "plan":
		name, more, _ := strings.Cut(rest, " ")
		s.plan(clade.Attempt{ID: id, Name: name, Makes: clade.MakesTree, Operator: "op"}, more)
	case "begin":
		s.tries[id]++
		b := clade.TryBegun{ID: id, Try: s.tries[id]}
		if pairs, _ := fields(rest); len(pairs) > 0 {
			b.Hand = pairs[0][1]
		}
		s.add(b)
	case "made":
		s.trees[id] = rest
		s.add(clade.Proposed{ID: id, Try: s.tries[id], Commit: "commit-" + rest, Tree: rest, Summary: "an edit"})
	case "end":
		s.end(id, rest)
	case "judge", "winner":
		v := clade.Verdict{ID: id, Status: clade.StatusWinner, Category: "proven", Why: rest, Final: &clade.Final{}}
		if word == "judge" {
			parts := strings.SplitN(rest, " ", 3)
			v = clade.Verdict{ID: id, Status: clade.Status(parts[0]), Category: parts[1], Why: parts[2]}
		}
		s.add(clade.Judged{Verdicts: []clade.Verdict{v}})
	case "final":
		pairs, _ := fields(rest)
		of := clade.ID(s.number(pairs[0][1]))
		s.add(clade.Planned{Attempt: clade.Attempt{ID: id, Parents: []clade.ID{of}, Makes: clade.MakesNumbers, Why: "final",
			After: []clade.Stage{{Subjects: []clade.ID{clade.Base, of}, Split: clade.SplitTest}}}})
		s.add(clade.TryBegun{ID: id, Try: 1})
		s.add(clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: 1}})
		s.add(clade.Judged{Verdicts: []clade.Verdict{{ID: id, Status: clade.StatusMeasured, Why: "final"}}})
	default:
		s.t.Fatalf("unknown line %s", word)
	}
}

func (s *script) plan(a clade.Attempt, rest string) {
	s.t.Helper()
	pairs, why := fields(rest)
	a.Why = why
	for _, p := range pairs {
		switch p[0] {
		case "gen":
			a.Generation = s.number(p[1])
		case "tries":
			a.Tries = s.number(p[1])
		case "adopts":
			a.Adopts = s.number(p[1])
		case "idea":
			a.Idea = s.number(p[1])
		case "given":
			s.trees[a.ID] = p[1]
			a.Given = &clade.Given{Commit: "commit-" + p[1], Tree: p[1]}
		case "parents":
			for id := range strings.SplitSeq(p[1], ",") {
				a.Parents = append(a.Parents, clade.ID(s.number(id)))
			}
		default:
			s.t.Fatalf("unknown key %s", p[0])
		}
	}
	s.add(clade.Planned{Attempt: a})
}

func (s *script) end(id clade.ID, rest string) {
	s.t.Helper()
	pairs, _ := fields(rest)
	o := clade.Outcome{ID: id, Try: s.tries[id], Evaluations: s.measured(id, pairs)}
	if tree := s.trees[id]; tree != "" {
		o.Commit, o.Tree = "commit-"+tree, tree
	}
	for _, e := range o.Evaluations {
		for _, x := range e.Samples {
			if x.Class != clade.OK && o.Failure == clade.OK {
				o.Failure, o.Detail, o.TimedOut = x.Class, "gate "+x.Check+" failed: "+x.Detail, x.TimedOut()
			}
		}
	}
	for _, p := range pairs {
		switch p[0] {
		case "class":
			o.Failure = clade.Class(p[1])
		case "detail":
			o.Detail = p[1]
		case "same":
			o.Same = clade.ID(s.number(p[1]))
		case "late":
			o.TimedOut = true
		}
	}
	s.add(clade.TryEnded{Outcome: o})
}

// measured is the evaluation of what of the pairs are gates and axes.
func (s *script) measured(id clade.ID, pairs [][2]string) []clade.Evaluation {
	s.t.Helper()
	var all []clade.Sample
	for _, p := range pairs {
		x := clade.Sample{Check: p[0], Replicate: 1, Value: 1}
		switch p[0][0] {
		case 'G':
			x.Gate = true
			if said, limit := strings.CutPrefix(p[1], "!"); p[1] != "1" {
				x.Value, x.Class, x.Detail = 0, clade.ClassCandidate, "exit status 1\n"+said
				if limit {
					x.Detail = clade.OutOfTime + said
				}
			}
		case 'R':
			v, err := strconv.ParseFloat(p[1], 64)
			if err != nil {
				s.t.Fatal(err)
			}
			x.Value = v
		default:
			continue
		}
		all = append(all, x)
	}
	if len(all) == 0 {
		return nil
	}
	if id == clade.Base { // every gate of the base passes
		for _, g := range s.e.Gates {
			all = append(all, clade.Sample{Check: g.ID, Replicate: 1, Gate: true, Value: 1})
		}
	}
	claim := clade.Evaluation{Subject: id, Claim: true, Samples: []clade.Sample{{Check: "R1", Value: 1}}}
	return []clade.Evaluation{{Subject: id, Samples: all}, claim}
}

// A scripted run can be mirrored: its trees are a file each.
type scripted struct {
	*clade.State
	export func(commit, dir string) error
}

func (s scripted) View(_ context.Context, fn func(clade.View) error) error { return fn(s.State) }

func (s scripted) Export(_ context.Context, commit, dir string, only func(string) bool) error {
	if only != nil {
		return fmt.Errorf("a part of %s", cmp.Or(commit, "nothing"))
	}
	return s.export(commit, dir)
}
