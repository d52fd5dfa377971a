// Package sandboxtest is what every sandbox must pass, and what those must that
// make mounts.
package sandboxtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade/internal/sandbox"
)

// Holds says what an implementation holds on this machine.
type Holds struct {
	Memory, Processes bool // limits, for the whole tree of processes
	// Network and Files are what makes one that makes mounts: no network but
	// gateways, and no files but those that are shown, and none written but
	// those that are lent.
	Network, Files bool
}

// Run runs the suite on one sandbox, which it closes. TestMain must call Main.
func Run(t *testing.T, s sandbox.Sandbox, holds Holds) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	holds.Network, holds.Files = holds.Network || s.Mounts(), holds.Files || s.Mounts()
	f := fixture{Sandbox: s, holds: holds}
	t.Run("all", func(t *testing.T) {
		for name, test := range map[string]func(*testing.T, fixture){
			"exit status":                         exitStatus,
			"B34 signals are no exits":            signals,
			"stdin":                               stdin,
			"environment is exact":                environment,
			"folder":                              folder,
			"missing program":                     missing,
			"F12 output is bounded":               boundedOutput,
			"B18 F38 output is bytes":             outputBytes,
			"log gets output":                     logged,
			"F11 B17 held pipe":                   heldPipe,
			"F13 closed streams are no end":       closedStreams,
			"F9 B16 daemons die":                  daemons,
			"F7 B1 wall limit beats ignoring":     ignoring,
			"wall limit with grace":               grace,
			"cancel":                              cancel,
			"cancelled before":                    cancelledBefore,
			"memory limit":                        memoryLimit,
			"F8 process limit":                    processLimit,
			"eight at once":                       eightAtOnce,
			"C5 clocks":                           clocks,
			"PATH is the command's":               pathLookup,
			"large arguments":                     largeArguments,
			"unread stdin":                        unreadStdin,
			"signal dispositions are as at login": dispositions,
			"F14 largest file":                    largestFile,
			"the machine's settings":              machineSettings,
			"a gateway is reached":                gateway,
			"50 connections to a gateway":         gatewayParallel,
			"much through a gateway":              gatewayMuch,
			"killed in the middle of a transfer":  gatewayKilled,
			"bad gateways are no results":         badGateways,
			"readable files":                      readable,
			"lent folders":                        lent,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, f)
			})
		}
	})
	if s.Mounts() {
		t.Run("isolated", func(t *testing.T) { runIsolated(t, f) })
	}
	t.Run("no descriptor is left open", func(t *testing.T) { descriptors(t, f) })
	if err := s.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
}

type fixture struct {
	sandbox.Sandbox
	holds Holds
}

// shell is a command with the least environment that finds a shell's tools.
func shell(t *testing.T, script string) sandbox.Command {
	t.Helper()
	return sandbox.Command{
		Args:   []string{"sh", "-c", script},
		Env:    []string{"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", census(t)},
		Dir:    "/",
		Limits: sandbox.Limits{Wall: 20 * time.Second}, // a test that hangs ends
	}
}

// must runs a command that can be run.
func (f fixture) must(t *testing.T, c sandbox.Command) sandbox.Result {
	t.Helper()
	return f.mustCtx(t, t.Context(), c)
}

func (f fixture) mustCtx(t *testing.T, ctx context.Context, c sandbox.Command) sandbox.Result {
	t.Helper()
	r, err := f.Run(ctx, c)
	if err != nil {
		t.Fatalf("running %q: %v", c.Args, err)
	}
	if r.Grade != f.Grade() {
		t.Errorf("grade = %q, want %q", r.Grade, f.Grade())
	}
	if left := living(t, census(t)); len(left) > 0 {
		t.Errorf("processes %v are alive after Run returned", left)
	}
	return r
}

// census marks a test's processes, as an entry of their environment.
func census(t *testing.T) string {
	return "SANDBOXTEST=" + strconv.Itoa(os.Getpid()) + strings.Map(func(r rune) rune {
		if r == ' ' {
			return '_'
		}
		return r
	}, t.Name())
}

// living lists the processes of the machine with this entry in their
// environment. Elsewhere than on Linux it cannot be seen.
func living(t *testing.T, entry string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err == nil && strings.Contains("\x00"+string(env), "\x00"+entry+"\x00") {
			found = append(found, filepath.Base(filepath.Dir(f)))
		}
	}
	return found
}

func text(s sandbox.Stream) string { return string(s.Head) + string(s.Tail) }
