//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A screen is a terminal of its own, by tmux.
type screen struct {
	t      *testing.T
	socket string
}

func newScreen(t *testing.T, s *session, size ...string) *screen {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not here")
	}
	sc := &screen{t, filepath.Join(s.dir, "tmux")}
	// What s.command does not set must not come from whoever runs the tests: their
	// index would learn of the test's runs.
	args := append([]string{"new-session", "-d", "-x", size[0], "-y", size[1]},
		"env", "-u", "NO_COLOR", "-u", "XDG_STATE_HOME", "-u", "XDG_CACHE_HOME", "-u", "CLADE_DIR", "sh")
	sc.tmux(args...)
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", sc.socket, "kill-server").Run() })
	for _, v := range s.command().Env {
		if !strings.HasPrefix(v, "NO_COLOR=") && !strings.HasPrefix(v, "TERM=") {
			sc.enter("export '" + v + "'")
		}
	}
	sc.enter("cd '" + s.target() + "'; PS1='ready '; clear")
	return sc
}

func (sc *screen) tmux(args ...string) string {
	sc.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", sc.socket, "-f", os.DevNull}, args...)...).CombinedOutput()
	if err != nil {
		sc.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (sc *screen) enter(line string) { sc.tmux("send-keys", "-l", line); sc.tmux("send-keys", "Enter") }

// shows waits until the screen matches and returns it. What a terminal shows
// cannot be waited for otherwise than by looking.
func (sc *screen) shows(pattern string, flags ...string) string {
	sc.t.Helper()
	want, text := regexp.MustCompile(pattern), ""
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if text = sc.tmux(append([]string{"capture-pane", "-p"}, flags...)...); want.MatchString(text) {
			return text
		}
	}
	sc.t.Fatalf("no %q on the screen:\n%s", pattern, text)
	return ""
}

// The live display shows what runs, stays in order through changes of size, and
// leaves the screen to the report (F48: the terminal is as it was).
func TestLiveDisplay(t *testing.T) {
	t.Parallel()
	s := newSession(t, "fifo")
	sc := newScreen(t, s, "80", "24")
	sc.enter("clade run")
	s.gate()
	sc.shows(`(?s)^t-[a-z2-7]{5}  \d+s  Make the sum.*0 of 6 judged.*baseline  score 4.*trying +2  from the base`)
	sc.tmux("resize-window", "-x", "40", "-y", "5")
	small := sc.shows(`(?m)^t-[a-z2-7]{5}  \d+s  Make the sum.*…$`)
	if n := strings.Count(small, "judged"); n > 1 {
		t.Errorf("%d bars after the change of size:\n%s", n, small)
	}
	sc.tmux("resize-window", "-x", "120", "-y", "30")
	if out := sc.shows(`trying.* 2  from the base`, "-e"); !colour.MatchString(out) {
		t.Errorf("no colours on a terminal:\n%q", out)
	}
	sc.tmux("send-keys", "C-c")
	sc.shows("letting the running attempts end")
	s.release()
	end := sc.shows(`(?s)run t-[a-z2-7]{5} of .*interrupted after 1 candidate.*clade resume t-[a-z2-7]{5} goes on\nready`)
	if strings.Contains(end, "trying") || strings.Contains(end, "░") {
		t.Errorf("the display was left behind:\n%s", end)
	}
	if cursor := sc.tmux("display-message", "-p", "#{cursor_flag}#{alternate_on}"); strings.TrimSpace(cursor) != "10" {
		t.Errorf("cursor shown and alternate screen: %s", cursor)
	}
	sc.enter("clear; NO_COLOR=1 clade resume --candidates 3")
	s.gate()
	if out := sc.shows(`trying.* from`, "-e"); colour.MatchString(out) {
		t.Errorf("colours with NO_COLOR:\n%q", out)
	}
	s.open()
	s.release()
	sc.shows(`(?s)after 3 candidates.*ready`)
}

// On a terminal the diff of a candidate is shown, never obeyed; in a pipe it is a
// patch, byte for byte.
func TestDiffOnATerminal(t *testing.T) {
	t.Parallel()
	s := newSession(t, "sum")
	if err := os.WriteFile(filepath.Join(s.target(), "n.txt"), []byte("x 1.5\ny 2.5 \x1b[31mred\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	sc := newScreen(t, s, "100", "40")
	sc.enter("clade run --plain")
	sc.shows(`(?m)^(clade:|next:) .*\n(.*\n)*ready`)
	out, err := s.command("diff").Output()
	if err != nil || !strings.Contains(string(out), "\x1b[31mred") {
		t.Fatalf("%v: no patch as it is: %q", err, out)
	}
	sc.enter("clear; clade diff")
	if out := sc.shows(`(?s)diff --git.*red.*ready`, "-e"); strings.Contains(out, "\x1b[31m") {
		t.Errorf("a candidate coloured the terminal:\n%q", out)
	}
}

// colour is a sequence that sets the colour of what follows.
var colour = regexp.MustCompile("\x1b\\[[0-9;]*3[0-8][0-9;]*m")
