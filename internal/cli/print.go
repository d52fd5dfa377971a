package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/door/run"
)

func printRuns(w io.Writer, runs []control.Located) {
	if len(runs) == 0 {
		fmt.Fprintln(w, "no runs yet; clade run starts one")
		return
	}
	table(w, func(tw io.Writer) {
		fmt.Fprintln(tw, "RUN\tSTARTED\tTARGET")
		for _, r := range runs {
			fmt.Fprintf(tw, "%s\t%s\t%s\n", r.Run, ago(r.At), r.Where)
		}
	})
}

func printRows(w io.Writer, measures []clade.Measure, rows []run.Row) {
	table(w, func(tw io.Writer) {
		fmt.Fprint(tw, "ID\tSTATUS\tPARENTS")
		for _, m := range measures {
			fmt.Fprintf(tw, "\t%s", strings.ToUpper(m.ID))
		}
		fmt.Fprintln(tw, "\tWHAT")
		for _, r := range rows {
			fmt.Fprintf(tw, "%d\t%s\t%s", r.ID, r.Status, ids(r.Parents))
			for _, m := range measures {
				if v, ok := r.Values[m.ID]; ok {
					fmt.Fprintf(tw, "\t%s", run.Number(v))
				} else {
					fmt.Fprint(tw, "\t—")
				}
			}
			fmt.Fprintf(tw, "\t%s\n", clip(printable(what(r)), 60))
		}
	})
}

// what is the best short description of an attempt: the failure, the real edit,
// the verdict, or else the plan.
func what(r run.Row) string {
	switch {
	case r.Failure != clade.OK:
		return fmt.Sprintf("%s: %s", r.Failure, r.Detail)
	case r.Summary != "":
		return r.Summary
	case r.Verdict != "" && r.ID != clade.Base:
		return r.Verdict
	}
	return r.Why
}

func ids(list []clade.ID) string {
	if len(list) == 0 {
		return "—"
	}
	var out []string
	for _, id := range list {
		out = append(out, fmt.Sprint(id))
	}
	return strings.Join(out, ",")
}

func printStatus(w io.Writer, s *run.Status) {
	fmt.Fprintf(w, "%s  %s\n", s.Run, s.Objective)
	state := s.State
	if brokenOff(s) {
		state = "broken off"
	}
	fmt.Fprintf(w, "%s", state)
	switch {
	case brokenOff(s):
		fmt.Fprintf(w, "; when what is noted below is mended, clade resume %s goes on", s.Run)
	case s.Holder != nil && s.Stop == clade.StopNone:
		fmt.Fprintf(w, " by process %d on %s", s.Holder.PID, s.Holder.Host)
	case s.State == run.StateInterrupted:
		fmt.Fprintf(w, "; clade resume %s goes on", s.Run)
	}
	if s.Reason != "" {
		fmt.Fprintf(w, ": %s", printable(s.Reason))
	}
	fmt.Fprintf(w, "\n%d of %d candidates judged, %d usable, %d open, started %s\n",
		s.Judged, s.Budget.Candidates, s.Usable, len(s.Open), ago(s.Started))
	money(w, s)
	fmt.Fprintln(w)
	rows := append([]run.Row{}, s.Top...)
	if len(rows) == 0 {
		rows = append(rows, s.Base)
	}
	printRows(w, s.Measures, rows)
	printProof(w, s)
	if s.Winner != nil && s.State != run.StateApplied && s.Landing == nil {
		fmt.Fprintln(w, nextStep)
	}
	if s.Trouble != nil {
		fmt.Fprintf(w, "note: %s\n", printable(s.Trouble.String()))
	}
	if s.Landing != nil {
		fmt.Fprintf(w, "note: %s\n", s.Landing)
	}
	for _, n := range s.Warnings {
		fmt.Fprintf(w, "note: %s\n", printable(n))
	}
}

// brokenOff reports whether a run that nobody holds came to no candidate because
// its last launch failed.
func brokenOff(s *run.Status) bool {
	return s.State == run.StateInterrupted && s.Judged == 0 && len(s.Warnings) > 0 &&
		strings.HasPrefix(s.Warnings[len(s.Warnings)-1], control.BrokeOff)
}

// printProof says what a winner's figure is worth.
func printProof(w io.Writer, s *run.Status) {
	if s.Winner == nil {
		return
	}
	fmt.Fprintf(w, "\nwinner %d: %s\n", s.Winner.ID, printable(s.Winner.Summary))
	if f := s.Final; f != nil {
		fmt.Fprintf(w, "  %s\n", proof(s.Measures, f))
		fmt.Fprintf(w, "  during the search the gain looked like %s (selected, so biased)\n", gain(s.Measures, f, f.Selected))
	}
}

// nextStep is what is to be done with a winner that is not applied yet.
const nextStep = "next: clade diff, then clade apply"

