package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/cladehq/clade"
)

// F15: what the machine refuses is never called a fault of clade, whichever part
// of clade met it.
func TestWhatTheMachineRefuses(t *testing.T) {
	t.Parallel()
	wrapped := func(e error) error {
		return fmt.Errorf("prepare template: %w", &os.PathError{Op: "write", Path: "/c/blob", Err: e})
	}
	for name, c := range map[string]struct {
		err  error
		code int
		says string
	}{
		"full disk":         {wrapped(syscall.ENOSPC), 9, "the disk is full: prepare template: write /c/blob"},
		"quota":             {wrapped(syscall.EDQUOT), 9, "the disk is full"},
		"read-only":         {wrapped(syscall.EROFS), 9, "cannot be used"},
		"no permission":     {wrapped(syscall.EACCES), 9, "cannot be used"},
		"files":             {wrapped(syscall.EMFILE), 9, "too many files"},
		"one of several":    {errors.Join(errors.New("x"), wrapped(syscall.ENOSPC)), 9, "the disk is full"},
		"a problem already": {&clade.Problem{Fault: clade.FaultConflict, Text: "dirty", Err: syscall.EACCES}, 8, "dirty"},
		"anything else":     {wrapped(syscall.EINVAL), 1, "prepare template"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ofMachine(c.err)
			if code := codeOf(got); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if !strings.Contains(got.Error(), c.says) {
				t.Errorf("%q does not say %q", got, c.says)
			}
		})
	}
}
