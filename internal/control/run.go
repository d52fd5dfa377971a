package control

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/store"
)

// A Run is one run, open in this process. Close it.
type Run struct {
	Name  string
	State string // its state folder
	c     *Control
	store store.Store
	log   store.Log
	led   ledger.Ledger
}

// Create imports the base and opens a new run. Nothing of the target changes.
func (c *Control) Create(ctx context.Context, r *Resolved) (*Run, error) {
	st, err := c.Store(r.State, true)
	if err != nil {
		return nil, err
	}
	led, err := c.Ledger(ctx, filepath.Join(r.State, "ledger.git"))
	if err != nil {
		return nil, err
	}
	made, err := led.Import(ctx, r.Source)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("import base: %w", err), led.Close())
	}
	name := newName(r.Target)
	log, err := st.Create(ctx, clade.Opened{
		Run: name, Spec: r.Spec, Digest: r.Digest, Base: made.Commit, Tree: made.Tree, From: r.From, Where: r.Target,
	})
	if err != nil {
		return nil, errors.Join(err, led.Close())
	}
	run := &Run{Name: name, State: r.State, c: c, store: st, log: log, led: led}
	if err := run.register(ctx, r.Target); err != nil {
		return nil, errors.Join(err, run.Close())
	}
	return run, nil
}

func (r *Run) register(ctx context.Context, where string) error {
	ix, err := r.c.Index()
	if err != nil {
		return err
	}
	return errors.Join(ix.Add(ctx, store.Located{Run: r.Name, State: r.State, Where: where, At: time.Now().UTC()}), ix.Close())
}

// newName is the target's name with five random letters: unique without a
// counter that two processes would fight over.
func newName(target string) string {
	var slug strings.Builder
	for _, r := range strings.ToLower(strings.TrimSuffix(filepath.Base(target), filepath.Ext(target))) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			slug.WriteRune(r)
		case slug.Len() > 0 && !strings.HasSuffix(slug.String(), "-"):
			slug.WriteByte('-')
		}
	}
	name := strings.Trim(slug.String(), "-")
	if name == "" {
		name = "run"
	}
	if len(name) > 24 {
		name = strings.TrimRight(name[:24], "-")
	}
	b := make([]byte, 4)
	_, _ = rand.Read(b) // never fails
	return name + "-" + strings.ToLower(base32.StdEncoding.EncodeToString(b))[:5]
}

// Open opens the run called name, or the only one whose name begins so. An empty
// name means the newest run whose target here lies in or holds.
func (c *Control) Open(ctx context.Context, name, here string) (*Run, error) {
	at, err := c.find(ctx, name, here)
	if err != nil {
		return nil, err
	}
	return c.openAt(ctx, at, false)
}

func (c *Control) openAt(ctx context.Context, at store.Located, fold bool) (*Run, error) {
	st, err := c.Store(at.State, false)
	if err != nil {
		return nil, err
	}
	log, err := st.Open(ctx, at.Run, fold)
	if errors.Is(err, store.ErrNoRun) {
		return nil, &clade.Problem{Fault: clade.FaultNotFound, Text: fmt.Sprintf("run %s is gone from %s", at.Run, at.State),
			Hint: "clade gc forgets runs that no longer exist"}
	}
	if err != nil {
		return nil, err
	}
	return &Run{Name: at.Run, State: at.State, c: c, store: st, log: log}, nil
}

// View shows a consistent state of the run. The view must not be kept.
func (r *Run) View(ctx context.Context, fn func(clade.View) error) error { return r.log.View(ctx, fn) }

// Update appends to the run's log, whoever searches it.
func (r *Run) Update(ctx context.Context, decide func(store.Tx) error) error {
	return r.log.Update(ctx, decide)
}

// Tail yields records after seq as they are written, until fn returns an error
// or ctx ends.
func (r *Run) Tail(ctx context.Context, seq int64, fn func(clade.Record) error) error {
	for {
		err := r.log.Read(ctx, seq, func(rec clade.Record) error {
			seq = rec.Seq
			return fn(rec)
		})
		if err == nil {
			err = r.log.Wait(ctx, seq)
		}
		if err != nil {
			return err
		}
	}
}

