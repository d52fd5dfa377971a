package sandboxtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade/internal/sandbox"
)

// patience is longer than anything takes that ends, and much shorter than what
// must be ended.
const patience = 15 * time.Second

func heldPipe(t *testing.T, f fixture) {
	r := f.must(t, shell(t, "sleep 1000 & echo done"))
	if !r.OK() || text(r.Stdout) != "done\n" {
		t.Errorf("ended with %d %s, output %q", r.Exit, r.Signal, text(r.Stdout))
	}
	if r.Wall > patience {
		t.Errorf("took %v", r.Wall)
	}
	if r.Strays != 1 && linux() {
		t.Errorf("strays = %d, want 1", r.Strays)
	}
}

func closedStreams(t *testing.T, f fixture) {
	r := f.must(t, shell(t, "exec >&- 2>&-; sleep 0.2; exit 7"))
	if r.Exit != 7 || r.Wall < 200*time.Millisecond {
		t.Errorf("exit %d after %v", r.Exit, r.Wall)
	}
}

func daemons(t *testing.T, f fixture) {
	if !linux() {
		t.Skip("what leaves its group cannot be found here")
	}
	r := f.must(t, shell(t, "setsid sleep 1000 & (setsid sh -c 'sleep 1000 & sleep 1000' &) ; sleep 0.1; exit 5"))
	if r.Exit != 5 || r.Strays == 0 {
		t.Errorf("exit %d, strays %d, want 5 and some", r.Exit, r.Strays)
	}
}

func ignoring(t *testing.T, f fixture) {
	c := shell(t, "trap '' TERM; (trap '' TERM; while :; do :; done) & while :; do :; done")
	c.Limits.Wall, c.Grace = 150*time.Millisecond, 150*time.Millisecond
	r := f.must(t, c)
	if !r.TimedOut || r.OK() || r.Cancelled || r.Wall < 300*time.Millisecond || r.Wall > patience {
		t.Errorf("got %+v", r)
	}
	if r.Signal != "killed" {
		t.Errorf("signal = %q, want killed", r.Signal)
	}
}

func grace(t *testing.T, f fixture) {
	c := shell(t, `trap 'echo tidied; exit 0' TERM; echo ready; while :; do sleep 0.01; done`)
	c.Limits.Wall, c.Grace = 500*time.Millisecond, patience
	r := f.must(t, c)
	if !r.TimedOut || r.OK() || r.Wall > patience {
		t.Errorf("timed out: %v, OK: %v, after %v", r.TimedOut, r.OK(), r.Wall)
	}
	if got := text(r.Stdout); got != "ready\ntidied\n" {
		t.Errorf("output = %q", got)
	}
}

// A trigger cancels when it is written to: when the command is known to run.
type trigger struct{ cancel context.CancelCauseFunc }

func (w trigger) Write(p []byte) (int, error) {
	w.cancel(errors.New("enough"))
	return len(p), nil
}

func cancel(t *testing.T, f fixture) {
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	c := shell(t, "sleep 1000 & echo ready; sleep 1000")
	c.Output = trigger{stop}
	r := f.mustCtx(t, ctx, c)
	if !r.Cancelled || r.TimedOut || r.OK() || r.Wall > patience {
		t.Errorf("got %+v", r)
	}
}

func cancelledBefore(t *testing.T, f fixture) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if r := f.mustCtx(t, ctx, shell(t, "true")); !r.Cancelled || r.OK() {
		t.Errorf("got %+v", r)
	}
}

func memoryLimit(t *testing.T, f fixture) {
	if !linux() {
		t.Skip("memory is not bounded here")
	}
	c := shell(t, "set -e; head -c 200000000 /dev/zero | tail >/dev/null")
	c.Limits.Memory = 64 << 20
	r := f.must(t, c)
	if r.OK() {
		t.Error("200 MB fit in 64 MiB")
	}
	if f.holds.Memory && !r.OutOfMemory {
		t.Errorf("not told from other failures: %+v, %q", r, text(r.Stderr))
	}
	c.Limits.Memory = 0
	if r := f.must(t, c); !r.OK() {
		t.Errorf("without a limit: exit %d, %q", r.Exit, text(r.Stderr))
	}
}

func largestFile(t *testing.T, f fixture) {
	if !linux() {
		t.Skip("files are not bounded here")
	}
	dir := t.TempDir()
	c := shell(t, "")
	at := sandbox.Lend(f, &c, dir, "lent")
	c.Args = []string{"sh", "-c", "exec head -c 3000000 /dev/zero > " + at + "/f"}
	c.Limits.Disk = 1 << 20
	if r := f.must(t, c); !r.OutOfDisk || r.OK() {
		t.Errorf("got %+v", r)
	}
	if info, err := os.Stat(filepath.Join(dir, "f")); err != nil || info.Size() > 1<<20 {
		t.Errorf("the file: %v, %v", info, err)
	}
}

func processLimit(t *testing.T, f fixture) {
	if !f.holds.Processes {
		t.Skip("processes are not bounded here")
	}
	c := shell(t, "f() { f | f & }; f; sleep 1000")
	c.Limits.Processes, c.Limits.Wall = 40, 500*time.Millisecond
	r := f.must(t, c)
	if r.OK() {
		t.Error("a fork bomb ended well")
	}
	if !strings.Contains(strings.ToLower(text(r.Stderr)), "fork") {
		t.Errorf("no fork was refused: %.200q", text(r.Stderr))
	}
	c = shell(t, "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1000 & done; echo fine")
	c.Limits.Processes = 40
	if r := f.must(t, c); text(r.Stdout) != "fine\n" || r.Strays != 10 {
		t.Errorf("ten processes of forty: %q, strays %d, %q", text(r.Stdout), r.Strays, text(r.Stderr))
	}
}

// clocks: wall and CPU time are the machine's, also of children.
func clocks(t *testing.T, f fixture) {
	c := shell(t, "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'")
	r := f.must(t, c)
	if r.CPU <= 0 || r.Wall <= 0 || r.CPU > 2*r.Wall {
		t.Errorf("wall %v, CPU %v", r.Wall, r.CPU)
	}
	c = shell(t, "head -c 100000000 /dev/zero | tail >/dev/null")
	if r := f.must(t, c); r.PeakMemory != 0 && r.PeakMemory < 90_000_000 {
		t.Errorf("peak memory %d of a program that holds 100 MB", r.PeakMemory)
	}
}

// dispositions: SIGPIPE kills (F50) and nothing is blocked or ignored.
func dispositions(t *testing.T, f fixture) {
	if !linux() {
		t.Skip("no /proc")
	}
	c := shell(t, "")
	c.Args = []string{"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"}
	for line := range strings.Lines(text(f.must(t, c).Stdout)) {
		name, set, _ := strings.Cut(strings.TrimSpace(line), ":\t")
		bits, err := strconv.ParseUint(set, 16, 64)
		// glibc's posix_spawn, which make starts us by, leaves the two signals
		// that it keeps to itself (32 and 33) ignored; nobody can send those.
		if bits &^= 1<<31 | 1<<32; err != nil || bits != 0 {
			t.Errorf("%s %x, %v", name, bits, err)
		}
	}
	if r := f.must(t, shell(t, "yes | head -n 1")); !r.OK() || text(r.Stdout) != "y\n" {
		t.Errorf("got %+v", r)
	}
}

func linux() bool {
	_, err := os.Stat("/proc/self/status")
	return err == nil
}
