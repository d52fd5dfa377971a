package evolution

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format/evolution"
)

// finished refuses an evolution that was applied: that is its end.
func finished(dir string, e *evolution.Evolution) error {
	text := fmt.Sprintf("evolution %s is done: %s was applied on %s", dir, e.Winner.Variant, e.Applied.At.Format("2006-01-02 15:04 MST"))
	if n := len(e.Applied.FilesChanged); n > 0 {
		text += fmt.Sprintf(", which changed %s", few(e.Applied.FilesChanged))
	}
	return &clade.Problem{Fault: clade.FaultConflict, Text: text,
		Hint: fmt.Sprintf("clade evolution undo %d takes it back; clade evolution new begins another", e.ID)}
}

// mostPaths bounds the paths that are named in one sentence.
const mostPaths = 10

// few names the first of many paths.
func few(paths []string) string {
	out := quoted(paths[:min(mostPaths, len(paths))])
	if more := len(paths) - mostPaths; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

// eligible refuses an evolution without a winner, or whose winner its own file
// does not show with every gate passing.
func (l *landing) eligible() error {
	e := l.doc.Evolution
	if e.Winner == nil {
		return l.winnerless()
	}
	if row, _ := evolution.RowOf(evolution.Score(e), e.Winner.Variant); row.Why != "" {
		return &clade.Problem{Fault: clade.FaultNoWinner, Text: fmt.Sprintf("%s is not evaluated with every gate passing and every axis measured: %s", e.Winner.Variant, row.Why),
			Hint: fmt.Sprintf("clade evolution run %s measures what is missing", l.id())}
	}
	return nil
}

func (l *landing) winnerless() error {
	e := l.doc.Evolution
	_, led := evolution.Leader(evolution.Score(e))
	open := slices.ContainsFunc(e.Variants, func(v evolution.Variant) bool { return v.Open() })
	if led || open || len(e.Variants) == 0 {
		return &clade.Problem{Fault: clade.FaultNoWinner, Text: fmt.Sprintf("evolution %s has no winner yet", l.match.Dir),
			Hint: fmt.Sprintf("clade evolution run %s goes on until there is one", l.id())}
	}
	return &clade.Problem{Fault: clade.FaultNoWinner, Text: fmt.Sprintf("evolution %s has no winner, since nothing passes every gate: %s", l.match.Dir, evolution.Failing(e)),
		Hint: fmt.Sprintf("revise the gates in evolution.yaml; clade evolution run %s then measures the stored variants again", l.id())}
}

// winner is the candidate of the run that is the evolution's winner. One that
// clade did not measure with every gate passing is refused, and, but for anyway,
// one that did not beat the measured base.
func (l *landing) winner(ctx context.Context, anyway bool) (id clade.ID, err error) {
	name := l.doc.Evolution.Winner.Variant
	if l.run == nil {
		return 0, &clade.Problem{Fault: clade.FaultNotFound, Text: fmt.Sprintf("no run of clade is behind evolution %s: who says that %s passes the gates is its worker", l.match.Dir, name),
			Hint: fmt.Sprintf("clade evolution import %s takes the stored variants over and measures them again", l.id())}
	}
	holder, held, err := l.run.Holder(ctx)
	if err != nil {
		return 0, err
	}
	return id, l.run.View(ctx, func(v clade.View) error {
		p := &projection{v: v, want: l.doc.Evolution, attempts: attemptsOf(v)}
		h, life := v.Head(), p.lives[name]
		measured := p.first(life) // of several with one tree
		switch {
		case life == nil || life.Commit == "":
			return &clade.Problem{Fault: clade.FaultNotFound, Text: fmt.Sprintf("run %s, which is behind the evolution, has no variant %s", h.Run, name),
				Hint: fmt.Sprintf("clade evolution import %s takes the stored variants over and measures them again", l.id())}
		case h.Applied() == life.ID || h.Applying != nil && !h.Applying.Undo && h.Applying.Winner == life.ID:
			// It was applied, whatever is to be said of it now.
		case measured == nil || !measured.Passed:
			return &clade.Problem{Fault: clade.FaultNoWinner, Text: fmt.Sprintf("clade did not see %s pass every gate: %s", name, life.Verdict.Why),
				Hint: fmt.Sprintf("clade evolution show %s says what the others do", l.id())}
		case len(changed(l.doc.Evolution, &h.Spec)) > 0:
			return &clade.Problem{Fault: clade.FaultNoWinner, Text: fmt.Sprintf("since %s was measured other commands have become of %s", name,
				strings.Join(changed(l.doc.Evolution, &h.Spec), ", ")), Hint: fmt.Sprintf("clade evolution run %s measures the stored variants again", l.id())}
		case anyway:
		case held:
			return &clade.Problem{Fault: clade.FaultBusy, Text: fmt.Sprintf("the evolution is still run by process %d: nothing is proven yet", holder.PID),
				Hint: fmt.Sprintf("clade watch %s shows it; --anyway applies %s all the same", h.Run, name)}
		case h.Stop == clade.StopNone:
			return &clade.Problem{Fault: clade.FaultNoWinner, Text: "the run of the evolution was interrupted: nothing is proven yet",
				Hint: fmt.Sprintf("clade evolution run %s ends it; --anyway applies %s all the same", l.id(), name)}
		default:
			if err := p.proven(); err != nil {
				return err
			}
		}
		id = life.ID
		return nil
	})
}

// changed lists the gates and axes of the file that are not measured by what it
// says of them now, and those of the run that it has no more.
func changed(e *evolution.Evolution, by *clade.Spec) (ids []string) {
	want := e.Spec("")
	was := map[string]string{}
	for _, g := range by.Gates {
		was[g.ID] = g.Run
	}
	for _, m := range by.Measures {
		was[m.ID] = measuring(m)
	}
	compare := func(id, now string) {
		if before, ok := was[id]; !ok || before != now {
			ids = append(ids, id)
		}
		delete(was, id)
	}
	for _, g := range want.Gates {
		compare(g.ID, g.Run)
	}
	for _, m := range want.Measures {
		compare(m.ID, measuring(m))
	}
	for id := range was {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func measuring(m clade.Measure) string { return fmt.Sprintf("%s %v %s", m.Goal, m.Read, m.Run) }

// proven refuses a winner that did not beat the measured baseline, with the
// figures.
func (p *projection) proven() error {
	row, _ := evolution.RowOf(evolution.Score(p.want), p.want.Winner.Variant)
	first, others := p.proof(row)
	if first == "" {
		return nil
	}
	return &clade.Problem{Fault: clade.FaultNoWinner, Text: strings.Join(append([]string{first}, others...), " "), Hint: "--anyway applies it all the same"}
}
