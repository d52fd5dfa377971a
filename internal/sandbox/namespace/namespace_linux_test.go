package namespace_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/namespace"
	"github.com/cladehq/clade/internal/sandbox/sandboxtest"
)

// engineVar makes this test program an engine that runs one command for ever.
const engineVar = "NAMESPACETEST_ENGINE"

func TestMain(m *testing.M) {
	namespace.Main()
	sandboxtest.Main()
	if mark := os.Getenv(engineVar); mark != "" {
		engine(mark)
	}
	goleak.VerifyTestMain(m)
}

func engine(mark string) {
	s, err := namespace.New(namespace.Options{})
	if err != nil {
		os.Exit(3)
	}
	const stay = "echo up; while :; do sleep 1000; done"
	c := shell("setsid sh -c '" + stay + "' & sh -c '" + stay + "' & " + stay)
	c.Env, c.Output = append(c.Env, mark), os.Stdout
	_, _ = s.Run(context.Background(), c)
	os.Exit(4)
}

func open(t testing.TB, o namespace.Options) *namespace.Sandbox {
	t.Helper()
	s, err := namespace.New(o)
	refused(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func shell(script string) sandbox.Command {
	return sandbox.Command{Args: []string{"sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Dir: "/"}
}

func output(t *testing.T, s *namespace.Sandbox, script string) string {
	t.Helper()
	r, err := s.Run(t.Context(), shell(script))
	if err != nil {
		t.Fatal(err)
	}
	return string(r.Stdout.Bytes())
}

func TestSuite(t *testing.T) {
	s, err := namespace.New(namespace.Options{})
	refused(t, err)
	memory, processes := s.Held()
	sandboxtest.Run(t, s, sandboxtest.Holds{Memory: memory == "cgroup", Processes: processes == "cgroup" || os.Geteuid() != 0})
}

// Root's namespaces are made in another way than everyone else's, and limits are
// held by other means.
func TestAsNobody(t *testing.T) {
	t.Parallel()
	sandboxtest.AsNobody(t, "^(TestSuite|TestF10EngineKilled|TestBubblewrapInside)$")
}

// An agent that brings bubblewrap runs it inside.
func TestBubblewrapInside(t *testing.T) {
	t.Parallel()
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skip("bubblewrap is not installed")
	}
	s := open(t, namespace.Options{})
	unshare := []string{"--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts"}
	if memory, processes := s.Held(); memory != "cgroup" && processes != "cgroup" && os.Geteuid() != 0 {
		unshare = append(unshare, "--unshare-all")
	}
	for _, u := range unshare {
		c := shell("exec bwrap --ro-bind / / --bind " + s.Work() + " " + s.Work() + " --dev /dev --proc /proc --die-with-parent --new-session " + u +
			" sh -c 'echo $$; echo x > " + s.Work() + "/made; cat made; echo x > /etc/made'")
		c.Dir, c.Readable = s.Work(), []string{bwrap}
		c.Env = []string{"PATH=" + filepath.Dir(bwrap) + ":/usr/bin:/bin"}
		r, err := s.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		out, said := string(r.Stdout.Bytes()), string(r.Stderr.Bytes())
		switch {
		case os.Geteuid() != 0 && (out != "2\nx\n" || !strings.Contains(said, "Read-only file system")):
			t.Errorf("%s: %q, %q", u, out, said)
		case os.Geteuid() == 0 && !strings.Contains(said, "Can't mount proc"):
			t.Errorf("of root: %q, %q; docs/isolation.md says that it cannot mount /proc", out, said)
		}
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	refused(t, namespace.Probe(t.Context()))
}

// refused skips a test where user namespaces are forbidden. Any other error is
// a defect.
func refused(t testing.TB, err error) {
	t.Helper()
	switch {
	case err == nil:
	case !errors.Is(err, namespace.ErrUnavailable):
		t.Fatalf("%v is not ErrUnavailable", err)
	case errors.Is(err, os.ErrPermission):
		t.Skip(err)
	default:
		t.Fatal(err)
	}
}

// F10: an engine killed with -9 takes every process of its commands with it.
func TestF10EngineKilled(t *testing.T) {
	t.Parallel()
	refused(t, namespace.Probe(t.Context()))
	mark := "NAMESPACETEST_MARK=" + t.TempDir()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), engineVar+"="+mark)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for range 3 {
		if line, err := lines.ReadString('\n'); line != "up\n" {
			_ = cmd.Process.Kill()
			t.Fatalf("no engine: %q, %v, %v", line, err, cmd.Wait())
		}
	}
	fds := pidfds(t, mark)
	if len(fds) < 3 {
		t.Errorf("only %d processes carry the mark", len(fds))
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	for _, fd := range fds { // waits for each to end
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for {
			n, err := unix.Poll(poll, 10_000)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if n != 1 {
				t.Errorf("a process outlived its engine by ten seconds: %v", err)
			}
			break
		}
		_ = unix.Close(fd)
	}
}

// pidfds opens every process with this entry in its environment.
func pidfds(t *testing.T, entry string) []int {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var fds []int
	for _, d := range dirs {
		env, err := os.ReadFile(d + "/environ")
		if err != nil || !strings.Contains("\x00"+string(env), "\x00"+entry+"\x00") {
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

// beside makes a folder where commands see the machine's, and not one of their
// own.
func beside(t *testing.T) string {
	t.Helper()
	// Below /var/tmp and /tmp every command has folders of its own, so the
	// folders to hide lie beside the package.
	wd, _ := os.Getwd()
	home, _ := os.UserHomeDir()
	for _, at := range []string{wd, home} {
		if at == "" || strings.HasPrefix(at, "/tmp/") || strings.HasPrefix(at, "/var/tmp/") {
			continue
		}
		dir, err := os.MkdirTemp(at, "hide-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return dir
	}
	t.Skip("every folder at hand lies where commands have folders of their own")
	return ""
}

// write makes files below dir, by path.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHideAndShow(t *testing.T) {
	t.Parallel()
	dir := beside(t)
	write(t, dir, map[string]string{"state/key": "secret", "state/objects/o": "object", "state/objects/deep/p": "secret", "file": "secret", "open": "open"})
	shown := t.TempDir()
	write(t, shown, map[string]string{"f": "shown", "hidden/key": "secret", "hidden/part/p": "part"})
	s := open(t, namespace.Options{
		Hide: []string{dir + "/state", dir + "/file", dir + "/state/objects/deep", "/no/such/path", shown + "/hidden"},
		Show: []string{dir + "/state/objects", shown, shown + "/hidden/part"},
	})
	for script, want := range map[string]string{
		"ls -A " + dir + "/state":                           "objects\n",
		"cat " + dir + "/state/objects/o " + dir + "/open":  "objectopen",
		"cat " + dir + "/file " + dir + "/state/key":        "",
		"ls -A " + dir + "/state/objects/deep":              "",
		"cat " + shown + "/f":                               "shown",
		"ls -A " + shown + "; ls -A " + shown + "/hidden":   "f\nhidden\npart\n",
		"cat " + shown + "/hidden/part/*":                   "part",
		"ls -A /tmp | wc -l":                                "1\n",
		"echo x > " + dir + "/state/x && echo written":      "",
		"echo x > " + dir + "/file && echo written":         "",
		"echo x > " + shown + "/g && echo written":          "",
		"echo x > " + dir + "/state/objects/x && echo done": "",
	} {
		if got := output(t, s, script); got != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
}

// What is hidden or shown is so under every name: links lead where they lead on
// the machine.
func TestLinksOfTheMachine(t *testing.T) {
	t.Parallel()
	dir := beside(t)
	write(t, dir, map[string]string{"real/home/key": "secret", "real/home/apps/v2/run": "run", "real/home/apps/v2/part": "part"})
	for link, to := range map[string]string{"people": "real", "real/home/tool": dir + "/people/home/apps/current/run", "real/home/apps/current": "v2", "lower": dir + "/people"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, namespace.Options{Hide: []string{dir + "/people/home"}, Show: []string{dir + "/people/home/tool"}})
	for script, want := range map[string]string{
		"cat " + dir + "/real/home/key " + dir + "/people/home/key":                                                    "",
		"cat " + dir + "/people/home/tool; readlink " + dir + "/real/home/tool":                                        "run" + dir + "/people/home/apps/current/run\n",
		"ls " + dir + "/real/home/apps/v2; readlink " + dir + "/real/home/apps/current; ls -A " + dir + "/people/home": "run\nv2\napps\ntool\n",
		"echo x > " + dir + "/real/home/apps/x && echo written":                                                        "",
	} {
		if got := output(t, s, script); got != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
	c := shell("cat home/key")
	c.Dir = s.Work()
	c.Mounts = []sandbox.Mount{{Kind: sandbox.MountBind, Source: dir + "/lower", Target: s.Work(), ReadOnly: true}}
	if r, err := s.Run(t.Context(), c); err != nil || string(r.Stdout.Bytes()) != "secret" {
		t.Errorf("a source behind an absolute link: %v, %q", err, r.Stderr.Bytes())
	}
}

// A temporary folder of the command's own covers nothing that is shown.
func TestShownInATemporaryFolder(t *testing.T) {
	t.Parallel()
	shown, own := t.TempDir(), t.TempDir()
	write(t, shown, map[string]string{"f": "shown"})
	write(t, own, map[string]string{"mine": "mine"})
	s := open(t, namespace.Options{Show: []string{shown}})
	c := shell("cat " + shown + "/f /tmp/mine")
	c.Mounts = []sandbox.Mount{{Kind: sandbox.MountBind, Source: own, Target: "/tmp"}}
	if r, err := s.Run(t.Context(), c); err != nil || string(r.Stdout.Bytes()) != "shownmine" {
		t.Errorf("%v, %q, %q", err, r.Stdout.Bytes(), r.Stderr.Bytes())
	}
}

// What one command may read of what is hidden, the next may not, and nobody may
// write; what is hidden inside stays so.
func TestReadableOfHidden(t *testing.T) {
	t.Parallel()
	dir := beside(t)
	write(t, dir, map[string]string{"home/agent/bin/a": "agent", "home/agent/auth": "secret", "home/key": "secret", "home/file": "file"})
	s := open(t, namespace.Options{Hide: []string{dir + "/home", dir + "/home/agent/auth"}})
	c := shell("cd " + dir + "/home && cat agent/bin/a file agent/auth key; ls -A . agent; for p in . agent agent/bin; do echo x > $p/new && echo written; done; :")
	c.Readable = []string{dir + "/home/agent", dir + "/home/file"}
	for range 2 {
		r, err := s.Run(t.Context(), c)
		if want := "agentfile.:\nagent\nfile\n\nagent:\nauth\nbin\n"; err != nil || string(r.Stdout.Bytes()) != want {
			t.Errorf("%v, %q, want %q", err, r.Stdout.Bytes(), want)
		}
	}
	if got := output(t, s, "cat "+dir+"/home/*/* "+dir+"/home/file "+dir+"/home/agent/bin/a; echo x > "+dir+"/home/new && echo written"); got != "" {
		t.Errorf("the next command: %q", got)
	}
}

// A supervisor that dies costs its command an error, not the sandbox.
func TestSupervisorKilled(t *testing.T) {
	t.Parallel()
	s := open(t, namespace.Options{})
	c := shell("echo ready; sleep 1000")
	c.Output = killer{t}
	if r, err := s.Run(t.Context(), c); err == nil {
		t.Errorf("no error: %+v", r)
	}
	if got := output(t, s, "echo again"); got != "again\n" {
		t.Errorf("got %q", got)
	}
}

// A killer kills the supervisor of this test's sandbox when the command runs:
// the parent, in this process's view, of the PID 1 it runs under.
type killer struct{ t *testing.T }

func (k killer) Write(p []byte) (int, error) {
	children, err := os.ReadDir("/proc")
	if err != nil {
		k.t.Error(err)
	}
	for _, d := range children {
		cmd, _ := os.ReadFile("/proc/" + d.Name() + "/cmdline")
		if string(cmd) != "sh\x00-c\x00echo ready; sleep 1000\x00" {
			continue
		}
		pid, err := strconv.Atoi(parent(parent(d.Name())))
		if err != nil {
			continue
		}
		if id, err := proc.Of(pid); err == nil {
			_ = id.Kill()
		}
	}
	return len(p), nil
}

func parent(pid string) string {
	b, _ := os.ReadFile("/proc/" + pid + "/status")
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "PPid:"); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// Close ends what runs.
func TestCloseWhileRunning(t *testing.T) {
	t.Parallel()
	s := open(t, namespace.Options{})
	c := shell("echo ready; sleep 1000")
	c.Output = closer{s}
	if r, err := s.Run(t.Context(), c); err == nil {
		t.Errorf("no error: %+v", r)
	}
	if _, err := s.Run(t.Context(), c); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v, want ErrClosed", err)
	}
}

type closer struct{ s *namespace.Sandbox }

func (c closer) Write(p []byte) (int, error) { return len(p), c.s.Close() }

// C8: the supervisor, whose copy PID 1 is, has no environment itself.
func TestC8SupervisorHasNoEnvironment(t *testing.T) {
	t.Setenv("CLADE_TEST_KEY", "secret")
	s := open(t, namespace.Options{})
	if got := output(t, s, "env; cat /proc/*/environ | tr '\\0' '\\n'"); strings.Contains(got, "secret") {
		t.Errorf("a variable of the engine is visible: %q", got)
	}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		cmd, _ := os.ReadFile(d + "/cmdline")
		if strings.HasSuffix(string(cmd), namespace.SupervisorArg+"\x00") {
			if env, err := os.ReadFile(d + "/environ"); err == nil && len(env) > 0 {
				t.Errorf("%s has an environment: %.100q", d, env)
			}
		}
	}
}

func BenchmarkTrue(b *testing.B) {
	for name, l := range map[string]sandbox.Limits{"plain": {}, "limits": {Memory: 1 << 30, Processes: 100}} {
		b.Run(name, func(b *testing.B) {
			s := open(b, namespace.Options{})
			c := sandbox.Command{Args: []string{"/bin/true"}, Dir: s.Work(), Limits: l, Mounts: []sandbox.Mount{{
				Kind: sandbox.MountOverlay, Target: s.Work(), Lower: []string{b.TempDir()}, Upper: b.TempDir(), Work: b.TempDir(),
			}}}
			for b.Loop() {
				if r, err := s.Run(b.Context(), c); err != nil || !r.OK() {
					b.Fatal(r, err)
				}
			}
		})
	}
}
