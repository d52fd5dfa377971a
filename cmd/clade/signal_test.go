//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A session is a folder with a target and a person's home.
type session struct {
	t   *testing.T
	dir string
}

func newSession(t *testing.T, fixture string) *session {
	t.Helper()
	s := &session{t, t.TempDir()}
	if err := os.CopyFS(s.target(), os.DirFS(filepath.Join("testdata", "fixture", fixture))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"here", "go"} {
		if err := syscall.Mkfifo(filepath.Join(s.dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *session) target() string { return filepath.Join(s.dir, "t") }

// command is clade, working in the target.
func (s *session) command(args ...string) *exec.Cmd {
	c := exec.CommandContext(s.t.Context(), "clade", args...)
	c.Dir = s.target()
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HELD=" + s.dir, "HOME=" + filepath.Join(s.dir, "home"), "NO_COLOR=1", "TERM=xterm"}
	return c
}

// status is what clade status --json says.
func (s *session) status() (st struct {
	State  string
	Judged int
	Open   []struct{ Status string }
	Holder *struct{ PID int }
}) {
	s.t.Helper()
	out, err := s.command("status", "--json").Output()
	if err == nil {
		err = json.Unmarshal(out, &st)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return st
}

// gate waits until a candidate's gate is there and returns its process.
func (s *session) gate() int {
	s.t.Helper()
	f, err := os.Open(filepath.Join(s.dir, "here"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	line, err := bufio.NewReader(f).ReadString('\n')
	if err != nil {
		s.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		s.t.Fatal(err)
	}
	return pid
}

// release lets one gate go.
func (s *session) release() {
	s.t.Helper()
	f, err := os.OpenFile(filepath.Join(s.dir, "go"), os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString("go\n")
	}
	if err != nil {
		s.t.Fatal(err)
	}
	_ = f.Close()
}

// open lets all gates go from now on: the pipes' buffers take all that is said.
func (s *session) open() {
	s.t.Helper()
	for name, text := range map[string]string{"here": "", "go": strings.Repeat("go\n", 1000)} {
		f, err := os.OpenFile(filepath.Join(s.dir, name), os.O_RDWR, 0)
		if err == nil {
			_, err = f.WriteString(text)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { _ = f.Close() })
	}
}

// waitFor reads lines until one holds text.
func waitFor(t *testing.T, r *bufio.Reader, text string) {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			t.Fatalf("%q did not come: %v", text, err)
		}
	}
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatal(err)
	return -1
}

const draining = "letting the running attempts end"

// searching starts a search and waits until a candidate is at its gate.
func (s *session) searching() (c *exec.Cmd, stderr *bufio.Reader, gate int) {
	s.t.Helper()
	c = s.command("run", "--plain")
	pipe, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return c, bufio.NewReader(pipe), s.gate()
}

// F48: the first signal lets what runs end, whichever it is.
func TestSignalOnceDrains(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			s := newSession(t, "fifo")
			c, stderr, _ := s.searching()
			if err := c.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			waitFor(t, stderr, draining)
			s.release()
			waitFor(t, stderr, "clade resume t-")
			if code := exitCode(t, c.Wait()); code != 130 {
				t.Errorf("exit code %d", code)
			}
			st := s.status()
			if st.State != "interrupted" || st.Judged != 1 || st.Holder != nil {
				t.Errorf("after the drain: %+v", st)
			}
			for _, o := range st.Open {
				if o.Status == "running" {
					t.Error("an attempt still runs")
				}
			}
		})
	}
}

// F48: the second signal stops at once, with nothing left running, and the run
// goes on later.
func TestSignalTwiceStopsAtOnce(t *testing.T) {
	t.Parallel()
	s := newSession(t, "fifo")
	c, stderr, gate := s.searching()
	for _, line := range []string{draining, "stopping"} {
		if err := c.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		waitFor(t, stderr, line)
	}
	waitFor(t, stderr, "clade resume t-")
	if code := exitCode(t, c.Wait()); code != 130 {
		t.Errorf("exit code %d", code)
	}
	if err := syscall.Kill(gate, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the gate's process: %v", err)
	}
	if st := s.status(); st.State != "interrupted" || st.Judged != 0 {
		t.Errorf("after the stop: %+v", st)
	}
	s.open()
	again := s.command("resume", "--plain", "--candidates", "2")
	if code := exitCode(t, again.Run()); code != 0 && code != 5 {
		t.Errorf("resume: exit code %d", code)
	}
	if st := s.status(); st.Judged != 2 {
		t.Errorf("after the resume: %+v", st)
	}
}

// F50: a reader that has gone does not end a search.
func TestSearchOutlivesItsReader(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--plain", "--json"} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, "sum")
			c := s.command("run", flag)
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			c.Stdout, c.Stderr = w, w
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			_ = w.Close()
			if _, err := bufio.NewReader(r).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			_ = r.Close() // as head -1 does
			if code := exitCode(t, c.Wait()); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if st := s.status(); st.State != "won" || st.Judged != 12 {
				t.Errorf("%+v", st)
			}
		})
	}
}

// A cancel by another process ends the search at once and its exit code says so.
func TestCancelledSearchSaysSo(t *testing.T) {
	t.Parallel()
	s := newSession(t, "fifo")
	c, stderr, gate := s.searching()
	out, err := s.command("cancel", "--why", "wrong target").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	waitFor(t, stderr, "the run was cancelled: wrong target")
	if code := exitCode(t, c.Wait()); code != 130 {
		t.Errorf("exit code %d", code)
	}
	if err := syscall.Kill(gate, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the gate's process: %v", err)
	}
	if st := s.status(); st.State != "stopped" || st.Holder != nil {
		t.Errorf("%+v", st)
	}
}

// While setup runs there is nothing that could be let end: the first signal
// stops it.
func TestSignalDuringSetupStopsIt(t *testing.T) {
	t.Parallel()
	s := newSession(t, "fifo")
	spec := filepath.Join(s.target(), "clade.yaml")
	text, err := os.ReadFile(spec)
	if err != nil {
		t.Fatal(err)
	}
	setup := "setup:\n  run: echo $$ > \"$HELD/here\"; cat \"$HELD/go\"\n  pass_env: [HELD]\n"
	if err := os.WriteFile(spec, append(text, setup...), 0o644); err != nil {
		t.Fatal(err)
	}
	c, stderr, pid := s.searching()
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	waitFor(t, stderr, "clade resume t-")
	if code := exitCode(t, c.Wait()); code != 130 {
		t.Errorf("exit code %d", code)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("setup still runs: %v", err)
	}
}
