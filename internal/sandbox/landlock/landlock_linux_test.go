package landlock

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	sandboxtest.Main()
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
	s := open(t, Options{})
	sandboxtest.Run(t, s, sandboxtest.Holds{Network: s.version >= 4, Files: true, Processes: os.Geteuid() > 0})
}

// Everyone may use Landlock.
func TestAsNobody(t *testing.T) {
	sandboxtest.AsNobody(t, "^(TestSuite$/^all$/^(F8|F9|F7|a_gateway|lent|readable)|TestFiles|TestMachine)")
}

func run(t *testing.T, s *Sandbox, c sandbox.Command, script string) (string, bool) {
	t.Helper()
	c.Args, c.Dir = []string{"bash", "-c", script}, "/"
	c.Env, c.Limits.Wall = append(c.Env, "PATH=/usr/bin:/bin"), 20*time.Second
	r, err := s.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return string(r.Stdout.Bytes()) + string(r.Stderr.Bytes()), r.OK()
}

// What is hidden cannot be read, what is shown in it can, what is lent can be
// written, and nothing else can be.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, p := range []string{"open/a", "hidden/b", "hidden/shown/c", "hidden/shown/deep/d", "lent/e", "hidden/lent/f"} {
		p = filepath.Join(dir, p)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte("content"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	at := func(p string) string { return filepath.Join(dir, p) }
	s := open(t, Options{Hide: []string{at("hidden"), at("hidden/shown/deep")}, Show: []string{dir, at("hidden/shown")}})
	c := sandbox.Command{Writable: []string{at("lent"), at("hidden/lent")}}
	for _, test := range []struct {
		script string
		ok     bool
	}{
		{"cat " + at("open/a"), true},
		{"ls " + at("open"), true},
		{"cat " + at("hidden/b"), false},
		{"ls " + at("hidden"), false},
		{"cat " + at("hidden/shown/c"), true},
		{"cat " + at("hidden/shown/deep/d"), false},
		{"cat " + at("open/../hidden/b"), false},
		{"ln -s " + at("hidden") + " " + at("lent/way") + " && cat " + at("lent/way/b"), false},
		{"ln " + at("hidden/b") + " " + at("lent/hard") + " && cat " + at("lent/hard"), false},
		{"mv " + at("hidden/b") + " " + at("lent/moved"), false},
		{"echo x > " + at("open/a"), false},
		{"truncate -s 0 " + at("open/a"), s.version < 3},
		{"echo x > " + at("open/new"), false},
		{"mkdir " + at("open/new"), false},
		{"rm " + at("open/a"), false},
		{"echo x >> " + at("lent/e") + " && mkdir " + at("lent/new") + " && mv " + at("lent/e") + " " + at("lent/new/e") + " && rm -r " + at("lent/new"), s.version >= 2},
		{"echo x > " + at("hidden/lent/f") + " && cat " + at("hidden/lent/f"), true},
	} {
		if out, ok := run(t, s, c, test.script); ok != test.ok {
			t.Errorf("%s: succeeded is %v, want %v: %s", test.script, ok, test.ok, out)
		}
	}
	if b, err := os.ReadFile(at("open/a")); err != nil || s.version >= 3 && string(b) != "content" {
		t.Errorf("a file that may not be written holds %q, %v", b, err)
	}
}

