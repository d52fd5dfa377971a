package crash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/store"
)

// spent is what the run says it spent, time left out, and what the sum of its
// attempts is.
func (w *world) spent(ctx context.Context) (total, sum clade.Amount, err error) {
	err = w.log(ctx, func(_ store.Store, _ string, l store.Log) error {
		return l.View(ctx, func(v clade.View) error {
			total = v.Head().Spent
			for id := clade.Base; id <= v.Head().Count; id++ {
				sum = sum.Plus(v.Life(id).Paid)
			}
			return nil
		})
	})
	if total.Wall != sum.Wall && err == nil {
		err = fmt.Errorf("%v was spent, but the attempts sum up to %v", total.Wall, sum.Wall)
	}
	total.Wall, sum.Wall = 0, 0
	return total, sum, err
}

// A shot is what is known at the moment of a kill.
type shot struct {
	starts map[unit]int
	ended  map[clade.ID]bool // attempts with an outcome
}

func (w *world) shoot(ctx context.Context) (s shot, err error) {
	if s.starts, err = w.starts(); err != nil {
		return s, err
	}
	records, err := w.records(ctx)
	s.ended = map[clade.ID]bool{}
	for _, r := range records {
		if e, ok := r.Event.(clade.TryEnded); ok {
			s.ended[e.Outcome.ID] = true
		}
	}
	return s, err
}

// verify holds an ended draw against its reference.
func (d *draw) verify(ctx context.Context, w *world, before map[string]string, shots []shot) (wrong []string) {
	note := func(what string, bad []string, err error) {
		if err != nil {
			bad = append(bad, err.Error())
		}
		for _, b := range bad {
			wrong = append(wrong, what+": "+b)
		}
	}
	bad, err := d.sameDecisions(ctx, w)
	note("decisions", bad, err)
	bad, err = d.paidOnce(w, shots)
	note("paid twice", bad, err)
	after, err := w.files()
	note("the user's files changed", different(before, after), err)
	bad, err = d.sameSpend(ctx, w)
	note("spend", bad, err)
	note("left behind", nil, w.alone(ctx))
	note("stored state", nil, w.sound(ctx))
	return wrong
}

func (d *draw) sameDecisions(ctx context.Context, w *world) ([]string, error) {
	records, err := w.records(ctx)
	if err != nil || d.timed {
		return nil, err
	}
	got, err := decisions(records)
	if err != nil || slices.Equal(got, d.decisions) {
		return nil, err
	}
	for i, want := range d.decisions {
		if i >= len(got) {
			return []string{fmt.Sprintf("only %d of %d", len(got), len(d.decisions))}, nil
		}
		if got[i] != want {
			return []string{fmt.Sprintf("number %d is\n  %s\nnot\n  %s", i, got[i], want)}, nil
		}
	}
	return []string{"more than in the uninterrupted run: " + got[len(d.decisions)]}, nil
}

// paidOnce checks, by the trace alone but for which attempts had ended, that
// what had ended before a kill did not run again: at most what was in flight
// did, and never a unit whose successor had begun, since that waits until the
// unit's result is durable.
func (d *draw) paidOnce(w *world, shots []shot) (wrong []string, err error) {
	if !d.traced {
		return nil, nil
	}
	total, err := w.starts()
	if err != nil {
		return nil, err
	}
	again := 0
	for u, n := range total {
		extra := n - d.starts[u]
		if u.doubted() {
			extra -= doubts * len(shots)
		}
		if extra <= 0 {
			continue
		}
		again += extra
		if most := d.inFlight(u, shots); extra > most {
			wrong = append(wrong, fmt.Sprintf("%v ran %d times more than when uninterrupted; %d may have been in flight", u, extra, most))
		}
	}
	for u, n := range d.starts {
		if total[u] < n {
			wrong = append(wrong, fmt.Sprintf("%v ran %d times, not %d", u, total[u], n))
		}
	}
	if most := slots * len(shots); again > most {
		wrong = append(wrong, fmt.Sprintf("%d units ran again, more than %d", again, most))
	}
	slices.Sort(wrong)
	return wrong, nil
}

// inFlight is how many runs of a unit can have been lost to the kills. One that
// was started just before a kill may tell so only after it.
func (d *draw) inFlight(u unit, shots []shot) (most int) {
	for _, s := range shots {
		switch next, ok := u.after(); {
		case u.role == "propose" && s.ended[clade.ID(u.key)]:
		case !ok || s.starts[u] > s.starts[next] || s.starts[u] < d.starts[u]:
			most++
		}
	}
	return most
}

// sameSpend checks that a resume neither loses nor doubles what was paid.
func (d *draw) sameSpend(ctx context.Context, w *world) (wrong []string, err error) {
	total, sum, err := w.spent(ctx)
	if err != nil {
		return nil, err
	}
	if total != sum {
		wrong = append(wrong, fmt.Sprintf("%+v, but the attempts sum up to %+v", total, sum))
	}
	want := d.spent
	if d.stale {
		want = want.Plus(staleSpent)
	}
	if total != want && !d.timed {
		wrong = append(wrong, fmt.Sprintf("%+v, not %+v", total, want))
	}
	return wrong, nil
}

// alone checks that nothing of the world lives on: no process, no mount, no
// lease, no folder of a dead process.
func (w *world) alone(ctx context.Context) error {
	var errs []error
	if left := census(w.dir); len(left) > 0 {
		errs = append(errs, fmt.Errorf("processes %s", strings.Join(left, ", ")))
	}
	if left := mounts(w.dir); len(left) > 0 {
		errs = append(errs, fmt.Errorf("mounts %s", strings.Join(left, ", ")))
	}
	errs = append(errs, w.log(ctx, func(st store.Store, run string, _ store.Log) error {
		if h, held, err := st.Holder(ctx, run); err != nil || held {
			return errors.Join(err, fmt.Errorf("the lease of process %d", h.PID))
		}
		return nil
	}))
	for _, of := range []string{"slots", "scratch/slots"} {
		entries, err := os.ReadDir(w.cache() + "/clade/" + of)
		if err == nil && len(entries) > 0 {
			errs = append(errs, fmt.Errorf("%d entries of the cache's %s", len(entries), of))
		}
	}
	return errors.Join(errs...)
}

// sound checks the stored state: clade's own check, and after gc has named the
// commits git's.
func (w *world) sound(ctx context.Context) error {
	var errs []error
	for _, args := range [][]string{{"store", "check"}, {"gc"}} {
		errs = append(errs, w.must(ctx, "", args...))
	}
	out, err := w.git(ctx, "-C", w.state()+"/ledger.git", "fsck", "--connectivity-only", "--no-dangling", "--no-progress")
	errs = append(errs, err)
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "notice: ") { // that there is no branch
			errs = append(errs, errors.New("git fsck: "+line))
		}
	}
	return errors.Join(errs...)
}
