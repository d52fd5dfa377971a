package evolution

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/format/evolution"
)

// A Handing says how variants are handed out to somebody outside.
type Handing struct {
	Launch
	Who   string        // who takes them
	Most  int           // how many; 0: a whole generation
	Lease time.Duration // after which they may be taken back; 0: the timeout of a variant
}

// defaultLease is how long a variant is its taker's where nobody says.
const defaultLease = 30 * time.Minute

// A Batch is what was handed out: a task for each variant.
type Batch struct {
	Evolution string    `json:"evolution"`
	Run       string    `json:"run"`
	Until     time.Time `json:"until"`
	Tasks     []Handed  `json:"tasks"`
}

// A Handed task also says itself in words, for an agent.
type Handed struct {
	evolution.Task
	Prompt string `json:"prompt"`
}

// Next hands out variants that wait for a worker, planning the next generation
// where none does. Each has a workspace of its own, and is the taker's until the
// lease runs out. Where the evolution is over it is the Problem that Run gives.
func (d *Door) Next(ctx context.Context, arg string, o Handing) (*Batch, error) {
	s, err := d.open(ctx, arg, o.Settings, o.told(), o.step())
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if o.Lease <= 0 {
		o.Lease = defaultLease
		if s.set.Timeout > 0 {
			o.Lease = time.Duration(s.set.Timeout)
		}
	}
	if o.Most <= 0 {
		o.Most = s.doc.Evolution.Budget.Parallel
	}
	b := &Batch{Evolution: s.match.Dir, Run: s.run.Name, Until: d.clock().Add(o.Lease).UTC().Truncate(time.Second), Tasks: []Handed{}}
	claimed, err := s.claim(ctx, o, b.Until)
	if err != nil {
		return nil, err
	}
	if err := s.mirror(ctx); err != nil {
		return nil, err
	}
	return b, s.task(ctx, o, b, claimed)
}

// claim claims what waits, after planning where nothing does.
func (s *session) claim(ctx context.Context, o Handing, until time.Time) ([]clade.ID, error) {
	if err := s.expire(ctx); err != nil {
		return nil, err
	}
	claimed, err := s.run.Claim(ctx, o.Who, o.Most, until)
	if err != nil || len(claimed) > 0 {
		return claimed, err
	}
	ran, err := s.search(ctx, o.Launch, true)
	switch {
	case errors.Is(err, control.ErrHands):
	case err != nil:
		return nil, err
	default:
		return nil, &clade.Problem{Fault: clade.FaultConflict, Text: fmt.Sprintf("evolution %s is evaluated: the winner is %s", s.match.Dir, ran.Leader),
			Hint: "clade evolution apply " + s.id() + " lands it"}
	}
	if claimed, err = s.run.Claim(ctx, o.Who, o.Most, until); err != nil || len(claimed) > 0 {
		return claimed, err
	}
	return nil, &clade.Problem{Fault: clade.FaultBusy, Text: "every variant of this generation is in other hands" + hands(ran.Hands),
		Hint: "clade evolution ingest " + s.id() + " takes what is done; what is not comes back when its lease is over"}
}

func hands(all []Hand) (out string) {
	for i, h := range all {
		if out += ", "; i == 0 {
			out = ": "
		}
		if out += h.Variant; h.Who != "" && h.Until != nil {
			out += fmt.Sprintf(" (%s until %s)", h.Who, h.Until.Local().Format("15:04"))
		}
	}
	return out
}

// A parcel is what a task is made of, as the run has it.
type parcel struct {
	name    string
	from    string // commit that the workspace begins with
	in      string // folder of the workspace that holds what the evolution is of
	parents []kin
}

type kin struct{ name, commit string }

