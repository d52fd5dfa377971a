package run

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
)

// Changes are what the command line may change in a spec before a run starts.
// Zero values change nothing.
type Changes struct {
	Candidates int
	Wall       time.Duration
	Slots      int
	Seed       *uint64
	Strategy   string
	Sandbox    string
	Target     *float64 // of the first measure
	NoTarget   bool     // takes the target away
}

func (ch Changes) apply(s *clade.Spec) {
	if ch.Candidates > 0 {
		s.Budget.Candidates = ch.Candidates
	}
	if ch.Wall > 0 {
		s.Budget.Wall = clade.Duration(ch.Wall)
	}
	if ch.Slots > 0 {
		s.Slots = ch.Slots
	}
	if ch.Seed != nil {
		s.Seed = *ch.Seed
	}
	if ch.Strategy != "" {
		s.Search.Strategy = ch.Strategy
	}
	if ch.Sandbox != "" {
		s.Sandbox.Use = ch.Sandbox
	}
	if ch.Target != nil || ch.NoTarget {
		s.Budget.Target = ch.Target
	}
}

// words names what is changed, for the log.
func (ch Changes) words() string {
	var out []string
	if ch.Target != nil {
		out = append(out, "target "+Number(*ch.Target))
	}
	for _, c := range []struct {
		set  bool
		what string
	}{
		{ch.Candidates > 0, fmt.Sprintf("candidates %d", ch.Candidates)}, {ch.Wall > 0, fmt.Sprintf("wall %s", ch.Wall)},
		{ch.Slots > 0, fmt.Sprintf("slots %d", ch.Slots)}, {ch.Seed != nil, "seed"},
		{ch.Strategy != "", "strategy " + ch.Strategy}, {ch.Sandbox != "", "sandbox " + ch.Sandbox},
		{ch.NoTarget, "no target"},
	} {
		if c.set {
			out = append(out, c.what)
		}
	}
	return strings.Join(out, ", ")
}

// resolve reads the spec at path, "" meaning the working folder, with changes.
func (d *Door) resolve(ctx context.Context, path string, ch Changes) (*control.Resolved, error) {
	if path == "" {
		path = d.here
	}
	r, err := d.c.Resolve(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := d.change(&r.Spec, ch); err != nil {
		return nil, err
	}
	r.Digest = control.Digest(&r.Spec)
	return r, nil
}

// change applies changes to a spec and refuses what no spec may say.
func (d *Door) change(s *clade.Spec, ch Changes) error {
	ch.apply(s)
	if ch.Sandbox != "" && !slices.Contains(sandboxes, ch.Sandbox) {
		return &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("no sandbox is called %q", ch.Sandbox),
			Hint: "there are " + strings.Join(sandboxes, ", ")}
	}
	if err := d.c.Strategy(s); ch.Strategy != "" && err != nil {
		return err
	}
	return nil
}

var sandboxes = []string{"auto", "namespaces", "none"}

