package bwrap

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/sandboxtest"
)

// engineVar makes this test program an engine that runs one command for ever.
const engineVar = "BWRAPTEST_ENGINE"

func TestMain(m *testing.M) {
	sandbox.Main()
	sandboxtest.Main()
	if os.Getenv(engineVar) != "" {
		if s, err := New(Options{}); err == nil {
			const stay = "echo up; while :; do sleep 1000; done"
			_, _ = s.Run(context.Background(), sandbox.Command{Args: []string{"sh", "-c", "setsid sh -c '" + stay + "' & " + stay},
				Env: []string{"PATH=/usr/bin:/bin", engineVar + "_CHILD=" + os.Getenv(engineVar)}, Dir: "/", Output: os.Stdout})
		}
		os.Exit(4)
	}
	goleak.VerifyTestMain(m)
}

func open(t *testing.T, o Options) *Sandbox {
	t.Helper()
	if err := Probe(t.Context()); err != nil {
		t.Skip(err)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSuite(t *testing.T) {
	sandboxtest.Run(t, open(t, Options{}), sandboxtest.Holds{Network: true, Files: true, Processes: os.Geteuid() > 0})
}

// beside is a folder that does not lie where commands have folders of their own.
func beside(t *testing.T) string {
	t.Helper()
	wd, _ := os.Getwd()
	home, _ := os.UserHomeDir()
	for _, at := range []string{wd, home} {
		if at == "" || strings.HasPrefix(at, "/tmp/") || strings.HasPrefix(at, "/var/tmp/") {
			continue
		}
		dir, err := os.MkdirTemp(at, "files-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return dir
	}
	t.Skip("every folder at hand lies where commands have folders of their own")
	return ""
}

// What is hidden is not seen, what is shown in it is, what is lent is written.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := beside(t)
	for _, p := range []string{"open", "hidden/b", "hidden/shown/c", "hidden/shown/deep/d", "hidden/lent/f"} {
		p = filepath.Join(dir, p)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte("content"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	at := func(p string) string { return filepath.Join(dir, p) }
	s := open(t, Options{Hide: []string{at("hidden"), at("hidden/shown/deep"), "/etc/passwd"}, Show: []string{at("hidden/shown")}})
	for script, want := range map[string]bool{
		"cat " + at("open"): true, "cat " + at("hidden/b"): false, "cat " + at("hidden/shown/c"): true,
		"cat " + at("hidden/shown/deep/d"): false, "cat /etc/passwd": false, "echo x > " + at("open"): false,
		"echo x > " + at("hidden/new"): false, "echo x > " + at("hidden/lent/f"): true, "echo x > /new": false,
		"echo x > /etc/new": false, "chmod 777 /etc": false, "umount " + at("hidden"): false, "cat /proc/1/environ | grep .": false,
		"unshare -Urm sh -c 'umount -l " + at("hidden") + "; cat " + at("hidden/b") + "'": false, "unshare -Urm sh -c 'umount -l /proc; umount -l /dev; ls /dev/vd? /dev/sd?'": false,
		"echo x > /tmp/a && echo x > /run/a && echo x > /dev/shm/a && echo x > /dev/null": true, "ls -A /tmp | grep .": false,
		"test $(ls -d /proc/[0-9]* | wc -l) -lt 6": true,
	} {
		r, err := s.Run(t.Context(), sandbox.Command{Args: []string{"sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Dir: "/",
			Writable: []string{at("hidden/lent")}, Limits: sandbox.Limits{Wall: 20 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		if r.OK() != want {
			t.Errorf("%q succeeded: %v, want %v: %s%s", script, r.OK(), want, r.Stdout.End(), r.Stderr.End())
		}
	}
}

// F10: nothing of a command outlives an engine that is killed with -9.
func TestF10EngineKilled(t *testing.T) {
	open(t, Options{})
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mark := filepath.Base(t.TempDir()) + t.Name()
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), engineVar+"="+mark)
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
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	for deadline := time.Now().Add(10 * time.Second); ; {
		left := 0
		files, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, f := range files {
			if env, err := os.ReadFile(f); err == nil && strings.Contains(string(env), engineVar+"_CHILD="+mark) {
				left++
			}
		}
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d processes are left", left)
		}
	}
}

func BenchmarkTrue(b *testing.B) {
	s, err := New(Options{})
	if err != nil {
		b.Skip(err)
	}
	for b.Loop() {
		if r, err := s.Run(context.Background(), sandbox.Command{Args: []string{"/bin/true"}}); err != nil || !r.OK() {
			b.Fatal(r, err)
		}
	}
}
