package evolution

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/format/evolution"
)

// A Launch says how an evolution is run in this process.
type Launch struct {
	Settings
	Soft     context.Context // see control.Launch
	Step     func(string)
	Tell     func(string) // what a person wants to know, as it becomes known
	Progress func(clade.View)
}

// A Ran evolution is where it stands after a run.
type Ran struct {
	*Report
	Run string `json:"run"`
	// Proven says that the winner beat the measured baseline.
	Proven bool         `json:"proven"`
	Stop   clade.Stop   `json:"stop,omitempty"`
	Reason string       `json:"reason,omitempty"`
	Spent  clade.Amount `json:"spent"`
	Hands  []Hand       `json:"hands,omitempty"` // variants that are in other hands
}

// A Hand is a variant that somebody outside works on, or is to take up.
type Hand struct {
	Variant string     `json:"variant"`
	Who     string     `json:"who,omitempty"`
	Until   *time.Time `json:"until,omitempty"`
}

// Run runs the evolution that arg names until one of its stops holds, and keeps
// its files up to date meanwhile. It returns where the evolution stands, also
// beside an error once there is a run. A winner that did not beat the measured
// baseline, and an end without one, are Problems with FaultNoWinner.
func (d *Door) Run(ctx context.Context, arg string, o Launch) (*Ran, error) {
	if err := d.startable(ctx, arg, o.Settings); err != nil {
		return nil, err
	}
	s, err := d.open(ctx, arg, o.Settings, o.told(), o.step())
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := s.runnable(ctx); err != nil {
		return nil, err
	}
	return s.search(ctx, o, false)
}

// startable refuses what Run cannot be for before a run is opened for it: an
// evolution that has its winner but no run of clade behind it, and one that nobody
// makes variants for.
func (d *Door) startable(ctx context.Context, arg string, set Settings) error {
	f, m, err := d.find(arg)
	if err != nil {
		return err
	}
	doc, err := f.read()
	switch {
	case err != nil:
		return err
	case doc.Evolution.Applied != nil:
		return finished(m.Dir, doc.Evolution)
	case doc.Evolution.Winner != nil:
		return d.unfinished(ctx, f, m, doc.Evolution)
	}
	l, _, err := f.link()
	if err != nil {
		return err
	}
	spec, _, err := d.specOf(f, doc, set.over(l.Settings))
	if err == nil && len(spec.Operators) == 0 {
		err = nobody(doc.Evolution.ID)
	}
	return err
}

func (d *Door) unfinished(ctx context.Context, f folder, m evolution.Match, e *evolution.Evolution) error {
	r, err := d.behind(ctx, f)
	if r != nil || err != nil {
		return errors.Join(err, closed(r))
	}
	return &clade.Problem{Fault: clade.FaultConflict, Text: fmt.Sprintf("evolution %s is evaluated: the winner is %s, by numbers that clade did not measure", m.Dir, e.Winner.Variant),
		Hint: fmt.Sprintf("clade evolution import %d measures what is stored; then clade evolution apply %d lands what won", e.ID, e.ID)}
}

func nobody(id int) error {
	return &clade.Problem{Fault: clade.FaultUsage, Text: "nobody makes variants: no operator is named",
		Hint: fmt.Sprintf("--agent NAME has a coding agent make them%s; clade evolution next %d hands them out to whoever asks", installed(), id)}
}

