package evolution

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/format/evolution"
)

// ApplyOptions say how a winner is applied.
type ApplyOptions struct {
	control.Apply
	// Anyway applies a winner that did not beat the measured base, too.
	Anyway bool
	Hooks
}

// Hooks are told what goes on while files are landed; nil for nobody.
type Hooks struct {
	Tell    func(string)         // what a person wants to know
	Step    func(string)         // what takes time
	Writing func() (done func()) // see control.Landing
}

func (h Hooks) tell(text string) {
	if h.Tell != nil {
		h.Tell(text)
	}
}

// An Applied evolution is what an apply or an undo did.
type Applied struct {
	control.Applied
	Evolution string `json:"evolution"` // its directory's name
	Variant   string `json:"variant"`
	// AppliedAt and Files are what evolution.yaml says after an apply: the paths
	// whose content changed, relative to the folder that holds .agents.
	AppliedAt *time.Time `json:"applied_at,omitempty"`
	Files     []string   `json:"files_changed,omitempty"`
	// Completed says that the files were so already, by an apply or undo that
	// was interrupted or made without the evolution: only evolution.yaml was
	// behind.
	Completed bool `json:"completed,omitempty"`
}

// Apply lands the winner of the evolution that arg names: preview, merge where
// the repository has moved, gates on the tree that results, agreement, then the
// files and what evolution.yaml says of it.
//
// It refuses what is applied already or has no winner; a winner that is not
// measured with every gate passing, or, but for Anyway, did not beat the
// measured base; a work tree that is not clean over scope.include; and a change
// of what scope.exclude covers. Killed after the files it leaves an
// evolution.yaml that the next apply or undo completes.
func (d *Door) Apply(ctx context.Context, arg string, o ApplyOptions) (*Applied, error) {
	if err := o.Fault(); err != nil {
		return nil, err
	}
	l, err := d.landing(ctx, arg, o.Hooks)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	if err := l.undone(ctx, o.DryRun); err != nil {
		return nil, err
	}
	if err := l.eligible(); err != nil {
		return nil, err
	}
	id, err := l.winner(ctx, o.Anyway)
	if err != nil {
		return nil, err
	}
	var out *Applied
	err = l.run.Landing(ctx, l.bounds(), func(to *control.Lander, recovered *clade.Applying) error {
		if out, err = l.complete(ctx, to, recovered, id, o); out != nil || err != nil {
			return err
		}
		if err := l.clean(ctx); err != nil {
			return err
		}
		out, err = l.apply(ctx, to, recovered, id, o)
		return err
	})
	return out, err
}

// A landing is an evolution whose winner is applied or taken back. Close it.
type landing struct {
	d     *Door
	f     folder
	match evolution.Match
	doc   *evolution.Document
	run   *control.Run // nil: none is behind it
	// prefix is the folder that holds .agents in the tree of the run, "" for its
	// root.
	prefix string
	Hooks
}

func (l *landing) Close() error {
	if l.run == nil {
		return nil
	}
	return l.run.Close()
}

// landing finds the evolution that arg names and the run behind it.
func (d *Door) landing(ctx context.Context, arg string, h Hooks) (*landing, error) {
	f, match, err := d.find(arg)
	if err != nil {
		return nil, err
	}
	l := &landing{d: d, f: f, match: match, Hooks: h}
	if len(match.Others) > 0 {
		l.tell(fmt.Sprintf("%q also names %s", arg, strings.Join(match.Others, ", ")))
	}
	if l.doc, err = f.read(); err != nil {
		return nil, err
	}
	if l.run, err = d.behind(ctx, f); err != nil || l.run == nil {
		return l, err
	}
	if err := l.run.View(ctx, func(v clade.View) error { l.prefix = v.Head().Spec.Target.Prefix; return nil }); err != nil {
		return nil, errors.Join(err, l.run.Close())
	}
	return l, nil
}

func (l *landing) root() string { return l.f.root() }

func (l *landing) id() string { return strconv.Itoa(l.doc.Evolution.ID) }

// within is a path of the run's tree as scope has it, relative to the folder
// that holds .agents.
func (l *landing) within(p string) (rel string, ok bool) {
	if l.prefix == "" {
		return p, true
	}
	return strings.CutPrefix(p, l.prefix+"/")
}

// bounds keep a landing to the evolution's scope.
func (l *landing) bounds() control.Landing {
	scope := l.doc.Evolution.Scope
	return control.Landing{
		Step: l.Step, Writing: l.Writing,
		Only: func(p string) bool {
			rel, ok := l.within(p)
			return ok && scope.Includes(rel)
		},
		Never: func(p string) bool {
			rel, ok := l.within(p)
			return ok && scope.Excludes(rel)
		},
	}
}