// lookEvery is how often Follow looks whether somebody still holds the run.
const lookEvery = time.Second

// Follow yields records after seq as they are written, until fn returns an
// error, no process holds the run any more, or ctx ends.
func (r *Run) Follow(ctx context.Context, seq int64, fn func(clade.Record) error) error {
	every := lookEvery
	for {
		// Asked first: what is read after nobody holds it is all there will be.
		_, held, err := r.Holder(ctx)
		if err != nil {
			return err
		}
		err = r.log.Read(ctx, seq, func(rec clade.Record) error {
			seq = rec.Seq
			if _, stopped := rec.Event.(clade.Stopped); stopped {
				every = releasePoll
			}
			return fn(rec)
		})
		if err != nil || !held {
			return err
		}
		wait, stop := context.WithTimeout(ctx, every)
		err = r.log.Wait(wait, seq)
		stop()
		if err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
			return err
		}
	}
}

// Read yields the records so far after seq.
func (r *Run) Read(ctx context.Context, seq int64, fn func(clade.Record) error) error {
	return r.log.Read(ctx, seq, fn)
}

// Holder tells which process searches the run, if one does.
func (r *Run) Holder(ctx context.Context) (store.Holder, bool, error) {
	return r.store.Holder(ctx, r.Name)
}

// Check verifies the run's stored state and says what is wrong with it.
func (r *Run) Check(ctx context.Context) ([]string, error) {
	bad, err := r.log.Check(ctx)
	if err != nil {
		return bad, err
	}
	led, err := r.Ledger(ctx)
	if err != nil {
		return bad, err
	}
	commits, err := r.commits(ctx)
	if err != nil {
		return bad, err
	}
	missing, err := led.Check(ctx, commits)
	for _, m := range missing {
		bad = append(bad, "the ledger lacks commit "+m)
	}
	return bad, err
}

// commits lists every commit the log names and whose bytes it does not keep.
func (r *Run) commits(ctx context.Context) (out []string, err error) {
	pending, err := r.log.Pending(ctx)
	if err != nil {
		return nil, err
	}
	kept := map[string]bool{}
	for _, m := range pending {
		kept[m.Commit] = true
	}
	err = r.log.View(ctx, func(v clade.View) error {
		for id := clade.Base; id <= v.Head().Count; id++ {
			if l := v.Life(id); l.Commit != "" && !kept[l.Commit] {
				out = append(out, l.Commit)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	landed, err := r.landings(ctx)
	return append(out, landed...), err
}

// Rebuild makes the projections of the run's log anew.
func (r *Run) Rebuild(ctx context.Context) error { return r.log.Rebuild(ctx) }

// Ledger opens the run's ledger, with what a crash left only in the log
// brought back.
func (r *Run) Ledger(ctx context.Context) (ledger.Ledger, error) {
	if r.led == nil {
		led, err := r.c.Ledger(ctx, filepath.Join(r.State, "ledger.git"))
		if err != nil {
			return nil, err
		}
		r.led = led
	}
	pending, err := r.log.Pending(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range pending {
		if err := r.led.Restore(ctx, m); err != nil {
			return nil, fmt.Errorf("restore commit %s: %w", m.Commit, err)
		}
	}
	return r.led, nil
}

// Where is the path of the run's target now; it may have been moved.
func (r *Run) Where(v clade.View) string { return r.c.where(r.State, v.Head()) }

// Dir is the run's folder for logs.
func (r *Run) Dir() string { return r.store.Dir(r.Name) }

// Close lets go of the run's files. It stops nothing.
func (r *Run) Close() error {
	var errs []error
	if r.log != nil {
		errs = append(errs, r.log.Close())
	}
	if r.led != nil {
		errs = append(errs, r.led.Close())
	}
	return errors.Join(errs...)
}

// Logs lists the log files of an attempt's tries that exist.
func (r *Run) Logs(id clade.ID, tries int) (out []string) {
	for try := 1; try <= tries; try++ {
		f := LogFile(filepath.Join(r.Dir(), "logs"), id, try)
		if _, err := os.Stat(f); err == nil {
			out = append(out, f)
		}
	}
	return out
}