// proof is the final's figure in words.
func proof(measures []clade.Measure, f *clade.Final) string {
	amount := func(x float64) string { return gain(measures, f, x) }
	text := fmt.Sprintf("%s %s against %s: gain %s", f.Measure, run.Number(f.Value), run.Number(f.Base), amount(f.Estimate))
	if f.Kind != "exact" {
		text += fmt.Sprintf(" [%s, %s], p %.3g", amount(f.Low), amount(f.High), f.P)
	}
	return text + fmt.Sprintf(", n %d, look %d, %s", f.N, f.Look, f.Kind)
}

// gain writes an amount of the final's measure: a share of the base for a
// timing, else a difference in the measure's unit.
func gain(measures []clade.Measure, f *clade.Final, x float64) string {
	unit := ""
	for _, m := range measures {
		switch {
		case m.ID != f.Measure:
		case m.Noise == clade.NoiseTiming:
			return fmt.Sprintf("%+.2f %%", 100*x)
		case m.Unit != "":
			unit = " " + m.Unit
		}
	}
	return fmt.Sprintf("%+.6g%s", x, unit)
}

// printEnd is printed when a search is over.
func printEnd(w io.Writer, s *run.Status) {
	fmt.Fprintf(w, "%s after %s", s.State, clade.Counted(s.Judged, "candidate"))
	if s.Reason != "" {
		fmt.Fprintf(w, ": %s", printable(s.Reason))
	}
	fmt.Fprintln(w)
	if s.Base.Score != nil {
		fmt.Fprintf(w, "baseline  %s\n", values(s.Measures, s.Base.Values))
	}
	printBest(w, s)
	printProof(w, s)
}

// printBest says which candidate looked best in the search, and why another one
// won.
func printBest(w io.Writer, s *run.Status) {
	b := s.Best
	if b == nil {
		return
	}
	beaten := s.Winner != nil && s.Winner.ID != b.ID
	search := ""
	if beaten {
		search = " in the search"
	}
	fmt.Fprintf(w, "best      %s by %d%s: %s\n", values(s.Measures, b.Values), b.ID, search, printable(b.Summary))
	switch {
	case !beaten:
	case b.Verdict == "":
		fmt.Fprintf(w, "          not the winner: it was not judged\n")
	default:
		fmt.Fprintf(w, "          not the winner: %s\n", printable(b.Verdict))
	}
}

func printTree(w io.Writer, measures []clade.Measure, root *run.Node) {
	var draw func(n *run.Node, of clade.ID, lead, branch string)
	draw = func(n *run.Node, of clade.ID, lead, branch string) {
		label := fmt.Sprintf("%d %s", n.ID, n.Status)
		if short := bounded(branch); short != branch {
			branch, label = short, fmt.Sprintf("%s of %d", label, of)
		}
		if n.ID == clade.Base {
			label = "base"
		}
		line := fmt.Sprintf("%s%s  %s  %s", branch, label, values(measures, n.Values), clip(printable(what(n.Row)), 60))
		fmt.Fprintln(w, clip(line, widest))
		for i, c := range n.Children {
			if i == len(n.Children)-1 {
				draw(c, n.ID, lead+"   ", lead+"└─ ")
			} else {
				draw(c, n.ID, lead+"│  ", lead+"├─ ")
			}
		}
	}
	draw(root, clade.Base, "", "")
}

// widest bounds a line of a tree, in columns.
const widest = 150

// deepest is how far a tree is indented, in columns: a long climb has a
// generation a line.
const deepest = 60

// bounded is the end of a branch that is indented further.
func bounded(branch string) string {
	if r := []rune(branch); len(r) > deepest {
		return "…" + string(r[len(r)-deepest+1:])
	}
	return branch
}

func printDetail(w io.Writer, d *run.Detail) {
	fmt.Fprintf(w, "candidate %d  %s", d.ID, d.Status)
	if d.Category != "" {
		fmt.Fprintf(w, " (%s)", d.Category)
	}
	fmt.Fprintln(w)
	table(w, func(tw io.Writer) {
		put := func(k, v string) {
			if v != "" {
				fmt.Fprintf(tw, "%s\t%s\n", k, printable(v))
			}
		}
		put("plan", d.Why)
		put("parents", ids(d.Parents))
		put("operator", d.Operator)
		put("edit", d.Summary)
		put("verdict", d.Verdict)
		put("commit", d.Commit)
		put("isolation", d.Isolation)
		put("children", ids(d.Children))
		if d.Failure != clade.OK {
			put("failure", string(d.Failure)+": "+strings.ReplaceAll(d.Detail, "\n", " ⏎ "))
		}
		if d.Tries > 1 {
			put("tries", fmt.Sprint(d.Tries))
		}
		if d.Paid.Microdollars > 0 {
			put("paid", "$"+d.Paid.Microdollars.String())
		}
		put("wall", d.Paid.Wall.Round(time.Millisecond).String())
		if d.Landing != nil {
			put("landing", d.Landing.String())
		}
		for _, f := range d.LogFiles {
			put("output", f)
		}
	})
	if len(d.Evaluations) == 0 {
		return
	}
	fmt.Fprintln(w)
	table(w, func(tw io.Writer) {
		fmt.Fprintln(tw, "SUBJECT\tCHECK\tCASE\tSPLIT\tREP\tVALUE\t")
		for _, ev := range d.Evaluations {
			for _, s := range ev.Samples {
				fmt.Fprintf(tw, "%d\t%s\t%s\t%s\t%d\t%s\t%s\n", ev.Subject, s.Check, clip(printable(s.Case), 24), s.Split, s.Replicate, reading(s), clip(printable(s.Detail), 60))
			}
		}
	})
}

