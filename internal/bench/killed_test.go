package bench_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What a killed bench leaves in the cache goes with the next sweep, whoever
// makes it.
func TestKilledBenchIsSwept(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{"gc": {"gc"}, "another bench": {"bench", "--quick", "--only", "start"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cache := t.TempDir()
			env := append(os.Environ(), asProgram+"=1", "HOME="+t.TempDir(), "XDG_CACHE_HOME="+cache, "XDG_STATE_HOME="+t.TempDir())
			killed := exec.CommandContext(t.Context(), self, "bench", "--quick", "--only", "workspace")
			killed.Env = env
			stderr, err := killed.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := killed.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := bufio.NewReader(stderr).ReadString('\n'); err != nil { // it says what it begins with
				t.Fatal(err)
			}
			if err := killed.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = killed.Wait()
			left := filepath.Join(cache, "clade", "scratch", "slots")
			if found, err := os.ReadDir(left); err != nil || len(found) == 0 {
				t.Fatalf("nothing to sweep: %v, %v", found, err)
			}
			next := exec.CommandContext(t.Context(), self, args...)
			next.Env = env
			if out, err := next.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if found, err := os.ReadDir(left); err != nil || len(found) > 0 {
				t.Errorf("%v is left, %v", found, err)
			}
		})
	}
}