// C7, C8: a command has no power over the machine and this process.
func TestMachine(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	me := strconv.Itoa(os.Getpid())
	for _, script := range []string{
		"cat /proc/" + me + "/environ", "cat /proc/" + me + "/mem", "readlink /proc/" + me + "/fd/0", "echo x > /etc/clade-test",
		"echo core > /proc/sys/kernel/core_pattern", "head -c 1 /proc/kcore", "mkdir /sys/fs/cgroup/pids/clade-test",
		"for d in /dev/sd? /dev/vd? /dev/nvme?; do head -c 1 $d && exit 0; done; exit 1", "echo x > /tmp/clade-test", "ls /tmp",
		"mount -t tmpfs none /mnt", "mknod /tmp/x b 254 0", "chroot / true",
	} {
		if out, ok := run(t, s, sandbox.Command{}, script); ok {
			t.Errorf("%q succeeded: %.100q", script, out)
		}
	}
	if out, _ := run(t, s, sandbox.Command{}, "grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status"); os.Geteuid() == 0 &&
		out != "CapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\n" {
		t.Errorf("capabilities: %q", out)
	}
	if _, ok := run(t, s, sandbox.Command{}, "kill -0 "+me); ok && s.version >= 6 {
		t.Error("this process can be signalled")
	}
	dial := "exec 3<>/dev/tcp/127.0.0.1/" + l.Addr().String()[strings.LastIndexByte(l.Addr().String(), ':')+1:]
	if out, ok := run(t, s, sandbox.Command{Network: true}, dial); !ok {
		t.Errorf("with a network: %s", out)
	}
	if _, ok := run(t, s, sandbox.Command{}, dial); ok && s.version >= 4 {
		t.Error("without a network a port was reached")
	}
	if out, ok := run(t, s, sandbox.Command{}, "echo x > /dev/null; head -c 3 /dev/zero | wc -c; head -c 3 /dev/urandom > /dev/null"); !ok || out != "3\n" {
		t.Errorf("devices: %q", out)
	}
}

// This process itself stays as it is.
func TestNothingStays(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	for range 20 {
		run(t, s, sandbox.Command{}, "true")
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		b, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/status")
		// Another test's thread may be about to end.
		if strings.Contains(string(b), "NoNewPrivs:\t1") && task.Name() == strconv.Itoa(os.Getpid()) {
			t.Errorf("the first thread is confined")
		}
	}
}

func TestOpened(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	for _, p := range []string{"bin/sh", "etc/passwd", "etc/shadow", "home/me/.ssh/id", "home/me/go/bin/x", "home/me/go/secret", "dev/sda", "tmp/x/tool", "tmp/y", "var/tmp/z", "var/lib/a"} {
		files[p] = &fstest.MapFile{}
	}
	for name, c := range map[string]struct{ hide, show, want []string }{
		"nothing":         {nil, nil, []string{"/bin", "/etc", "/home", "/var/lib"}},
		"a file":          {[]string{"/etc/shadow"}, nil, []string{"/bin", "/etc/passwd", "/home", "/var/lib"}},
		"not there":       {[]string{"/etc/none", "relative"}, nil, []string{"/bin", "/etc/passwd", "/etc/shadow", "/home", "/var/lib"}},
		"shown in hidden": {[]string{"/home", "/home/me/go/secret"}, []string{"/home/me/go"}, []string{"/bin", "/etc", "/home/me/go/bin", "/var/lib"}},
		"temporary":       {nil, []string{"/tmp/x"}, []string{"/bin", "/etc", "/home", "/tmp/x", "/var/lib"}},
		"both":            {[]string{"/etc"}, []string{"/etc"}, []string{"/bin", "/etc", "/home", "/var/lib"}},
		"the root":        {nil, []string{"/"}, []string{"/bin", "/etc", "/home", "/var/lib"}},
	} {
		if got := opened(files, c.hide, c.show); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestLacks(t *testing.T) {
	t.Parallel()
	for version, want := range map[int]int{1: 5, 2: 4, 3: 3, 4: 2, 5: 1, 6: 0, 7: 0} {
		if got := lacks(version); len(got) != want {
			t.Errorf("version %d lacks %v", version, got)
		}
	}
}

func BenchmarkTrue(b *testing.B) {
	s, err := New(Options{Hide: []string{"/etc/shadow", "/root", "/var/log"}})
	if err != nil {
		b.Skip(err)
	}
	for b.Loop() {
		if r, err := s.Run(context.Background(), sandbox.Command{Args: []string{"/bin/true"}}); err != nil || !r.OK() {
			b.Fatal(r, err)
		}
	}
}
