package main

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"

	"github.com/cladehq/clade/internal/bench/crash"
)

// TestCrash kills the real program around its persisted steps and holds what it
// resumes to against an uninterrupted run: F1 to F3, F20, B5, B8 to B11, B14
// and B23 of a whole search, invariants I1 to I3 and I5 to I9. CLADE_LONG=1 draws 200
// times and leaves no step uncovered; CLADE_DRAWS says another number.
func TestCrash(t *testing.T) {
	t.Parallel()
	o := crash.Options{Draws: 12, Seed: 1, Parallel: 2, Variants: []string{"actor"}, First: true}
	if long() {
		o.Draws, o.Variants, o.First = 200, nil, false
	}
	if n, err := strconv.Atoi(os.Getenv("CLADE_DRAWS")); err == nil {
		o.Draws = n
	}
	performed(t, o)
}

// TestCrashLanding does the same to apply and undo: F4, I10. The tree is the one
// before or the one after, with bytes, modes and links.
func TestCrashLanding(t *testing.T) {
	t.Parallel()
	o := crash.Options{Land: 1}
	if long() {
		o.Land = 3
	}
	performed(t, o)
}

func long() bool { return os.Getenv("CLADE_LONG") != "" }

func performed(t *testing.T, o crash.Options) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("operator and evaluator are shell scripts")
	}
	program, err := exec.LookPath("clade") // this test binary
	if err != nil {
		t.Fatal(err)
	}
	o.Program, o.Dir = program, t.TempDir()
	var report bytes.Buffer
	err = crash.Run(t.Context(), o, &report)
	t.Log(report.String())
	if err != nil {
		t.Error(err)
	}
}
