package sandboxtest

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cladehq/clade/internal/sandbox"
)

// gateway: a command reaches the gateway it was given at its address, nothing
// else of the machine where the network is cut, and says when it has said all.
func gateway(t *testing.T, f fixture) {
	address, other := serve(t, repeat), serve(t, repeat)
	c, dial := client(t, f, echoes(address, 1, 5)), client(t, f, "dial "+other)
	c.Gateways, dial.Gateways = []string{address}, []string{address}
	f.output(t, c, "")
	if r := f.must(t, dial); f.holds.Network && r.OK() {
		t.Error("another server of the machine was reached")
	}
	dial.Gateways = []string{address, other}
	f.output(t, dial, "")
	dial.Gateways = nil
	if r := f.must(t, dial); f.holds.Network && r.OK() {
		t.Error("the gateway of an earlier command is still there")
	}
	c.Network = true
	f.output(t, c, "")
}

func gatewayParallel(t *testing.T, f fixture) {
	address := serve(t, repeat)
	c := client(t, f, echoes(address, 50, 10_000))
	c.Gateways = []string{address}
	f.output(t, c, "")
}

func gatewayMuch(t *testing.T, f fixture) {
	address := serve(t, repeat)
	c := client(t, f, echoes(address, 2, 16<<20))
	c.Gateways = []string{address}
	f.output(t, c, "")
}

// gatewayKilled: nothing of a connection outlives its command.
func gatewayKilled(t *testing.T, f fixture) {
	over := make(chan struct{}, 1)
	address := serve(t, func(c net.Conn) {
		_, _ = io.Copy(io.Discard, c)
		over <- struct{}{}
	})
	c := client(t, f, "flood "+address)
	c.Gateways, c.Limits.Wall = []string{address}, 100*time.Millisecond
	if r := f.must(t, c); !r.TimedOut {
		t.Errorf("ended with %d, %q", r.Exit, text(r.Stderr))
	}
	select {
	case <-over:
	case <-time.After(patience):
		t.Error("the server still has a connection")
	}
}

func badGateways(t *testing.T, f fixture) {
	for _, a := range []string{"10.0.0.1:80", "localhost:80", "127.0.0.1", "0.0.0.0:1", ""} {
		c := shell(t, "true")
		c.Gateways = []string{a}
		if r, err := f.Run(t.Context(), c); err == nil {
			t.Errorf("%q: ran, exit %d", a, r.Exit)
		}
	}
}

// readable: files that are not seen otherwise are, by this command only, through
// the links that lead to them, and are not written.
func readable(t *testing.T, f fixture) {
	dir := tree(t, map[string]string{"lib/program": "program\n", "lib/part": "part\n", "secret": "secret\n"})
	for link, to := range map[string]string{"near": "lib/program", "far": filepath.Join(dir, "near")} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	c := shell(t, "cd "+dir+"; cat far; readlink far near; cat lib/part 2>/dev/null")
	c.Readable = []string{filepath.Join(dir, "far"), filepath.Join(dir, "lib"), filepath.Join(dir, "nothing")}
	want := "program\n" + dir + "/near\nlib/program\npart\n"
	if f.Grade() == sandbox.GradeContainer { // in the place of a link is what it leads to
		c.Args[2], want = "cd "+dir+"; cat far lib/part", "program\npart\n"
	}
	f.output(t, c, want)
	if !f.holds.Files {
		return
	}
	for _, script := range []string{"cat " + dir + "/secret", "echo x > " + dir + "/lib/part", "rm " + dir + "/lib/program"} {
		c.Args = []string{"sh", "-c", script}
		if r := f.must(t, c); r.OK() {
			t.Errorf("%q succeeded: %q", script, text(r.Stdout))
		}
	}
	if r := f.must(t, shell(t, "cat "+dir+"/far")); r.OK() {
		t.Error("the next command sees it too")
	}
}

// lent: what a command writes in a lent folder is in the folder.
func lent(t *testing.T, f fixture) {
	dir, other := tree(t, map[string]string{"in": "in\n"}), t.TempDir()
	c := shell(t, "")
	at, beside := sandbox.Lend(f, &c, dir, "lent"), sandbox.Lend(f, &c, other, "other")
	c.Args = []string{"sh", "-c", "cat " + at + "/in; echo out > " + at + "/out; echo more > " + beside + "/more"}
	f.output(t, c, "in\n")
	for p, want := range map[string]string{filepath.Join(dir, "out"): "out\n", filepath.Join(other, "more"): "more\n"} {
		if b, err := os.ReadFile(p); err != nil || string(b) != want {
			t.Errorf("%s = %q, %v", p, b, err)
		}
	}
}