// apply lands the winner and has evolution.yaml say so.
func (l *landing) apply(ctx context.Context, to *control.Lander, recovered *clade.Applying, id clade.ID, o ApplyOptions) (*Applied, error) {
	agree := o.Agree
	o.Agree = func(p *control.Preview) (bool, error) {
		if agree != nil {
			if yes, err := agree(p); err != nil || !yes {
				return false, err
			}
		}
		return true, l.recordable(ctx)
	}
	a, err := l.run.Apply(ctx, to, recovered, id, o.Apply)
	if err != nil {
		return nil, err
	}
	out := l.applied(*a)
	switch {
	case a.DryRun || a.Declined:
		return out, nil
	case !a.Already:
		return out, l.recordLast(ctx, out)
	}
	yes, err := o.Agree(&control.Preview{Winner: id, Done: true})
	if err != nil || !yes {
		out.Declined = true
		return out, err
	}
	return out, l.record(ctx, out, &evolution.Applied{At: l.d.clock()})
}

// applied is what was done to files, of the evolution.
func (l *landing) applied(a control.Applied) *Applied {
	out := &Applied{Applied: a, Evolution: l.match.Dir}
	if w := l.doc.Evolution.Winner; w != nil {
		out.Variant = w.Variant
	}
	return out
}

// complete has evolution.yaml say what the log knows: an apply of the winner that
// stands, and that the files still have. It returns nil where there is none.
func (l *landing) complete(ctx context.Context, to *control.Lander, recovered *clade.Applying, id clade.ID, o ApplyOptions) (*Applied, error) {
	last, err := l.standing(ctx)
	if err != nil || last == nil || last.Winner != id {
		return nil, err
	}
	p, err := to.Preview(ctx, id)
	if err != nil || !p.Done {
		return nil, err
	}
	out := l.applied(control.Applied{Run: l.run.Name, Winner: id, Paths: last.Paths, Already: true, Commit: last.Commit,
		DryRun: o.DryRun, Recovered: recovered != nil})
	if o.DryRun {
		return out, nil
	}
	out.Completed = true
	return out, l.recordLast(ctx, out)
}

// standing is the run's last apply that was not undone, nil if there is none.
func (l *landing) standing(ctx context.Context) (last *control.Landed, err error) {
	all, err := l.run.Landed(ctx)
	for i := range all {
		if !all[i].Undone {
			last = &all[i]
		}
	}
	return last, err
}

// recordLast has evolution.yaml say what the last apply that stands did.
func (l *landing) recordLast(ctx context.Context, out *Applied) error {
	last, err := l.standing(ctx)
	if err != nil {
		return err
	}
	if last == nil {
		return errors.New("recording an apply: the run's log has none")
	}
	paths, err := l.run.Changed(ctx, last.Applying)
	if err != nil {
		return err
	}
	applied := &evolution.Applied{At: last.At}
	for _, p := range paths {
		if rel, ok := l.within(p); ok {
			applied.FilesChanged = append(applied.FilesChanged, inFile(rel))
		}
	}
	return l.record(ctx, out, applied)
}

// inFile is a path as evolution.yaml has it: one that is no text is quoted as in
// Go.
func inFile(p string) string {
	if !utf8.ValidString(p) || strings.ContainsFunc(p, unicode.IsControl) {
		return strconv.Quote(p)
	}
	return p
}

func (l *landing) record(ctx context.Context, out *Applied, applied *evolution.Applied) error {
	doc, err := l.f.update(ctx, l.d.clock(), l.saying(ctx, applied))
	if err != nil {
		return &clade.Problem{Fault: faultOr(err, clade.FaultEnvironment), Text: out.Variant + " is applied, but the evolution's files do not all say so", Err: err,
			Hint: fmt.Sprintf("mend what is said here; clade evolution apply %s then completes it, clade evolution undo %s takes it back", l.id(), l.id())}
	}
	l.doc = doc
	out.AppliedAt, out.Files = &doc.Evolution.Applied.At, append([]string{}, doc.Evolution.Applied.FilesChanged...)
	return nil
}

// saying is the change of an evolution to one that was applied, nil: was not.
func (l *landing) saying(ctx context.Context, applied *evolution.Applied) change {
	return func(d *evolution.Document) (want *evolution.Evolution, page evolution.Page, err error) {
		want = d.Evolution.Clone()
		want.Applied = applied
		err = l.run.View(ctx, func(v clade.View) error {
			_, page.Notes = project(d.Evolution, v, false)
			return nil
		})
		return want, page, err
	}
}

// recordable refuses files that could not say that the winner was applied, or
// that say something else by now.
func (l *landing) recordable(ctx context.Context) error {
	now, err := l.f.read()
	if err != nil {
		return err
	}
	e, w := now.Evolution, l.doc.Evolution.Winner
	if e.Applied != nil || e.Winner == nil || e.Winner.Variant != w.Variant {
		return &clade.Problem{Fault: clade.FaultConflict, Where: now.Name, Text: "says something else by now", Hint: "nothing was changed; apply again"}
	}
	_, err = l.f.rewrite(ctx, l.d.clock(), l.saying(ctx, &evolution.Applied{At: l.d.clock(), FilesChanged: []string{"x"}}), putNothing)
	return err
}

func faultOr(err error, other clade.Fault) clade.Fault {
	if f := clade.FaultOf(err); f != "" {
		return f
	}
	return other
}
