package local_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/dispatch"
	"github.com/cladehq/clade/internal/dispatch/local"
)

// A panic ends its try alone, and what that try cost is not known.
func TestPanicIsAnOutcome(t *testing.T) {
	t.Parallel()
	p := local.New(t.Context(), 1, func(context.Context, dispatch.Task) clade.Outcome { panic("boom") })
	defer p.Close()
	p.Submit(t.Context(), dispatch.Task{Life: clade.Life{Attempt: clade.Attempt{ID: 3}}, Try: 2})
	o := <-p.Outcomes()
	if o.ID != 3 || o.Try != 2 || o.Failure != clade.ClassInfra || !o.Spent.Unknown || !strings.Contains(o.Detail, "boom") {
		t.Errorf("got %+v", o)
	}
	if free := p.Free(); free != 1 {
		t.Errorf("%d slots are free", free)
	}
}

// Closing cancels what runs and waits for it.
func TestCloseCancelsWhatRuns(t *testing.T) {
	t.Parallel()
	ended := false
	p := local.New(t.Context(), 2, func(ctx context.Context, _ dispatch.Task) clade.Outcome {
		<-ctx.Done()
		ended = true
		return clade.Outcome{}
	})
	p.Submit(t.Context(), dispatch.Task{Life: clade.Life{Attempt: clade.Attempt{ID: 1}}})
	p.Close()
	if !ended {
		t.Error("a task outlived its pool")
	}
}