// task makes the workspaces and tasks of claimed attempts.
func (s *session) task(ctx context.Context, o Handing, b *Batch, claimed []clade.ID) error {
	brief, err := s.f.brief()
	if err != nil {
		return err
	}
	parcels, base, err := s.parcels(ctx, claimed)
	if err != nil {
		return err
	}
	return s.run.Kept(ctx, s.step, func(k *control.Kept) error {
		for _, p := range parcels {
			v := s.doc.Evolution.Variant(p.name)
			if v == nil {
				return fmt.Errorf("variant %s is not in the file", p.name)
			}
			if err := s.f.fresh(p.name); err != nil {
				return err
			}
			if err := k.Make(ctx, p.from, s.f.workspace(p.name)); err != nil {
				return err
			}
			t := s.doc.Evolution.NewTask(v, brief, filepath.Join(s.f.workspace(p.name), p.in), s.f.result(p.name), time.Duration(s.set.Timeout))
			for _, parent := range p.parents {
				patch, err := s.run.Patch(ctx, base, parent.commit)
				if err != nil {
					return err
				}
				t.Diffs = append(t.Diffs, evolution.ParentDiff{Variant: parent.name, Patch: string(patch), Applied: parent.commit == p.from})
			}
			b.Tasks = append(b.Tasks, Handed{t, t.Prompt()})
		}
		return nil
	})
}

func (s *session) parcels(ctx context.Context, claimed []clade.ID) (all []parcel, base string, err error) {
	return all, base, s.run.View(ctx, func(v clade.View) error {
		base = v.Life(clade.Base).Commit
		for _, id := range claimed {
			l := v.Life(id)
			p := parcel{name: l.Name, from: base, in: filepath.FromSlash(v.Head().Spec.Target.Prefix)}
			for i, parent := range l.Parents {
				q := v.Life(parent)
				if parent == clade.Base || q.Commit == "" {
					continue
				}
				if i == 0 && v.Head().Spec.Search.Start != clade.StartBase {
					p.from = q.Commit
				}
				p.parents = append(p.parents, kin{q.Name, q.Commit})
			}
			all = append(all, p)
		}
		return nil
	})
}

// fresh puts what an earlier worker left of a variant aside: a workspace and a
// result that are there are of a try that is over.
func (f folder) fresh(variant string) error {
	if err := f.makeVariants(variant); err != nil {
		return err
	}
	return errors.Join(aside(f.workspace(variant)), aside(f.result(variant)))
}

// aside gives what lies at name, if anything does, the first free name with a
// number behind it.
func aside(name string) error {
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for n := 1; ; n++ {
		to := fmt.Sprintf("%s.%d", name, n)
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return unwritable(to, os.Rename(name, to))
		}
	}
}

// An Ingestion says what was taken in, and where the evolution then stands.
type Ingestion struct {
	Taken []Taken `json:"taken"`
	*Ran
}

// Taken is what became of one variant's work.
type Taken struct {
	Variant string `json:"variant"`
	// As is what was made of it: "measured", "retry" (its result is missing or
	// malformed and it is handed out once more), "errored", "killed", "waiting" (no
	// result yet).
	As  string `json:"as"`
	Why string `json:"why,omitempty"`
}

// Ingest takes what those outside left of the variants they hold, measures it,
// and plans the next generation when this one is complete. Only names them;
// none: all that have a result. A worker's own numbers are never ranked.
func (d *Door) Ingest(ctx context.Context, arg string, only []string, o Launch) (*Ingestion, error) {
	s, err := d.open(ctx, arg, o.Settings, o.told(), o.step())
	if err != nil {
		return nil, err
	}
	defer s.Close()
	in := &Ingestion{}
	if in.Taken, err = s.take(ctx, only); err != nil {
		return in, errors.Join(err, s.mirror(context.WithoutCancel(ctx)))
	}
	in.Ran, err = s.search(ctx, o, true)
	if errors.Is(err, control.ErrHands) {
		err = nil
	}
	if clade.FaultOf(err) == clade.FaultBusy { // who searches it measures what was handed in
		s.tell(err.Error())
		err = s.mirror(ctx)
	}
	return in, err
}

