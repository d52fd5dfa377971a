// Package dispatch declares where tries are performed.
package dispatch

import (
	"context"

	"github.com/cladehq/clade"
)

// A Task is one try to perform.
type Task struct {
	Life clade.Life // the plan, and what earlier tries left (a commit is not made again)
	Try  int
	Kin  map[clade.ID]clade.Life // the base, the parents and every subject of a stage
}

// A Perform function performs a task to its end.
type Perform func(ctx context.Context, t Task) clade.Outcome

// A Dispatcher hands tasks to workers. Every submitted task gives exactly one
// outcome, also when it is cancelled.
type Dispatcher interface {
	// Free is how many tasks could start now.
	Free() int
	// Submit never blocks for long; the caller submits no more than Free.
	Submit(ctx context.Context, t Task)
	Outcomes() <-chan clade.Outcome
	// Cancel stops an attempt's task; its outcome then says so.
	Cancel(id clade.ID)
	// Close cancels what runs and waits for it.
	Close()
}
