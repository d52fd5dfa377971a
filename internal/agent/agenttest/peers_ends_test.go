//go:build peers && linux

package agenttest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cladehq/clade/internal/agent"
)

// F10: CLIs start commands in sessions of their own, which no signal to a group
// reaches. Whatever ends the run, nothing it started is alive.

func TestPeersLeaveNothingBehind(t *testing.T) {
	box := open(t)
	_, addr := serve(t, script())
	each(t, func(t *testing.T, p peer) {
		l := prepare(t, p, addr, "leave a daemon")
		ups(t, l.Work)
		rep, _ := done(t, box, l)
		if rep.End != agent.EndDone {
			t.Errorf("ended %s", rep.End)
		}
		gone(t, marked(t, l.Mark))
	})
}

func TestPeersDieWithTheirCommand(t *testing.T) {
	box := open(t)
	_, addr := serve(t, script())
	each(t, func(t *testing.T, p peer) {
		l := prepare(t, p, addr, "stay")
		up := ups(t, l.Work)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan agent.Report)
		go func() {
			rep, r, err := l.run(ctx, box)
			if err != nil || !r.Cancelled {
				t.Errorf("%v, %s", err, r.Excerpt(2<<10, nil))
			}
			ended <- rep
		}()
		up(2)
		fds := marked(t, l.Mark)
		if len(fds) < 3 {
			t.Errorf("only %d processes carry the mark", len(fds))
		}
		cancel()
		if rep := <-ended; rep.End != agent.EndFailed {
			t.Errorf("ended %s", rep.End)
		}
		gone(t, fds)
		gone(t, marked(t, l.Mark))
	})
}

func TestPeersDieWithTheEngine(t *testing.T) {
	open(t) // skips where there are no namespaces
	_, addr := serve(t, script())
	each(t, func(t *testing.T, p peer) {
		l := prepare(t, p, addr, "stay")
		up := ups(t, l.Work)
		spec, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/proc/self/exe")
		var said strings.Builder
		cmd.Env, cmd.Stderr = append(os.Environ(), engineVar+"="+string(spec)), &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		up(2)
		fds := marked(t, l.Mark)
		if len(fds) < 3 {
			t.Errorf("only %d processes carry the mark", len(fds))
		}
		_ = cmd.Process.Kill()
		if err := cmd.Wait(); err == nil || said.Len() > 0 {
			t.Errorf("the engine was not killed: %v\n%s", err, said.String())
		}
		gone(t, fds)
		gone(t, marked(t, l.Mark))
	})
}

// ups makes the named pipe by which commands say that they are up, and returns
// what waits for so many of them.
func ups(t *testing.T, work string) func(n int) {
	t.Helper()
	name := filepath.Join(work, "pipe")
	if err := unix.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(name, os.O_RDWR|unix.O_NONBLOCK, 0) // open for writing too: it never ends
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pipe.Close() })
	lines := bufio.NewReader(pipe)
	return func(n int) {
		t.Helper()
		if err := pipe.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		for range n {
			if line, err := lines.ReadString('\n'); line != "up\n" {
				t.Errorf("no command came up: %q, %v", line, err)
				return
			}
		}
	}
}

// marked holds every process that carries a mark.
func marked(t *testing.T, mark string) (fds []int) {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		env, err := os.ReadFile(filepath.Join(d, "environ"))
		if err != nil || !strings.Contains("\x00"+string(env), "\x00"+mark+"\x00") {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(d))
		if err != nil {
			t.Fatal(err)
		}
		if fd, err := unix.PidfdOpen(pid, 0); err == nil {
			fds = append(fds, fd)
		}
	}
	return fds
}

// gone waits for each to end, for at most ten seconds.
func gone(t *testing.T, fds []int) {
	t.Helper()
	for _, fd := range fds {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for {
			n, err := unix.Poll(poll, 10_000)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if n != 1 {
				t.Errorf("a process is still alive: %v", err)
			}
			break
		}
		_ = unix.Close(fd)
	}
}
