package clade_test

import (
	"slices"
	"testing"

	"github.com/cladehq/clade"
)

// made ends a try with a commit.
func made(id clade.ID, try int, commit string) clade.TryEnded {
	return clade.TryEnded{Outcome: clade.Outcome{ID: id, Try: try, Commit: commit}}
}

func verdict(id clade.ID, s clade.Status, category, why string) clade.Verdict {
	return clade.Verdict{ID: id, Status: s, Category: category, Why: why}
}

func verdicts(vs ...clade.Verdict) clade.Judged { return clade.Judged{Verdicts: vs} }

func planned(a clade.Attempt) clade.Planned {
	if a.Makes == "" {
		a.Makes = clade.MakesTree
	}
	a.Why = "why"
	return clade.Planned{Attempt: a}
}

// The ways in which people and other programs drive a search all are sequences
// of the same events.
func TestDoorsFit(t *testing.T) {
	t.Parallel()
	type events = []clade.Event
	for name, c := range map[string]struct {
		events events
		ok     func(*log) bool
	}{
		"manual: evaluated, retried, committed": {
			events{
				planned(clade.Attempt{ID: 1, Operator: "manual", Kept: true, Tries: 3}), begin(1, 1), made(1, 1, "a"),
				verdicts(verdict(1, clade.StatusEvaluated, "regressed", "0.1 < 0.2")), begin(1, 2), made(1, 2, "b"),
				verdicts(verdict(1, clade.StatusAccepted, "", "better")),
			},
			func(l *log) bool { return l.Life(1).Commit == "b" && l.Life(1).Counted == 2 && !l.Life(1).Open },
		},
		"manual: discarded before any run": {
			events{
				planned(clade.Attempt{ID: 1, Operator: "manual", Kept: true}),
				verdicts(verdict(1, clade.StatusDiscarded, "hypothesis", "wrong idea")),
			},
			func(l *log) bool { return !l.Life(1).Open && l.Life(1).Counted == 0 },
		},
		"by hand: claimed, run out, claimed again, handed in, measured": {
			events{
				planned(clade.Attempt{ID: 1, Operator: clade.OperatorManual, Tries: 2, Name: "v1"}), claim(1, 1), lost(1, 1, clade.ClassOperator),
				claim(1, 2), handIn(1, 1, "late"), handIn(1, 2, "h"), begin(1, 3), made(1, 3, "h"),
				verdicts(verdict(1, clade.StatusAccepted, "", "better")),
			},
			func(l *log) bool { return l.Life(1).Commit == "h" && l.Life(1).Handed && !l.Life(1).Open },
		},
		"by hand: half by an agent": {
			events{
				planned(clade.Attempt{ID: 1, Operator: clade.OperatorManual, Tries: 2}), claim(1, 1), lost(1, 1, clade.ClassOperator),
				planned(clade.Attempt{ID: 1, Operator: "agent", Tries: 2, Hold: usd(1)}), begin(1, 2),
				clade.Proposed{ID: 1, Try: 2, Commit: "a", Spent: usd(.5)}, made(1, 2, "a"),
				verdicts(verdict(1, clade.StatusAccepted, "", "better")),
			},
			func(l *log) bool { return l.Life(1).Commit == "a" && !l.Life(1).Outside() && l.Head().Spent == usd(.5) },
		},
		"a frozen worker is fenced": {
			events{planned(clade.Attempt{ID: 1}), begin(1, 1), begin(1, 2), made(1, 1, "late"), made(1, 2, "ok")},
			func(l *log) bool { return l.Life(1).Commit == "ok" && l.Life(1).Counted == 1 },
		},
		"a crash after the agent, before the evaluation": {
			events{
				planned(clade.Attempt{ID: 1}), begin(1, 1),
				clade.Proposed{ID: 1, Try: 1, Commit: "c", Spent: usd(2)},
			},
			func(l *log) bool {
				return l.Life(1).Open && l.Life(1).Commit == "c" && l.Head().Spent == usd(2)
			},
		},
		"a solved rollout proposes nothing": {
			events{
				planned(clade.Attempt{ID: 1, Before: []clade.Stage{{Cases: []string{"c3"}, Split: clade.SplitTrain}}}), begin(1, 1),
				clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: 1, Evaluations: []clade.Evaluation{{Subject: clade.Base}}}},
			},
			func(l *log) bool {
				return !l.Life(1).Candidate() && !l.Life(1).Scored && slices.Equal(l.Unjudged(), []clade.ID{1})
			},
		},
		"five diffs fused": {
			events{
				planned(clade.Attempt{ID: 1}), planned(clade.Attempt{ID: 2}), begin(1, 1), begin(2, 1), made(1, 1, "a"), made(2, 1, "b"),
				verdicts(verdict(1, clade.StatusPending, "buffered", "1 of 2"), verdict(2, clade.StatusPending, "buffered", "2 of 2")),
				planned(clade.Attempt{ID: 3, Parents: []clade.ID{0, 1, 2}, Operator: "merge"}), begin(3, 1), made(3, 1, "m"),
				verdicts(verdict(3, clade.StatusAccepted, "committed", "P 0.71"),
					verdict(1, clade.StatusAbsorbed, "", "in 3"), verdict(2, clade.StatusAbsorbed, "", "in 3")),
			},
			func(l *log) bool {
				return len(l.Open()) == 0 && l.Life(3).Verdict.Status == clade.StatusAccepted &&
					slices.Equal(l.Children(2), []clade.ID{3}) && l.Head().Closed == 3
			},
		},
		"an ideator": {
			events{
				planned(clade.Attempt{ID: 1, Operator: "ideate", Makes: clade.MakesNotes}), begin(1, 1),
				clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: 1, Notes: []clade.Note{{Kind: clade.NoteProposal}}}},
			},
			func(l *log) bool {
				return len(slices.Collect(l.Notes(clade.NoteProposal))) == 1 && l.Head().Proposing == 0
			},
		},
		"a partition slice without a score": {
			events{
				planned(clade.Attempt{ID: 1, Operator: "agent"}), begin(1, 1),
				clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: 1, Commit: "p", Files: map[string]string{"results.tsv": "d"}}},
				verdicts(verdict(1, clade.StatusAccepted, "PASS", "verify passed")),
			},
			func(l *log) bool {
				return l.Life(1).Verdict.Status == clade.StatusAccepted && !l.Life(1).Scored && len(slices.Collect(l.Frontier())) == 0
			},
		},
		"a race look measures two subjects again": {
			events{
				planned(clade.Attempt{ID: 1}), begin(1, 1), made(1, 1, "a"),
				planned(clade.Attempt{ID: 2, Makes: clade.MakesNumbers, After: []clade.Stage{
					{Subjects: []clade.ID{0, 1}, Replicates: 6, Fresh: true, Rule: "race"},
				}}), begin(2, 1),
				clade.TryEnded{Outcome: clade.Outcome{ID: 2, Try: 1, Evaluations: []clade.Evaluation{{Subject: 0}, {Subject: 1}}}},
				verdicts(verdict(1, clade.StatusRejected, "tie", "p 0.4"), verdict(2, clade.StatusMeasured, "measured", "made nothing")),
			},
			func(l *log) bool {
				return l.Life(1).Verdict.Status == clade.StatusRejected && len(l.Life(2).Evaluations) == 2 && len(l.Open()) == 0
			},
		},
	} {
		if l := fold(t, c.events...); !c.ok(l) {
			t.Errorf("%s: %+v\n%+v", name, l.Head(), l.Life(1))
		}
	}
}