func reading(s clade.Sample) string {
	switch {
	case s.Class != clade.OK && !s.Gate:
		return "no value (" + string(s.Class) + ")"
	case s.Gate && s.Value == 1:
		return "passed"
	case s.Gate:
		return "failed"
	case s.PaidBy != 0:
		return fmt.Sprintf("%s (from %d)", run.Number(s.Value), s.PaidBy)
	}
	return run.Number(s.Value)
}

// printProtections says which countermeasures hold against candidates that game
// their evaluator, in one line.
func printProtections(put func(k, format string, args ...any), p *run.Plan) {
	var all []string
	for _, one := range p.Protections {
		all = append(all, one.Name+" "+one.Level)
	}
	put("protections", "%s", strings.Join(all, ", "))
}

func printPlan(w io.Writer, p *run.Plan) {
	table(w, func(tw io.Writer) {
		put := func(k, format string, args ...any) { fmt.Fprintf(tw, "%s\t%s\n", k, fmt.Sprintf(format, args...)) }
		put("objective", "%s", p.Spec.Objective)
		put("target", "%s (%s)", p.Target, p.Spec.Target.Kind)
		if p.From != "" {
			put("base", "commit %s", p.From)
		}
		if len(p.LeftOut) > 0 {
			put("left out", "%s", strings.Join(p.LeftOut, ", "))
		}
		for _, g := range p.Spec.Gates {
			put("gate", "%s: %s", g.ID, strings.Join(g.Args(), " "))
		}
		for _, m := range p.Spec.Measures {
			put("measure", "%s, %s, read %s, noise %s", m.ID, m.Goal, m.Read.Kind, m.Noise)
		}
		if len(p.Splits) > 0 {
			put("cases", "train %d, select %d, test %d", p.Splits[clade.SplitTrain], p.Splits[clade.SplitSelect], p.Splits[clade.SplitTest])
		}
		put("operators", "%s", strings.Join(operatorNames(p.Spec.Operators), ", "))
		printReach(put, p.Forecast)
		put("search", "%s, %d at once, seed %d", p.Spec.Search.Strategy, p.Spec.Slots, p.Spec.Seed)
		put("isolation", "%s", p.Grade)
		for _, n := range p.Weaker {
			put("", "%s", n)
		}
		printFiles(put, p)
		printProtections(put, p)
		put("at most", "%d candidates, %d commands each, %d in all", p.Worst.Candidates, p.Worst.PerCase, p.Worst.Commands)
		printMoney(put, p.Worst)
		put("state", "%s", p.State)
		if p.Base != nil {
			put("base measured", "%s", values(p.Spec.Measures, p.Base.Values))
		}
		printUnusable(put, p.Programs)
		for _, m := range p.Models {
			if m.Fault != "" {
				put("missing", "%s", m.Fault)
			}
		}
		for _, n := range p.Warnings {
			put("note", "%s", n)
		}
	})
}

// printUnusable lists the programs that commands could not run.
func printUnusable(put func(name, format string, args ...any), all []control.Program) {
	for _, q := range all {
		switch {
		case q.Missing:
			put("missing", "%s, for %s", q.Name, q.For)
		case q.Unseen:
			put("hidden", "%s, for %s", q.Path, q.For)
		case q.Unfit:
			put("not executable", "%s, for %s", q.Name, q.For)
		}
	}
}

// printFiles says what commands see of the user's files.
func printFiles(put func(name, format string, args ...any), p *run.Plan) {
	if p.Files == nil {
		return
	}
	what := "home folders and the machine's secrets are hidden"
	if p.Spec.Sandbox.Home == "show" {
		what = "home folders are shown, the machine's secrets are hidden"
	}
	if len(p.Files.Shown) > 0 {
		what += ", but for " + strings.Join(p.Files.Shown, ", ")
	}
	put("files", "%s", what)
}