// take looks at what every holder left.
func (s *session) take(ctx context.Context, only []string) (out []Taken, err error) {
	held, base, err := s.held(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range only {
		if _, ok := held[name]; !ok {
			return nil, &clade.Problem{Fault: clade.FaultNotFound, Text: fmt.Sprintf("%s is in nobody's hands", name),
				Hint: "clade evolution show " + s.id() + " lists the variants; one whose lease is over is handed out anew"}
		}
	}
	names := make([]string, 0, len(held))
	for name := range held {
		if len(only) == 0 || slices.Contains(only, name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return number(a) - number(b) })
	out = []Taken{}
	err = s.run.Kept(ctx, s.step, func(k *control.Kept) error {
		for _, name := range names {
			t, err := s.takeOne(ctx, k, name, held[name], base)
			if err != nil {
				return err
			}
			out = append(out, t)
		}
		return nil
	})
	_, xerr := s.run.Expire(ctx, s.d.clock()) // what was left in time counts, even when it is taken late
	return out, errors.Join(err, xerr)
}

// expire takes variants back from those whose lease is over. What they left a
// result of before anybody else got it is taken in: it is done.
func (s *session) expire(ctx context.Context) error {
	late, err := s.late(ctx)
	if err != nil {
		return err
	}
	if len(late) > 0 {
		_, err = s.take(ctx, late)
		return err
	}
	_, err = s.run.Expire(ctx, s.d.clock())
	return err
}

// late are the variants whose lease is over and that have a result.
func (s *session) late(ctx context.Context) (names []string, err error) {
	now := s.d.clock()
	err = s.run.View(ctx, func(v clade.View) error {
		for _, id := range v.Open() {
			l := v.Life(id)
			if !l.Running || l.Hand == "" || l.Commit != "" || l.Until.IsZero() || now.Before(l.Until) {
				continue
			}
			if _, err := os.Lstat(s.f.result(l.Name)); err == nil {
				names = append(names, l.Name)
			}
		}
		return nil
	})
	return names, err
}

func (s *session) held(ctx context.Context) (held map[string]clade.ID, base string, err error) {
	held = map[string]clade.ID{}
	return held, base, s.run.View(ctx, func(v clade.View) error {
		base = v.Life(clade.Base).Commit
		for _, id := range v.Open() {
			if l := v.Life(id); l.Running && l.Hand != "" && l.Commit == "" {
				held[l.Name] = id
			}
		}
		return nil
	})
}

func (s *session) takeOne(ctx context.Context, k *control.Kept, name string, id clade.ID, base string) (Taken, error) {
	t := Taken{Variant: name}
	file, err := load(s.f.result(name))
	if err == nil && file == nil {
		t.As, t.Why = "waiting", "no result yet"
		return t, nil
	}
	var r *evolution.Result
	if err == nil {
		r, err = evolution.ParseResult(path.Join(evolution.DirVariants, name, evolution.FileResult), file.data, s.doc.Evolution)
	}
	if err != nil {
		t.As, t.Why = "retry", err.Error()
		return t, errors.Join(s.run.Release(ctx, id, clade.ClassOperator, "its result cannot be read: "+err.Error()), aside(s.f.result(name)))
	}
	if r.Status != evolution.Evaluated {
		t.As, t.Why = string(r.Status), r.Notes
		return t, s.run.GiveUp(ctx, id, string(r.Status), clade.Line(cmp.Or(r.Notes, "its worker says so"), 300))
	}
	changes, err := k.Changes(ctx, base, s.f.workspace(name))
	if err != nil {
		t.As, t.Why = "retry", err.Error()
		if ctx.Err() != nil {
			return t, context.Cause(ctx)
		}
		return t, s.run.Release(ctx, id, clade.ClassOperator, "its workspace cannot be taken: "+err.Error())
	}
	t.As = "measured"
	hypothesis := name // where the file has lost it
	if v := s.doc.Evolution.Variant(name); v != nil {
		hypothesis = v.Hypothesis
	}
	return t, s.run.HandIn(ctx, id, base, changes, cmp.Or(r.Notes, hypothesis))
}