// behind opens the run behind an evolution, nil where there is none. It must be
// of the folder that holds .agents: a copy of that has no run, whatever its link
// says.
func (d *Door) behind(ctx context.Context, f folder) (*control.Run, error) {
	l, linked, err := f.link()
	if err != nil || !linked {
		return nil, err
	}
	r, err := d.c.Open(ctx, l.Run, f.dir)
	if clade.FaultOf(err) == clade.FaultNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	ours, err := f.holds(ctx, r)
	if err != nil || !ours || r.Name != l.Run {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// root is the folder that holds .agents.
func (f folder) root() string { return filepath.Dir(filepath.Dir(filepath.Dir(f.dir))) }

// holds reports whether a run's target is the folder that holds .agents.
func (f folder) holds(ctx context.Context, r *control.Run) (bool, error) {
	root, err := filepath.EvalSymlinks(f.root())
	if err != nil {
		return false, fmt.Errorf("finding the folder of an evolution: %w", err)
	}
	var where string
	if err := r.View(ctx, func(v clade.View) error { where = r.Where(v); return nil }); err != nil {
		return false, err
	}
	where, err = filepath.EvalSymlinks(where)
	return err == nil && where == root, nil // a target that is gone is not this one
}

func closed(r *control.Run) error {
	if r == nil {
		return nil
	}
	return r.Close()
}

// Import measures the variants of an evolution that others evaluated, and plans
// none: what leads by clade's own numbers is the winner then, which apply lands.
func (d *Door) Import(ctx context.Context, arg string, o Launch) (*Ran, error) {
	s, err := d.open(ctx, arg, o.Settings, o.told(), o.step())
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if s.doc.Evolution.Winner == nil {
		return nil, &clade.Problem{Fault: clade.FaultConflict, Text: fmt.Sprintf("evolution %s has no winner yet", s.match.Dir),
			Hint: "clade evolution run " + s.id() + " measures what is stored, too, and goes on from there"}
	}
	err = s.run.Update(ctx, func(tx control.Tx) error {
		h := tx.View().Head()
		spec := h.Spec
		if spec.Budget.Candidates = h.Proposing + h.Offered - h.Adopted; spec.Budget.Candidates == h.Spec.Budget.Candidates {
			return nil
		}
		return tx.Append(clade.Amended{Spec: spec, Digest: control.Digest(&spec), What: "only what is stored", Epoch: h.Epoch})
	})
	if err != nil {
		return nil, err
	}
	return s.search(ctx, o, true)
}

func (o Launch) told() func(string) {
	if o.Tell != nil {
		return o.Tell
	}
	return func(string) {}
}

func (o Launch) step() func(string) {
	if o.Step != nil {
		return o.Step
	}
	return func(string) {}
}

// runnable refuses an evolution that has its winner, or nobody to make variants.
func (s *session) runnable(ctx context.Context) error {
	var over, operators bool
	if err := s.run.View(ctx, func(v clade.View) error {
		h := v.Head()
		operators = len(h.Spec.Operators) > 0
		over = h.Stop != clade.StopNone && !passing(h.Stop) && h.Offered == h.Adopted && len(v.Open()) == 0
		return nil
	}); err != nil {
		return err
	}
	switch e := s.doc.Evolution; {
	case e.Winner != nil && over:
		return &clade.Problem{Fault: clade.FaultConflict, Text: fmt.Sprintf("evolution %s is evaluated: the winner is %s", s.match.Dir, e.Winner.Variant),
			Hint: fmt.Sprintf("clade evolution apply %s lands it, clade evolution show %s says why it won; to search on, delete winner from the file and raise max_variants", s.id(), s.id())}
	case !operators:
		return nobody(s.doc.Evolution.ID)
	}
	return nil
}

// installed names the coding agents that are on the path, for a hint.
func installed() string {
	var found []string
	for _, name := range clade.HostNames() {
		if _, err := exec.LookPath(name); err == nil {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return " (here: " + strings.Join(found, ", ") + ")"
}

// passing reports whether what stopped a run may have passed, so that it is
// worth going on with as it is.
func passing(stop clade.Stop) bool {
	switch stop {
	case clade.StopCancelled, clade.StopModel, clade.StopInfra, clade.StopBaseline, clade.StopEvaluator, clade.StopAllFailed:
		return true
	}
	return false
}

// search searches the run behind the evolution. What the baseline shows to vary
// is measured as a timing from then on.
func (s *session) search(ctx context.Context, o Launch, hands bool) (*Ran, error) {
	for {
		err := s.launch(ctx, o, hands)
		var noisy []string
		if err == nil {
			noisy, err = s.unsteady(ctx)
		}
		if err != nil || len(noisy) == 0 {
			return s.ran(context.WithoutCancel(ctx), err)
		}
		s.tell(strings.Join(noisy, " and ") + " varied between runs of the same tree: measured in pairs with the base from now on")
		if err := s.retime(ctx, noisy); err != nil {
			return s.ran(context.WithoutCancel(ctx), err)
		}
	}
}

// launch searches until the run stops, with the files kept up to date.
func (s *session) launch(ctx context.Context, o Launch, hands bool) error {
	if err := s.expire(ctx); err != nil {
		return err
	}
	err := s.run.Update(ctx, func(tx control.Tx) error {
		if h := tx.View().Head(); h.Stop == clade.StopNone && !h.Paused && h.Cancelled == "" {
			return nil
		}
		return tx.Append(clade.Directed{What: clade.DirectResume})
	})
	if err != nil {
		return err
	}
	if s.doc, err = s.f.sweep(ctx, s.run, s.d.clock()); err != nil {
		return err
	}
	m := s.mirroring(ctx)
	err = s.run.Launch(ctx, control.Launch{Soft: o.Soft, Step: o.Step, Hands: hands, Progress: func(v clade.View) {
		if o.Progress != nil {
			o.Progress(v)
		}
		m.changed()
	}})
	m.close()
	return errors.Join(err, s.mirror(context.WithoutCancel(ctx)))
}

// mirror writes what the run says into the evolution's files.
func (s *session) mirror(ctx context.Context) error {
	doc, err := s.f.mirror(ctx, s.run, s.d.clock())
	if err == nil {
		s.doc = doc
	}
	return err
}

// exchange has the run take over what others have added to the file meanwhile,
// and is mirror then.
func (s *session) exchange(ctx context.Context) (err error) {
	if s.doc, err = s.f.reread(s.doc); err != nil {
		return err
	}
	if err := s.offer(ctx, s.run, nil); err != nil {
		return err
	}
	return s.mirror(ctx)
}

// reread reads evolution.yaml where it is not what it was, else it is doc.
func (f folder) reread(doc *evolution.Document) (*evolution.Document, error) {
	if !f.edited(doc) {
		return doc, nil
	}
	now, err := f.read()
	if err != nil {
		return doc, err
	}
	return now, nil
}

// edited reports whether somebody else has written evolution.yaml since.
func (f folder) edited(doc *evolution.Document) bool {
	file, err := load(doc.Name)
	return err == nil && file != nil && !bytes.Equal(file.data, doc.Data)
}

// A mirroring writes the files while a search goes on, now and then.
type mirroring struct {
	news chan struct{}
	stop context.CancelFunc
	done sync.WaitGroup
}

// mirrorEvery is how long files stay as they are at the least, and how often
// they are looked at for what others write.
const mirrorEvery = 300 * time.Millisecond

func (s *session) mirroring(ctx context.Context) *mirroring {
	ctx, stop := context.WithCancel(ctx)
	m := &mirroring{news: make(chan struct{}, 1), stop: stop}
	m.done.Go(func() {
		told := false
		for {
			select {
			case <-m.news:
			case <-time.After(mirrorEvery):
				if !s.f.edited(s.doc) {
					continue
				}
			case <-ctx.Done():
				return
			}
			if err := s.exchange(ctx); err != nil && ctx.Err() == nil && !told {
				told = true // the last one, after the search, tries again
				s.tell(err.Error())
			}
			select {
			case <-time.After(mirrorEvery):
			case <-ctx.Done():
				return
			}
		}
	})
	return m
}

func (m *mirroring) changed() {
	select {
	case m.news <- struct{}{}:
	default:
	}
}

func (m *mirroring) close() {
	m.stop()
	m.done.Wait()
}

// unsteady names the axes that were taken for exact and are not, by what the
// baseline measured.
func (s *session) unsteady(ctx context.Context) (noisy []string, err error) {
	return noisy, s.run.View(ctx, func(v clade.View) error {
		h := v.Head()
		if h.Stop != clade.StopBaseline && h.Stop != clade.StopEvaluator {
			return nil
		}
		for id := h.Count; id > clade.Base; id-- {
			l := v.Life(id)
			if l.Verdict.Category != "unsteady" || l.Proposes() {
				continue
			}
			for _, m := range h.Spec.Measures {
				if m.Noise == clade.NoiseNone && varies(l, m.ID) {
					noisy = append(noisy, m.ID)
				}
			}
			return nil
		}
		return nil
	})
}

// varies reports whether readings of the base differ.
func varies(l *clade.Life, check string) bool {
	var first *float64
	for _, e := range l.Evaluations {
		for _, x := range e.Samples {
			switch {
			case e.Subject != clade.Base || x.Check != check || x.Class != clade.OK:
			case first == nil:
				first = &x.Value
			case *first != x.Value:
				return true
			}
		}
	}
	return false
}

// retime opens a new run in which the axes are timings.
func (s *session) retime(ctx context.Context, axes []string) error {
	var spec clade.Spec
	if err := s.run.View(ctx, func(v clade.View) error { spec = v.Head().Spec; return nil }); err != nil {
		return err
	}
	spec.Measures = slices.Clone(spec.Measures)
	for i := range spec.Measures {
		if slices.Contains(axes, spec.Measures[i].ID) {
			spec.Measures[i].Noise = clade.NoiseTiming
		}
	}
	fresh, _, err := s.d.specOf(s.f, s.doc, s.set)
	if err != nil {
		return err
	}
	fresh.Measures = spec.Measures
	old := s.run
	defer old.Close()
	unlock, err := s.f.lock(ctx)
	if err != nil {
		return err
	}
	return errors.Join(s.begin(ctx, fresh, link{Run: old.Name, Base: spec.Target.Base}, old), unlock())
}

// ran reports where the evolution stands, and what kind of end that is.
func (s *session) ran(ctx context.Context, launched error) (*Ran, error) {
	r := &Ran{Run: s.run.Name}
	var err error
	if r.Report, err = s.d.Show(s.match.Dir); err != nil {
		return nil, errors.Join(launched, err)
	}
	err = s.run.View(ctx, func(v clade.View) error {
		h := v.Head()
		r.Stop, r.Reason, r.Spent = h.Stop, h.Reason, h.Spent
		r.remark(s.doc.Evolution, v)
		r.Proven = r.State == string(evolution.StateEvaluated) && proves(v, r.Leader)
		for _, id := range v.Open() {
			if l := v.Life(id); l.ByHand() {
				hand := Hand{Variant: l.Name, Who: l.Hand}
				if !l.Until.IsZero() {
					hand.Until = &l.Until
				}
				r.Hands = append(r.Hands, hand)
			}
		}
		return nil
	})
	if launched != nil || err != nil {
		return r, errors.Join(launched, err)
	}
	return r, s.verdict(r)
}

// remark adds to the table what the run says of variants.
func (r *Ran) remark(e *evolution.Evolution, v clade.View) {
	_, remarks := project(e, v, false)
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Remark == "" {
			row.Remark = remarks[row.Variant]
		}
	}
}

// verdict turns where an evolution stands into the problem it is, nil where its
// winner is proven.
func (s *session) verdict(r *Ran) error {
	won := r.State == string(evolution.StateEvaluated)
	switch {
	case won && r.Proven:
		return nil
	case won:
		return &clade.Problem{Fault: clade.FaultNoWinner, Text: fmt.Sprintf("%s leads but did not beat the measured baseline: %s", r.Leader, r.Reason),
			Hint: fmt.Sprintf("clade evolution apply %s --anyway lands it all the same", s.id())}
	case r.Stop == clade.StopBaseline || r.Stop == clade.StopEvaluator:
		return &clade.Problem{Fault: clade.FaultBaseline, Text: "nothing can be measured by: " + r.Reason,
			Hint: "mend gates, axes or setup and run it again; no variant was charged for it"}
	case r.Stop == clade.StopInfra || r.Stop == clade.StopModel:
		return &clade.Problem{Fault: clade.FaultEnvironment, Text: "no winner yet: " + r.Reason, Hint: "mend it; clade evolution run " + s.id() + " goes on"}
	case r.Stop == clade.StopCancelled || r.Stop == clade.StopNone:
		return &clade.Problem{Fault: clade.FaultInterrupted, Text: "the evolution is not over", Hint: "clade evolution run " + s.id() + " goes on"}
	}
	return &clade.Problem{Fault: clade.FaultNoWinner, Text: "no winner: " + evolution.Failing(s.doc.Evolution) + "; " + r.Reason,
		Hint: "mend the gates that fail and run it again: what is stored is then judged anew, with the budget as it is"}
}

// next says on the page what to do where nothing follows from the state: a run
// that has come to its end without a winner does not go on by itself.
func next(e *evolution.Evolution, v clade.View) string {
	if e.Winner != nil || !ended(v.Head().Stop) {
		return ""
	}
	return fmt.Sprintf("no winner: %s; revise the gates, then `clade evolution run %d`", evolution.Failing(e), e.ID)
}

// ended reports whether a run that stopped so has tried all that it was to try.
func ended(stop clade.Stop) bool { return decides(stop) || stop == clade.StopAllFailed }

// proves reports whether the candidate of a name, or one with the same tree, beat
// the measured baseline.
func proves(v clade.View, name string) bool {
	h := v.Head()
	if h.Winner == clade.Base {
		return false
	}
	l := attemptsOf(v).lives[name]
	return l != nil && (l.ID == h.Winner || l.Same == h.Winner)
}
