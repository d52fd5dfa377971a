package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/crash"
)

// A step is one side of a persisted step.
type step struct{ label, side string }

func (s step) String() string { return s.label + ":" + s.side }

// A reference is what a variant does when nobody interrupts it.
type reference struct {
	*variant
	decisions []string
	starts    map[unit]int
	spent     clade.Amount
	// passes counts how often a run passes each step; resumed how often the
	// resume of a run that was killed half way does.
	passes, resumed map[step]int
}

// halfway is where the run whose resume is recorded is killed: once for all
// when the log holds bytes of commits that are not on disk.
const halfway = "proposed:after:%d:all"

func newReference(ctx context.Context, o *Options, v *variant) (*reference, error) {
	r := &reference{variant: v}
	w, err := newWorld(ctx, o.Program, filepath.Join(o.Dir, v.name+"-whole"), v)
	if err != nil {
		return nil, err
	}
	record := filepath.Join(w.dir, "passes")
	got, err := w.clade(ctx, "record:"+record, nil, "run", "--plain")
	if err != nil || got.exit != 0 && !(v.timed && got.exit == noWinner) {
		return nil, errors.Join(err, fmt.Errorf("uninterrupted run: exit status %d\n%s", got.exit, got.err))
	}
	if r.passes, err = readPasses(record); err != nil {
		return nil, err
	}
	if r.starts, err = w.starts(); err != nil {
		return nil, err
	}
	records, err := w.records(ctx)
	if err != nil {
		return nil, err
	}
	if r.decisions, err = decisions(records); err != nil {
		return nil, err
	}
	if r.spent, _, err = w.spent(ctx); err != nil {
		return nil, err
	}
	return r, r.recordResume(ctx, o)
}

func (r *reference) recordResume(ctx context.Context, o *Options) error {
	if r.timed {
		r.resumed = map[step]int{}
		return nil
	}
	w, err := newWorld(ctx, o.Program, filepath.Join(o.Dir, r.name+"-resumed"), r.variant)
	if err != nil {
		return err
	}
	at := fmt.Sprintf(halfway, r.passes[step{"proposed", crash.After}]/2)
	if got, err := w.clade(ctx, at, nil, "run", "--plain"); err != nil || !got.killed {
		return errors.Join(err, fmt.Errorf("run that %s should kill: exit status %d\n%s", at, got.exit, got.err))
	}
	record := filepath.Join(w.dir, "passes")
	if err := w.must(ctx, "record:"+record, "resume", "--plain"); err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	r.resumed, err = readPasses(record)
	return err
}

// must runs clade and wants it to succeed.
func (w *world) must(ctx context.Context, at string, args ...string) error {
	got, err := w.clade(ctx, at, nil, args...)
	if err == nil && got.exit != 0 {
		err = fmt.Errorf("clade %s: exit status %d\n%s", strings.Join(args, " "), got.exit, got.err)
	}
	return err
}

func readPasses(file string) (map[step]int, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	out := map[step]int{}
	for line := range strings.Lines(string(data)) {
		label, side, _ := strings.Cut(strings.TrimSpace(line), ":")
		out[step{label, side}]++
	}
	return out, nil
}

// decisions are the planned, judged and stopped events, in order, without
// their place, time and author.
func decisions(records []clade.Record) (out []string, err error) {
	for _, r := range records {
		switch e := r.Event.(type) {
		case clade.Planned, clade.Judged, clade.Stopped:
			b, err := json.Marshal(e)
			if err != nil {
				return nil, err
			}
			out = append(out, e.Kind()+" "+string(b))
		}
	}
	return out, nil
}
