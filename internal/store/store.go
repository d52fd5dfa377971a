// Package store declares where a run's log is kept, with the projections that
// other processes read and the samples that a crash must not pay twice.
package store

import (
	"context"
	"errors"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/ledger"
)

var (
	// ErrNoRun reports that no run has the name.
	ErrNoRun = errors.New("no such run")
	// ErrHeld reports a lease that another process holds; see Lease.Holder.
	ErrHeld = errors.New("run is held by another process")
)

// A Tx is one write transaction. Append folds at once, so that View shows it.
type Tx interface {
	View() clade.View
	Append(events ...clade.Event) error
	// Pend keeps a commit's bytes until Unpend, in the same transaction as the
	// event that names it.
	Pend(m ledger.Made) error
	// Keep makes samples durable with this transaction.
	Keep(samples ...Kept) error
}

// A Kept sample is one of evaluate.Memory.
type Kept struct {
	Key    evaluate.Key
	Sample clade.Sample
	Share  bool
}

// A Log is one run's. It is safe for concurrent use; any number of processes
// may have it open.
type Log interface {
	// Update is the only way to append: one write transaction catches up with
	// what other processes wrote, decides, and commits every event with one
	// sync. If decide or the commit fails nothing is written.
	Update(ctx context.Context, decide func(Tx) error) error
	// View shows a consistent state. It must not be used after fn returns.
	View(ctx context.Context, fn func(clade.View) error) error
	// Read yields the records after seq, oldest first.
	Read(ctx context.Context, after int64, fn func(clade.Record) error) error
	// Wait returns when there is a record after seq, at the latest 100 ms
	// after another process wrote it. It holds no transaction open.
	Wait(ctx context.Context, after int64) error
	// Recall finds a kept sample; see evaluate.Memory.
	Recall(ctx context.Context, k evaluate.Key, share bool) (clade.Sample, bool, error)
	// Pending lists the commits whose bytes are kept, oldest first.
	Pending(ctx context.Context) ([]ledger.Made, error)
	Unpend(ctx context.Context, commits []string) error
	// Check verifies the file, the log and that the projections equal a fresh
	// fold; it returns what is wrong. Rebuild makes the projections anew.
	Check(ctx context.Context) ([]string, error)
	Rebuild(ctx context.Context) error
	Close() error
}

// A Lease is the right to search a run, held by an OS lock: it ends with the
// process.
type Lease interface {
	Release() error
}

// A Holder is who holds a lease.
type Holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Started time.Time `json:"started"` // the process's start, for people
	Since   time.Time `json:"since"`
	// Start and Boot, with PID, are the process's identity; see proc.Identity.
	Start string `json:"start,omitempty"`
	Boot  string `json:"boot,omitempty"`
}

// A Store holds runs.
type Store interface {
	// Create makes a log whose first record is opened.
	Create(ctx context.Context, opened clade.Opened) (Log, error)
	// Open opens a log. With fold it keeps the state in memory, for a process
	// that decides often; else it answers from projections.
	Open(ctx context.Context, run string, fold bool) (Log, error)
	List(ctx context.Context) ([]string, error)
	// Lease takes the run's lease or returns ErrHeld with the holder.
	Lease(ctx context.Context, run string) (Lease, Holder, error)
	// Holder tells who holds the lease; ok is false when nobody does.
	Holder(ctx context.Context, run string) (h Holder, ok bool, err error)
	// Dir is the run's folder for logs and other files.
	Dir(run string) string
	Remove(ctx context.Context, run string) error
}

// A Located run is an entry of the user's index.
type Located struct {
	Run   string    `json:"run"`
	State string    `json:"state"` // folder of its store
	Where string    `json:"where"` // the target
	At    time.Time `json:"at"`
}

// An Index finds every run of a user from any folder, and counts looks at
// datasets across runs.
type Index interface {
	Add(ctx context.Context, l Located) error
	// Remove forgets the entry of l.Run in l.State; there may be others of a
	// target that was moved or copied.
	Remove(ctx context.Context, l Located) error
	// Find returns runs whose name is or begins with name, newest first; ""
	// finds all.
	Find(ctx context.Context, name string) ([]Located, error)
	// Look records that a final of run looked at a dataset's test split and
	// returns which look that is, from 1. The same run and attempt again is
	// the same look.
	Look(ctx context.Context, dataset, run string, attempt clade.ID) (int, error)
	Close() error
}
