package sandboxtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/sandbox"
)

func exitStatus(t *testing.T, f fixture) {
	for _, want := range []int{0, 1, 42, 255} {
		r := f.must(t, shell(t, fmt.Sprintf("exit %d", want)))
		if r.Exit != want || r.Signal != "" {
			t.Errorf("exit %d: got %d, signal %q", want, r.Exit, r.Signal)
		}
		if r.OK() != (want == 0) {
			t.Errorf("exit %d: OK is %v", want, r.OK())
		}
	}
}

func signals(t *testing.T, f fixture) {
	for name, want := range map[string]string{"SEGV": "segmentation fault", "KILL": "killed", "TERM": "terminated", "ABRT": "aborted"} {
		r := f.must(t, shell(t, "echo 1; kill -"+name+" $$"))
		if r.Exit != -1 || r.Signal != want || r.OK() {
			t.Errorf("%s: got exit %d, signal %q, want −1 and %q", name, r.Exit, r.Signal, want)
		}
		if text(r.Stdout) != "1\n" {
			t.Errorf("%s: output %q is lost", name, text(r.Stdout))
		}
	}
}

func stdin(t *testing.T, f fixture) {
	file := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(file, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	open, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = open.Close() }()
	c := shell(t, "cat")
	c.Stdin = open
	if got := text(f.must(t, c).Stdout); got != "from a file\n" {
		t.Errorf("file: got %q", got)
	}
	big := strings.Repeat("0123456789abcdef", 1<<16)
	c.Stdin = strings.NewReader(big)
	if got := text(f.must(t, c).Stdout); got != big {
		t.Errorf("reader: got %d bytes, want %d", len(got), len(big))
	}
	c.Stdin = nil
	if r := f.must(t, c); r.Stdout.Size != 0 || !r.OK() {
		t.Errorf("none: got %+v", r)
	}
}

// unreadStdin: a command need not read its input.
func unreadStdin(t *testing.T, f fixture) {
	c := shell(t, "exit 3")
	c.Stdin = strings.NewReader(strings.Repeat("x", 1<<20))
	if r := f.must(t, c); r.Exit != 3 {
		t.Errorf("got exit %d", r.Exit)
	}
}

