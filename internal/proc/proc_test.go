package proc

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// child starts a process that lives until it is killed, and waits until it has
// said that it runs.
func child(t *testing.T, script string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("child said %q: %v", line, err)
	}
	return cmd
}

func TestIdentityRoundTrip(t *testing.T) {
	t.Parallel()
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Parse(self.String())
	if err != nil || back != self {
		t.Errorf("Parse(%q) = %+v, %v", self, back, err)
	}
	if !self.Alive() {
		t.Error("this process is not alive")
	}
	if self.PID != os.Getpid() {
		t.Errorf("pid %d, want %d", self.PID, os.Getpid())
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]string{
		"empty": "", "no start": "1", "empty start": "1..b", "no boot": "1.2", "pid 0": "0.1.b", "negative": "-1.1.b", "letters": "x.1.b",
	} {
		if id, err := Parse(s); err == nil {
			t.Errorf("%s: Parse(%q) = %+v", name, s, id)
		}
	}
}

// A number that another process has now is not the process it was.
func TestReusedNumber(t *testing.T) {
	t.Parallel()
	c := child(t, "echo; exec sleep 1000")
	now, err := Of(c.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	for name, old := range map[string]Identity{
		"another start": {PID: now.PID, Start: now.Start + "0", Boot: now.Boot},
		"another boot":  {PID: now.PID, Start: now.Start, Boot: now.Boot + "x"},
	} {
		if old.Alive() {
			t.Errorf("%s: alive", name)
		}
		if err := old.Kill(); !errors.Is(err, ErrGone) {
			t.Errorf("%s: Kill = %v, want ErrGone", name, err)
		}
	}
	if !now.Alive() {
		t.Error("the process itself was killed")
	}
}

// An ended process is gone before and after it is waited for.
func TestEnded(t *testing.T) {
	t.Parallel()
	c := child(t, "echo; exec sleep 1000")
	id, err := Of(c.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := id.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if id.Alive() {
		t.Error("still alive")
	}
	if err := id.Terminate(); !errors.Is(err, ErrGone) {
		t.Errorf("Terminate = %v, want ErrGone", err)
	}
}

// F9, B16: what left its group and session is found by its mark.
func TestMarkFindsDaemons(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("environments are not visible here")
	}
	m, err := NewMark()
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewMark()
	if err != nil {
		t.Fatal(err)
	}
	bystander := child(t, "echo; exec sleep 1000", other.Env())
	c := child(t, "setsid sh -c 'sleep 1000 & echo; sleep 1000' & wait", m.Env())
	n, err := m.Kill(t.Context())
	if err != nil || n < 3 {
		t.Errorf("Kill = %d, %v, want at least 3", n, err)
	}
	if left, err := m.Strays(); err != nil || len(left) > 0 {
		t.Errorf("Strays = %v, %v", left, err)
	}
	_ = c.Wait()
	if id, err := Of(bystander.Process.Pid); err != nil || !id.Alive() {
		t.Errorf("a bystander died: %v", err)
	}
}

// A mark whose owner is dead makes its processes orphans; ours never are.
func TestOrphans(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("environments are not visible here")
	}
	mine, err := NewMark()
	if err != nil {
		t.Fatal(err)
	}
	self, _ := Self()
	gone := Identity{PID: self.PID, Start: "1", Boot: self.Boot}
	dead, elsewhere := markOf(gone), Mark(gone.String()+"/x/pid:[1]")
	kept := child(t, "echo; exec sleep 1000", mine.Env())
	orphan := child(t, "echo; exec sleep 1000", dead.Env())
	foreign := child(t, "echo; exec sleep 1000", elsewhere.Env())
	found, err := Orphans()
	if err != nil {
		t.Fatal(err)
	}
	pids := map[int]bool{}
	for _, s := range found {
		pids[s.PID] = true
	}
	if pids[kept.Process.Pid] || pids[foreign.Process.Pid] {
		t.Errorf("orphans %v, want neither %d nor %d", pids, kept.Process.Pid, foreign.Process.Pid)
	}
	// A clade that starts meanwhile ends orphans, whosever they are.
	if id, err := Of(orphan.Process.Pid); !pids[orphan.Process.Pid] && err == nil && id.Alive() {
		t.Errorf("orphans %v, want %d", pids, orphan.Process.Pid)
	}
}

func TestMarkOwner(t *testing.T) {
	t.Parallel()
	m, err := NewMark()
	if err != nil {
		t.Fatal(err)
	}
	self, _ := Self()
	if owner, err := m.Owner(); err != nil || owner != self {
		t.Errorf("Owner = %v, %v, want %v", owner, err, self)
	}
	if _, err := Mark("nonsense").Owner(); err == nil {
		t.Error("nonsense has an owner")
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	take := func(shared, want bool) *Lock {
		t.Helper()
		l, err := TryLock(path, shared)
		if err != nil || (l != nil) != want {
			t.Fatalf("TryLock(shared %v) = %v, %v, want a lock: %v", shared, l, err, want)
		}
		return l
	}
	a, b := take(true, true), take(true, true)
	take(false, false)
	_ = a.Unlock()
	take(false, false)
	_ = b.Unlock()
	c := take(false, true)
	take(true, false)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := WaitLock(ctx, path, true); !errors.Is(err, context.Canceled) {
		t.Errorf("WaitLock = %v, want cancelled", err)
	}
	_ = c.Unlock()
	_ = take(true, true).Unlock()
	if _, err := TryLock(filepath.Join(path, "below-a-file"), true); err == nil {
		t.Error("locked a file that cannot be")
	}
}

func TestLockIsExchanged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	held := func(shared bool) bool {
		t.Helper()
		l, err := TryLock(path, shared)
		if err != nil {
			t.Fatal(err)
		}
		return l == nil || l.Unlock() != nil
	}
	a, err := TryLock(path, false)
	if err != nil || a == nil {
		t.Fatal(a, err)
	}
	if err := a.Share(); err != nil || held(true) || !held(false) {
		t.Errorf("Share: %v; want a shared lock", err)
	}
	ran := false
	if err := a.IfAlone(func() error { ran = true; return errors.New("its own") }); err == nil || !ran || held(true) {
		t.Errorf("IfAlone ran %v, %v; want f's error and a shared lock", ran, err)
	}
	if err := a.IfAlone(func() error {
		if !held(true) {
			t.Error("f does not run alone")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	b, err := TryLock(path, true)
	if err != nil || b == nil {
		t.Fatal(b, err)
	}
	if err := a.IfAlone(func() error { t.Error("ran beside another"); return nil }); err != nil {
		t.Error(err)
	}
	_ = b.Unlock()
	if held(true) || !held(false) {
		t.Error("a refused exchange cost the lock")
	}
	_ = a.Unlock()
}

// A lock whose file is removed by its holder is another lock from then on:
// whoever had opened the old file does not hold the new one.
func TestLockIsRemoved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	var inside atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				l, err := WaitLock(t.Context(), path, false)
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d hold it", n)
				}
				inside.Add(-1)
				if err := l.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1.2.3", "", "..", "7.99.boot.with.dots", strconv.Itoa(1<<62) + ".1."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := Parse(s)
		if err != nil {
			return
		}
		if again, err := Parse(id.String()); err != nil || again != id {
			t.Errorf("%q: %+v, then %+v, %v", s, id, again, err)
		}
	})
}