// A Started run is one that was just opened.
type Started struct {
	Run      string   `json:"run"`
	Where    string   `json:"where"`
	State    string   `json:"state_dir"`
	From     string   `json:"from,omitempty"`
	LeftOut  []string `json:"left_out,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Start opens a run of the spec at path. It searches nothing yet.
func (d *Door) Start(ctx context.Context, path string, ch Changes) (*Started, error) {
	r, err := d.resolve(ctx, path, ch)
	if err != nil {
		return nil, err
	}
	if err := d.c.Refuse(ctx, r); err != nil {
		return nil, err
	}
	run, err := d.c.Create(ctx, r)
	if err != nil {
		return nil, err
	}
	s := &Started{Run: run.Name, Where: r.Target, State: r.State, From: r.From, LeftOut: r.LeftOut}
	for _, w := range r.Warnings {
		s.Warnings = append(s.Warnings, w.Where+": "+w.Text)
	}
	return s, run.Close()
}

// Search runs the search of a run in this process until it stops; see
// control.Launch. It returns where the run then stands, also beside an error.
// A search that ends without a winner is a Problem with FaultNoWinner.
func (d *Door) Search(ctx context.Context, name string, o control.Launch) (*Status, error) {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	launched := r.Launch(ctx, o)
	s, err := d.Status(context.WithoutCancel(ctx), r.Name, 10)
	switch {
	case launched != nil:
		return s, launched // what ended the search also says why there is no status
	case err != nil:
		return nil, err
	}
	return s, verdict(s)
}

// verdict turns an ended search into the problem it is, nil for a winner.
func verdict(s *Status) error {
	switch {
	case s.Winner != nil:
		return nil
	case s.Stop == clade.StopBaseline:
		return &clade.Problem{Fault: clade.FaultBaseline, Text: "the base cannot be improved on: " + s.Reason,
			Hint: "mend the base or the spec; nothing was spent on candidates"}
	case s.Stop == clade.StopEvaluator:
		return &clade.Problem{Fault: clade.FaultBaseline, Text: "the evaluator cannot be trusted: " + s.Reason}
	case s.Stop == clade.StopInfra:
		return &clade.Problem{Fault: clade.FaultEnvironment, Text: "no winner yet: " + s.Reason, Hint: "mend it; clade resume " + s.Run + " goes on"}
	case s.Stop == clade.StopCancelled:
		return &clade.Problem{Fault: clade.FaultInterrupted, Text: "the run was cancelled: " + s.Reason, Hint: "clade resume " + s.Run + " goes on"}
	case s.Stop == clade.StopNone:
		return &clade.Problem{Fault: clade.FaultInterrupted, Text: "the search is not over", Hint: "clade resume " + s.Run + " goes on"}
	}
	return &clade.Problem{Fault: clade.FaultNoWinner, Text: "no winner: " + s.Reason,
		Hint: "clade log " + s.Run + " says why each was judged as it was"}
}

// A Reopened run may go on.
type Reopened struct {
	Run string `json:"run"`
	// Unpaused is set when another process holds the run and goes on with it,
	// now that its pause is over: there is nothing to search here.
	Unpaused bool            `json:"unpaused,omitempty"`
	Holder   *control.Holder `json:"holder,omitempty"`
}

// Reopen lets a stopped, paused or cancelled run go on, with more budget if
// changes give it. A run that another process searches can only have its pause
// ended.
func (d *Door) Reopen(ctx context.Context, name string, ch Changes) (*Reopened, error) {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	holder, held, err := r.Holder(ctx)
	if err != nil {
		return nil, err
	}
	out := &Reopened{Run: r.Name}
	return out, r.Update(ctx, func(tx control.Tx) error {
		h := tx.View().Head()
		if held && h.Stop == clade.StopNone && h.Cancelled == "" {
			if !h.Paused || ch != (Changes{}) {
				return r.Busy(holder)
			}
			out.Unpaused, out.Holder = true, &holder
		}
		if err := exhausted(h, ch); err != nil {
			return err
		}
		if err := reached(tx.View(), ch); err != nil {
			return err
		}
		if ch != (Changes{}) {
			spec := h.Spec
			if err := d.change(&spec, ch); err != nil {
				return err
			}
			epoch := h.Epoch
			if spec.Sandbox.Use != h.Spec.Sandbox.Use {
				epoch++ // what is measured under another isolation is not compared
			}
			if err := tx.Append(clade.Amended{Spec: spec, Digest: control.Digest(&spec), What: ch.words(), Epoch: epoch}); err != nil {
				return err
			}
		}
		if h := tx.View().Head(); h.Stop != clade.StopNone || h.Paused || h.Cancelled != "" {
			return tx.Append(clade.Directed{What: clade.DirectResume})
		}
		return nil
	})
}

// exhausted refuses to go on where the next thing would be to stop again.
func exhausted(h *clade.Head, ch Changes) error {
	if h.Stop == clade.StopNone || ch != (Changes{}) {
		return nil
	}
	switch h.Stop {
	case clade.StopCandidates, clade.StopDone, clade.StopWall:
	default:
		return nil
	}
	text, hint := "run "+h.Run+" has ended: "+h.Reason, "--candidates N (more than "+fmt.Sprint(h.Spec.Budget.Candidates)+") or --wall searches on"
	if h.Winner != clade.Base {
		hint = "clade apply lands its winner; " + hint
	}
	return &clade.Problem{Fault: clade.FaultUsage, Text: text, Hint: hint}
}

// Direct appends a person's word to a run: pause, resume, cancel or steer.
func (d *Door) Direct(ctx context.Context, name string, to clade.ID, what clade.Directive, text string) (string, error) {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return "", err
	}
	defer r.Close()
	err = r.Update(ctx, func(tx control.Tx) error {
		h := tx.View().Head()
		if h.Stop != clade.StopNone && what != clade.DirectResume {
			return &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("run %s has stopped already: %s", h.Run, h.Reason)}
		}
		if _, err := life(tx.View(), to); err != nil {
			return err
		}
		return tx.Append(clade.Directed{To: to, What: what, Text: text})
	})
	return r.Name, err
}

// Cancel directs the run to stop and, where nobody holds it, records the stop.
func (d *Door) Cancel(ctx context.Context, name, why string) (string, error) {
	run, err := d.Direct(ctx, name, clade.Base, clade.DirectCancel, why)
	if err != nil {
		return run, err
	}
	r, err := d.c.Open(ctx, run, d.here)
	if err != nil {
		return run, err
	}
	defer r.Close()
	return run, r.StopIdle(ctx)
}

// An Entry is one line of a run's log for people.
type Entry struct {
	Seq  int64     `json:"seq"`
	At   time.Time `json:"at"`
	Kind string    `json:"kind"`
	ID   clade.ID  `json:"id,omitempty"`
	Text string    `json:"text"`
}

// Log explains every decision so far: what was planned and why, what came of
// it, how it was judged and why. With follow it goes on until the run has
// stopped or no process searches it any more.
func (d *Door) Log(ctx context.Context, name string, after int64, follow bool, fn func(Entry) error) error {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return err
	}
	defer r.Close()
	each := explainer(fn)
	if !follow {
		return r.Read(ctx, after, each)
	}
	return r.Follow(ctx, after, each)
}

// Tail explains what is appended after a record until ctx ends, and then what
// was appended until that moment.
func (d *Door) Tail(ctx context.Context, name string, after int64, fn func(Entry) error) error {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return err
	}
	defer r.Close()
	each := explainer(fn)
	count := func(rec clade.Record) error {
		after = rec.Seq
		return each(rec)
	}
	if err := r.Tail(ctx, after, count); ctx.Err() == nil {
		return err // it always returns one
	}
	return r.Read(context.WithoutCancel(ctx), after, count)
}

func explainer(fn func(Entry) error) func(clade.Record) error {
	return func(rec clade.Record) error {
		for _, e := range Explain(rec) {
			if err := fn(e); err != nil {
				return err
			}
		}
		return nil
	}
}

// Explain puts a record into words, one entry per thing a person wants to know.
func Explain(rec clade.Record) []Entry {
	entry := func(id clade.ID, format string, args ...any) Entry {
		return Entry{Seq: rec.Seq, At: rec.At, Kind: rec.Event.Kind(), ID: id, Text: fmt.Sprintf(format, args...)}
	}
	switch e := rec.Event.(type) {
	case clade.Opened:
		return []Entry{entry(0, "opened with base %s and spec %s", short(e.Base), short(e.Digest))}
	case clade.Amended:
		return []Entry{entry(0, "spec amended (%s), epoch %d", e.What, e.Epoch)}
	case clade.Planned:
		a := e.Attempt
		return []Entry{entry(a.ID, "planned from %s: %s", parents(a.Parents), a.Why)}
	case clade.TryBegun:
		if e.Try == 1 {
			return nil
		}
		return []Entry{entry(e.ID, "try %d begun", e.Try)}
	case clade.Proposed:
		return []Entry{entry(e.ID, "proposed %s: %s", short(e.Commit), e.Summary)}
	case clade.TryEnded:
		o := e.Outcome
		switch {
		case o.Failure != clade.OK:
			return []Entry{entry(o.ID, "failed (%s): %s", o.Failure, firstLine(o.Detail))}
		case o.Commit == "" && len(o.Evaluations) == 0:
			return []Entry{entry(o.ID, "proposed nothing")}
		case o.Same != 0:
			return []Entry{entry(o.ID, "same tree as %s", sameAs(o.Same))}
		}
		return []Entry{entry(o.ID, "measured: %s", readings(o))}
	case clade.Judged:
		var out []Entry
		for _, v := range e.Verdicts {
			out = append(out, entry(v.ID, "%s: %s", v.Status, v.Why))
		}
		return out
	case clade.Directed:
		return []Entry{entry(e.To, "directed to %s %s", e.What, e.Text)}
	case clade.Noted:
		if e.Note.Kind == clade.NoteSpace {
			return nil
		}
		return []Entry{entry(0, "%s: %s", e.Note.Kind, firstLine(e.Note.Body))}
	case clade.Stopped:
		return []Entry{entry(0, "stopped (%s): %s", e.Cause, e.Reason)}
	case clade.Applying:
		return []Entry{entry(e.Winner, "applying %d paths", len(e.Paths))}
	case clade.Applied:
		if e.Undone {
			return []Entry{entry(e.Winner, "undone")}
		}
		return []Entry{entry(e.Winner, "applied")}
	}
	return nil
}

func short(s string) string { return s[:min(len(s), 10)] }

func firstLine(s string) string {
	for i, r := range s {
		if r == '\n' {
			return s[:i]
		}
	}
	return s
}

func sameAs(id clade.ID) string {
	if id == clade.SameAsBase {
		return "the base"
	}
	return fmt.Sprintf("%d", id)
}

func parents(ids []clade.ID) string {
	switch len(ids) {
	case 0:
		return "the base"
	case 1:
		if ids[0] == clade.Base {
			return "the base"
		}
		return fmt.Sprintf("%d", ids[0])
	}
	return fmt.Sprintf("%d and %d", ids[0], ids[1])
}

// readings lists the means of the measures' samples per subject.
func readings(o clade.Outcome) string {
	type key struct {
		subject clade.ID
		check   string
	}
	sums, ns := map[key]float64{}, map[key]int{}
	var order []key
	for _, e := range o.Evaluations {
		for _, s := range e.Samples {
			if s.Gate || s.Class != clade.OK {
				continue
			}
			k := key{e.Subject, s.Check}
			if ns[k] == 0 {
				order = append(order, k)
			}
			ns[k]++
			sums[k] += s.Value
		}
	}
	text := ""
	for _, k := range order {
		if text != "" {
			text += ", "
		}
		if k.subject != o.ID {
			text += parents([]clade.ID{k.subject}) + " "
		}
		text += fmt.Sprintf("%s %s (n=%d)", k.check, Number(sums[k]/float64(ns[k])), ns[k])
	}
	if text == "" {
		return "no numbers"
	}
	return text
}

// Number writes a value for people: six significant digits.
func Number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e9 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.6g", x)
}

// Size writes a number of bytes for people: "1.4 MB".
func Size(n int64) string {
	const unit = 1000
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	x, units := float64(n), "kMGTPE"
	i := -1
	for x >= unit && i < len(units)-1 {
		x /= unit
		i++
	}
	return fmt.Sprintf("%.1f %cB", x, units[i])
}

// Output opens the file that a background search of the run writes what it
// prints to.
func (d *Door) Output(ctx context.Context, name string) (*os.File, error) {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := os.MkdirAll(r.Dir(), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(r.Dir(), "output.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
}