func environment(t *testing.T, f fixture) {
	want := []string{"A=1", "EMPTY=", "ODD=\xff\x80 =x", census(t)}
	c := sandbox.Command{Args: []string{"/usr/bin/env", "-0"}, Env: want, Dir: "/"}
	var got []string
	for e := range strings.SplitSeq(strings.TrimSuffix(text(f.must(t, c).Stdout), "\x00"), "\x00") {
		if !strings.HasPrefix(e, proc.MarkVar+"=") { // strays are found by it below a PID namespace
			got = append(got, e)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func folder(t *testing.T, f fixture) {
	c := shell(t, "pwd")
	c.Dir = "/usr/bin"
	if got := text(f.must(t, c).Stdout); got != "/usr/bin\n" {
		t.Errorf("got %q", got)
	}
	c.Dir = "/no/such/folder"
	r := f.must(t, c)
	if r.Exit != sandbox.ExitNotFound || !strings.Contains(text(r.Stderr), "/no/such/folder") {
		t.Errorf("missing folder: exit %d, %q", r.Exit, text(r.Stderr))
	}
}

func missing(t *testing.T, f fixture) {
	for _, test := range []struct {
		name, program string
		exit          int
	}{
		{"in PATH", "clade-no-such-program", sandbox.ExitNotFound},
		{"by path", "/no/such/program", sandbox.ExitNotFound},
		{"not executable", "/etc/passwd", sandbox.ExitNotExecutable},
		{"a folder", "/usr", sandbox.ExitNotExecutable},
	} {
		c := shell(t, "")
		c.Args = []string{test.program}
		r := f.must(t, c)
		if r.Exit != test.exit || !strings.Contains(text(r.Stderr), test.program) {
			t.Errorf("%s: exit %d, stderr %q", test.name, r.Exit, text(r.Stderr))
		}
	}
}

// boundedOutput: ten mebibytes on each stream, one of them a single line, are
// drained and counted, and both ends are kept.
func boundedOutput(t *testing.T, f fixture) {
	c := shell(t, `printf begin; head -c 10485760 /dev/zero | tr '\0' x; printf end; printf err >&2; yes | head -c 10485760 >&2`)
	c.Limits.Output = 1000
	r := f.must(t, c)
	if want := int64(5 + 10<<20 + 3); r.Stdout.Size != want || !r.Stdout.Truncated() {
		t.Errorf("stdout size = %d, want %d", r.Stdout.Size, want)
	}
	if kept := len(r.Stdout.Head) + len(r.Stdout.Tail); kept != 1000 {
		t.Errorf("kept %d bytes, want 1000", kept)
	}
	if !bytes.HasPrefix(r.Stdout.Head, []byte("beginxx")) || !bytes.HasSuffix(r.Stdout.Tail, []byte("xxend")) {
		t.Errorf("head %.10q…, tail …%q", r.Stdout.Head, r.Stdout.Tail[max(0, len(r.Stdout.Tail)-10):])
	}
	if want := int64(3 + 10<<20); r.Stderr.Size != want {
		t.Errorf("stderr size = %d, want %d", r.Stderr.Size, want)
	}
	if !r.OK() {
		t.Errorf("ended with %d %s", r.Exit, r.Signal)
	}
}

func outputBytes(t *testing.T, f fixture) {
	r := f.must(t, shell(t, `printf '\377\376\200\000x'; printf '\000\377' >&2`))
	if got := r.Stdout.Bytes(); !bytes.Equal(got, []byte("\xff\xfe\x80\x00x")) {
		t.Errorf("stdout = %q", got)
	}
	if got := r.Stderr.Bytes(); !bytes.Equal(got, []byte("\x00\xff")) {
		t.Errorf("stderr = %q", got)
	}
}

func logged(t *testing.T, f fixture) {
	var log bytes.Buffer
	c := shell(t, "echo out; echo err >&2")
	c.Output = &log
	f.must(t, c)
	if got := log.String(); got != "out\nerr\n" && got != "err\nout\n" {
		t.Errorf("log = %q", got)
	}
}

func eightAtOnce(t *testing.T, f fixture) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 3 {
				r, err := f.Run(t.Context(), shell(t, fmt.Sprintf("echo %d; exit %d", i, i)))
				if err != nil || r.Exit != i || text(r.Stdout) != fmt.Sprintf("%d\n", i) {
					t.Errorf("command %d: %v, exit %d, output %q", i, err, r.Exit, text(r.Stdout))
				}
			}
		})
	}
	wg.Wait()
}

// pathLookup: the program is looked for where the command's environment says,
// past what cannot be executed.
func pathLookup(t *testing.T, f fixture) {
	c := shell(t, "")
	c.Env = []string{"PATH=/etc:/nowhere::/usr/bin:/bin", census(t)}
	c.Args = []string{"printf", "found"}
	if got := text(f.must(t, c).Stdout); got != "found" {
		t.Errorf("got %q", got)
	}
	c.Env = []string{"PATH=/etc", census(t)}
	if r := f.must(t, c); r.Exit != sandbox.ExitNotFound {
		t.Errorf("outside PATH: exit %d", r.Exit)
	}
}

func largeArguments(t *testing.T, f fixture) {
	arg := strings.Repeat("a", 100_000)
	c := shell(t, `printf %s "$#$1$2$3" | wc -c`)
	c.Args = append(c.Args, "sh", arg, arg, arg)
	if got := strings.TrimSpace(text(f.must(t, c).Stdout)); got != "300001" {
		t.Errorf("got %q characters", got)
	}
}

// descriptors: what a run opens is closed again.
func descriptors(t *testing.T, f fixture) {
	count := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("descriptors cannot be counted here")
		}
		return len(list)
	}
	f.must(t, shell(t, "true"))
	before := count()
	for range 10 {
		c := shell(t, "cat; no-such-program")
		c.Stdin = strings.NewReader("x")
		f.must(t, c)
		c.Args = []string{"no-such-program"}
		f.must(t, c)
	}
	for range 3 {
		t.Run("killed", func(t *testing.T) { gatewayKilled(t, f) })
	}
	if after := count(); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}
