//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// On a terminal a person is asked for what no flag says. Going away leaves
// nothing; agreeing leaves what was shown.
func TestEvolutionNewOnATerminal(t *testing.T) {
	t.Parallel()
	s := newSession(t, "sum")
	if err := os.WriteFile(filepath.Join(s.target(), "Makefile"), []byte("test:\n\ttrue\nbuild:\n\ttrue\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "init", "-q", s.target()).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sc := newScreen(t, s, "160", "60")
	gone := func(code string) {
		t.Helper()
		sc.enter("echo code $?")
		sc.shows(`(?m)^code ` + code + `$`)
		if found, err := os.ReadDir(filepath.Join(s.target(), ".agents")); err == nil {
			t.Errorf("%v is left", found)
		}
	}
	sc.enter("clade evolution new Faster sum")
	sc.shows(`evolution 1-faster_sum; nothing is written before you agree\nobjective, .*:`)
	sc.tmux("send-keys", "C-c")
	sc.shows(`(?s)\^C.*ready`)
	gone("130")

	sc.enter("clear; clade evolution new Faster sum --max-variants 5 --scope worktree")
	sc.shows(`objective, .*:`)
	sc.enter("Make it better")
	sc.shows(`does not say what is to be better`)
	sc.enter("Make the sum of the numbers larger")
	sc.shows(`  1  make build\n  2  make test\ngate, a command or numbers of these \[1 2\]:`)
	sc.enter("2")
	sc.shows(`another gate, or nothing:`)
	sc.enter("")
	sc.shows(`(?m)^axis:`)
	sc.enter("maximize: ./sum")
	sc.shows(`another axis, or nothing:`)
	sc.enter("")
	sc.shows(`write this\? \[y/N\]`)
	sc.tmux("send-keys", "C-d")
	sc.shows(`nobody answered`)
	gone("2")

	sc.enter("clear; clade evolution new Faster sum --objective 'Make the sum larger' --axis 'maximize: ./sum' --gate 'make test'")
	sc.shows(`scope, worktree or files and the paths that are copied \[worktree\]:`)
	sc.enter("")
	sc.shows(`paths that must never be touched, or nothing:`)
	sc.enter("tests/")
	sc.shows(`budget, how many variants in all \[10\]:`)
	sc.enter("")
	sc.shows(`(?s)max_variants: 10.*refuses a winner that changed any of tests/\nwrite this\? \[y/N\]`)
	sc.enter("y")
	sc.shows(`next: clade evolution run 1 runs generation 1`)
	if _, err := os.Stat(filepath.Join(s.target(), ".agents", "evolutions", "1-faster_sum", "evolution.yaml")); err != nil {
		t.Error(err)
	}
}
