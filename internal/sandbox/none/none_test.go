package none_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"go.uber.org/goleak"

	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/none"
	"github.com/cladehq/clade/internal/sandbox/sandboxtest"
)

// engineVar makes this test program an engine that runs one command for ever,
// with a guard if it says so.
const engineVar = "NONETEST_ENGINE"

func TestMain(m *testing.M) {
	sandbox.Main()
	sandboxtest.Main()
	if how := os.Getenv(engineVar); how != "" {
		const stay = "echo up; while :; do sleep 1000; done"
		c := sandbox.Command{Args: []string{"sh", "-c", "setsid sh -c '" + stay + "' & " + stay},
			Env: []string{"PATH=/usr/bin:/bin"}, Output: os.Stdout}
		s, _ := none.New(none.Options{Guard: how == "guarded"})
		_, _ = s.Run(context.Background(), c)
		os.Exit(4)
	}
	goleak.VerifyTestMain(m)
}

func TestSuite(t *testing.T) {
	s, err := none.New(none.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sandboxtest.Run(t, s, sandboxtest.Holds{Processes: runtime.GOOS == "linux" && os.Geteuid() > 0})
}

// F8: processes are bounded for everyone but root.
func TestF8AsNobody(t *testing.T) {
	t.Parallel()
	sandboxtest.AsNobody(t, "^TestSuite$/^all$/^(F8|F9|F7|a_gateway|lent|readable)")
}

// F10: what an engine killed with -9 leaves behind is ended by its guard.
func TestF10Guarded(t *testing.T) {
	engine := killed(t, "guarded")
	for owned(t, engine) > 0 {
		if t.Context().Err() != nil {
			return
		}
	}
}

// F10: a guard is done when nothing of its engine is left.
func TestF10Guard(t *testing.T) {
	engine := killed(t, "alone")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, sandbox.GuardArg, engine.String()) // nobody dismisses it
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if n := owned(t, engine); n != 0 {
		t.Errorf("%d orphans are left", n)
	}
}

// F10: without one it is found by its mark at the next start.
func TestF10EngineKilled(t *testing.T) {
	engine := killed(t, "alone")
	// Another clade that starts meanwhile may end them first.
	if n := owned(t, engine); n == 1 {
		t.Errorf("%d orphan, want the shell and what it started", n)
	}
	if n, err := proc.KillOrphans(t.Context()); err != nil {
		t.Errorf("KillOrphans = %d, %v", n, err)
	}
	if n := owned(t, engine); n != 0 {
		t.Errorf("%d orphans are left", n)
	}
}

// killed is an engine that was killed while its command ran.
func killed(t *testing.T, how string) proc.Identity {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("environments are not visible here")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), engineVar+"="+how)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for range 2 {
		if line, err := lines.ReadString('\n'); line != "up\n" {
			t.Fatalf("the engine said %q, %v", line, err)
		}
	}
	engine, err := proc.Of(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return engine
}

func owned(t *testing.T, by proc.Identity) (n int) {
	t.Helper()
	strays, err := proc.Orphans()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range strays {
		if owner, err := s.Mark.Owner(); err == nil && owner == by {
			n++
		}
	}
	return n
}

// A guard that is dismissed leaves nothing.
func TestGuardDismissed(t *testing.T) {
	t.Parallel()
	s, err := none.New(none.Options{Guard: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if r, err := s.Run(t.Context(), sandbox.Command{Args: []string{"true"}, Env: []string{"PATH=/usr/bin:/bin"}}); err != nil || !r.OK() {
			t.Fatal(r, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestRefusesMounts(t *testing.T) {
	t.Parallel()
	s, err := none.New(none.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := sandbox.Command{Args: []string{"true"}, Mounts: []sandbox.Mount{{Kind: sandbox.MountTmpfs, Target: "/x"}}}
	if r, err := s.Run(t.Context(), c); err == nil {
		t.Errorf("ran without its mounts: %+v", r)
	}
}

func BenchmarkTrue(b *testing.B) {
	s, err := none.New(none.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if r, err := s.Run(b.Context(), sandbox.Command{Args: []string{"/bin/true"}}); err != nil || !r.OK() {
			b.Fatal(r, err)
		}
	}
}
