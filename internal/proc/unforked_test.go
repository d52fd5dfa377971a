package proc_test

import (
	"errors"
	"syscall"
	"testing"

	"github.com/cladehq/clade/internal/proc"
)

func TestUnforked(t *testing.T) {
	t.Parallel()
	want := errors.New("no room")
	err := proc.Unforked(func() error {
		if syscall.ForkLock.TryLock() {
			syscall.ForkLock.Unlock()
			t.Error("a process could have been forked")
		}
		return want
	})
	if err != want {
		t.Errorf("got %v", err)
	}
}
