package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/store"
)

// ledgerName is the ledger in a state folder.
const ledgerName = "ledger.git"

// A Run is one run, open in this process. Close it.
type Run struct {
	Name  string
	State string // its state folder
	c     *Control
	store store.Store
	log   store.Log
	led   ledger.Ledger
}

// Open opens the run called name, or the only one whose name begins so. An empty
// name means the newest run whose target here lies in or holds; a name that is
// no single run's may be a folder or a file, which means the same from there.
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

// Holder tells which process searches the run, if one does.
func (r *Run) Holder(ctx context.Context) (store.Holder, bool, error) {
	return r.store.Holder(ctx, r.Name)
}

// Ledger opens the run's ledger, with what a crash left only in the log
// brought back.
func (r *Run) Ledger(ctx context.Context) (ledger.Ledger, error) {
	if r.led == nil {
		led, err := r.c.Ledger(ctx, filepath.Join(r.State, ledgerName))
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
		f := logFile(filepath.Join(r.Dir(), "logs"), id, try)
		if _, err := os.Stat(f); err == nil {
			out = append(out, f)
		}
	}
	return out
}
