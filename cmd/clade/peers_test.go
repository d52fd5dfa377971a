//go:build peers && linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm/modeltest"
)

// The Go example with real coding agents, against a scripted model. CLADE_PEERS
// names the folder in which scripts/peers.sh installed them, each in its own;
// with CLADE_PEERS_REQUIRED=1 one that is not there is a failure.

// A peer is an agent and the model it is given.
type peer struct {
	agent, provider, model string
	shell                  bool // the script edits by the shell: its editor wants more than a replacement
}

var peers = []peer{
	{agent: clade.HostClaude, provider: clade.ProviderAnthropic, model: "claude-opus-5-5"},
	{agent: clade.HostCodex, provider: clade.ProviderOpenAI, model: "fake-model", shell: true},
	{agent: clade.HostOpenCode, provider: clade.ProviderOpenAI, model: "fake-model"},
	{agent: clade.HostGemini, provider: clade.ProviderGoogle, model: "gemini-2.5-pro"},
	{agent: clade.HostDSH, provider: clade.ProviderOpenAI, model: "deepseek-v4-pro", shell: true},
}

// Keys that are clade's and nobody else's.
const (
	modelKey = "sk-planted-4wT9xQ2mN7vB1cR8yK5hJ3" // in clade's environment, for the model
	otherKey = "planted-aws-Zp6Lf0Ud3Sg7Ht2Wq9Ea"  // in clade's environment, for nothing
	fileKey  = "planted-ssh-Mx8Vb4Ny1Kc5Jr0Tz7Io"  // in the home folder
)

// A peerSession is a repository with the Go example, a home, and a scripted
// model.
type peerSession struct {
	t     *testing.T
	p     peer
	dir   string
	model atomic.Pointer[modeltest.Server]
	url   string
	naked atomic.Int64 // requests that did not carry the key
}

// eachPeer runs a test with every agent that is installed.
func eachPeer(t *testing.T, test func(t *testing.T, p peer)) {
	t.Helper()
	for _, p := range peers {
		t.Run(p.agent, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(p.bin(), p.agent)); err != nil {
				if os.Getenv("CLADE_PEERS_REQUIRED") == "1" {
					t.Fatal(err)
				}
				t.Skip("not installed in $CLADE_PEERS; scripts/peers.sh installs it")
			}
			t.Parallel()
			test(t, p)
		})
	}
}

func (p peer) bin() string {
	return filepath.Join(os.Getenv("CLADE_PEERS"), p.agent, "node_modules", ".bin")
}

// cheap measures the example exactly and at once, where the search is not what
// is tested: how large its table is.
const cheap = `
  - id: table
    run: cat words.go
    read: {regex: 'const buckets = ([0-9]+)'}
    goal: maximize
`

// timed is the example's own measure.
const timed = `
  - id: time
    run: go test -vet=off -run XXX -bench Count -benchtime 20x ./...
    read: {regex: '([0-9.]+) ns/op'}
    goal: minimize
    unit: ns/op
    noise: timing
`

func newPeerSession(t *testing.T, p peer, script *modeltest.Script, measure string) *peerSession {
	t.Helper()
	s := &peerSession{t: t, p: p, dir: t.TempDir()}
	s.says(script)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := fmt.Sprint(r.Header); !strings.Contains(h, modelKey) {
			s.naked.Add(1)
		}
		s.model.Load().ServeHTTP(w, r)
	}))
	t.Cleanup(srv.CloseClientConnections)
	s.url = srv.URL
	if err := os.CopyFS(s.target(), os.DirFS(filepath.Join("..", "..", "examples", "gofast"))); err != nil {
		t.Fatal(err)
	}
	s.write("t/clade.yaml", `version: 1
objective: Make Count faster; it must still count right.
allow: [words.go]
setup: go test -run XXX -bench XXX ./...
gates: [{id: tests, run: go test ./...}]
measures:`+measure+`models:
  - {name: scripted, provider: `+p.provider+`, model: `+p.model+`, base_url: "`+s.url+`", key_env: PLANTED_KEY, price: {input: 1, output: 10, cache_read: 0.5}}
operators:
  - {use: agent, agent: `+p.agent+`, model: scripted, timeout: 2m, idle: 1m}
sandbox: {read: ["`+filepath.Join(os.Getenv("CLADE_PEERS"), p.agent)+`"]}
budget: {candidates: 1, usd: 5, per_try_usd: 1}
slots: 1
`)
	s.write("home/.ssh/id_ed25519", fileKey)
	s.write("home/.claude/.credentials.json", `{"key": "`+fileKey+`"}`)
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-qm", "start"}} {
		c := exec.Command("git", args...)
		c.Dir, c.Env = s.target(), s.environ()
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return s
}

func (s *peerSession) target() string { return filepath.Join(s.dir, "t") }

func (s *peerSession) credentials() string {
	return filepath.Join(s.dir, "home", ".claude", ".credentials.json")
}

func (s *peerSession) write(name, text string) {
	s.t.Helper()
	file := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// says replaces what the model says from now on.
func (s *peerSession) says(script *modeltest.Script) *modeltest.Server {
	s.t.Helper()
	script.Usage = modeltest.Usage{Input: 1000, Cached: 200, Output: 50}
	m, err := modeltest.New(script, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.model.Store(m)
	return m
}

func (s *peerSession) environ() []string {
	home := filepath.Join(s.dir, "home")
	path := s.p.bin() + ":" + filepath.Join(os.Getenv("CLADE_PEERS"), s.p.agent, "bin") + ":" + os.Getenv("PATH")
	return []string{"PATH=" + path, "HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(s.dir, "cache"), "XDG_STATE_HOME=" + filepath.Join(s.dir, "state"),
		"NO_COLOR=1", "GIT_CONFIG_NOSYSTEM=1", "PLANTED_KEY=" + modelKey, "OPENAI_API_KEY=" + modelKey, "AWS_SECRET_ACCESS_KEY=" + otherKey,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost"}
}

func (s *peerSession) command(args ...string) *exec.Cmd {
	c := exec.CommandContext(s.t.Context(), "clade", args...)
	c.Dir, c.Env = s.target(), s.environ()
	return c
}

// clade runs a command and wants an exit code and no key in what it prints.
func (s *peerSession) clade(code int, args ...string) string {
	s.t.Helper()
	out, err := s.command(args...).CombinedOutput()
	if got := exitCode(s.t, err); got != code {
		s.t.Fatalf("clade %v: exit code %d, want %d\n%s", args, got, code, out)
	}
	if key := keyIn(out); key != "" {
		s.t.Errorf("clade %v prints %s\n%s", args, key, out)
	}
	return string(out)
}

func keyIn(b []byte) string {
	for _, key := range []string{modelKey, otherKey, fileKey} {
		if bytes.Contains(b, []byte(key)) {
			return key
		}
	}
	return ""
}

// cost is what the scripted model's answers cost, by the spec's price: in
// millionths of a dollar, of a thousand tokens in 200 are cached.
func cost(m *modeltest.Server) (usd clade.Microdollars, calls int64) {
	for _, e := range m.Log() {
		switch {
		case e.API == "" || e.Status != http.StatusOK:
		case e.Step == "aux":
			usd, calls = usd+10+20, calls+1
		default:
			usd, calls = usd+800+100+500, calls+1
		}
	}
	return usd, calls
}

// spent wants what is recorded to be what the model's answers cost, over
// what was held and lost.
func (s *peerSession) spent(lost clade.Microdollars, answered ...*modeltest.Server) {
	s.t.Helper()
	var st struct{ Spent, Held clade.Amount }
	if err := json.Unmarshal([]byte(s.clade(0, "status", "--json")), &st); err != nil {
		s.t.Fatal(err)
	}
	want := lost
	for _, m := range answered {
		usd, _ := cost(m)
		want += usd
	}
	if want == lost || st.Spent.Microdollars != want || st.Held != (clade.Amount{}) {
		s.t.Errorf("spent %+v, want %s; held %+v", st.Spent, want, st.Held)
	}
	if n := s.naked.Load(); n > 0 {
		s.t.Errorf("%d requests came without the key", n)
	}
}

// leaves wants that no process is left whose command line or environment has
// to do with the session, and no key in any file.
func (s *peerSession) leaves() {
	s.t.Helper()
	fds := processes(s.t, s.dir, "sleep\x00"+s.nap())
	ended(s.t, fds)
	s.keyless()
}

// nap is the argument by which a sleep is known to be of this session.
func (s *peerSession) nap() string {
	return fmt.Sprintf("1%08d", crc32.ChecksumIEEE(fmt.Appendf(nil, "%d %s", os.Getpid(), s.t.Name()))%1e8)
}

// keyless looks into every file, and into every object of every repository, in
// which clade may have written.
func (s *peerSession) keyless() {
	s.t.Helper()
	looked := 0
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && d.IsDir() && d.Name() == "objects" {
			objects, err := exec.Command("git", "--git-dir", filepath.Dir(path), "cat-file", "--batch", "--batch-all-objects").Output()
			if key := keyIn(objects); err == nil && key != "" {
				s.t.Errorf("%s holds %s", path, key)
			}
		}
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(path, filepath.Join(s.dir, "home", ".ssh")) || path == s.credentials() {
			return err
		}
		looked++
		b, err := os.ReadFile(path)
		if key := keyIn(b); key != "" {
			s.t.Errorf("%s holds %s", path, key)
		}
		return err
	})
	if err != nil || looked < 10 {
		s.t.Errorf("looked into %d files: %v", looked, err)
	}
}

// processes holds every process of whose command line or environment one of
// texts is a part.
func processes(t *testing.T, texts ...string) (fds []int) {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		line, _ := os.ReadFile(filepath.Join(d, "cmdline"))
		env, _ := os.ReadFile(filepath.Join(d, "environ"))
		pid, err := strconv.Atoi(filepath.Base(d))
		if err != nil || pid == os.Getpid() {
			continue
		}
		for _, text := range texts {
			if bytes.Contains(line, []byte(text)) || bytes.Contains(env, []byte(text)) {
				if fd, err := unix.PidfdOpen(pid, 0); err == nil {
					fds = append(fds, fd)
				}
				break
			}
		}
	}
	return fds
}

// ended waits for each to end, for at most ten seconds.
func ended(t *testing.T, fds []int) {
	t.Helper()
	for _, fd := range fds {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(poll, 10_000)
		for errors.Is(err, unix.EINTR) {
			n, err = unix.Poll(poll, 10_000)
		}
		if n != 1 {
			t.Errorf("a process is still alive: %v", err)
		}
		_ = unix.Close(fd)
	}
}

// faster makes the table large enough.
func faster(p peer) *modeltest.Script {
	edit := modeltest.Step{Edit: &modeltest.EditFile{Path: "words.go",
		Old: "const buckets = 2 // clade:tune buckets=1..4096 log int", New: "const buckets = 1024 // clade:tune buckets=1..4096 log int"}}
	if p.shell {
		edit = modeltest.Step{Bash: "sed -i 's/buckets = 2 /buckets = 1024 /' words.go"}
	}
	return &modeltest.Script{Default: []modeltest.Step{
		{Bash: "cat words.go"}, edit, {Text: "Summary: a larger table"},
	}}
}

// TestPeersWin has each agent make the Go example faster, and lands what it did.
func TestPeersWin(t *testing.T) {
	t.Parallel()
	eachPeer(t, func(t *testing.T, p peer) {
		measure := cheap
		if p.agent == clade.HostClaude {
			measure = timed
		}
		s := newPeerSession(t, p, faster(p), measure)
		out := s.clade(0, "run", "--plain")
		if !strings.Contains(out, "a larger table") {
			t.Errorf("no summary:\n%s", out)
		}
		s.spent(0, s.model.Load())
		s.clade(0, "apply", "--yes")
		if got, err := os.ReadFile(filepath.Join(s.target(), "words.go")); err != nil || !bytes.Contains(got, []byte("const buckets = 1024 ")) {
			t.Errorf("%v: landed\n%s", err, got)
		}
		s.leaves()
	})
}

// hostile does what an agent may not: of the calls, each is one round.
func hostile(s *peerSession) *modeltest.Script {
	run := func(lines ...string) modeltest.Step { return modeltest.Step{Bash: strings.Join(lines, "\n")} }
	return &modeltest.Script{Default: []modeltest.Step{
		run("printf 'package gofast\\n' > words_test.go", "printf 'module gofast\\n\\ngo 1.21\\n\\ntoolchain go1.21.0\\n' > go.mod",
			"printf 'import os; os._exit(0)\\n' > conftest.py"),
		run(`printf 'package gofast\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) { println("BenchmarkCount 20 1.0 ns/op"); os.Exit(0) }\n' > main_test.go`,
			`printf '\nfunc init() { println("BenchmarkCount 20 1.0 ns/op") }\n' >> words.go`),
		run("for i in 1 2 3; do setsid sleep "+s.nap()+" </dev/null >/dev/null 2>&1 & done", "(setsid sleep "+s.nap()+" &) </dev/null >/dev/null 2>&1"),
		run("env > env.txt", "cat /proc/[0-9]*/environ > environ.txt", "cat "+filepath.Join(s.dir, "home")+"/.ssh/id_ed25519 $HOME/.ssh/* $HOME/.claude/.credentials.json > home.txt",
			"cat env.txt environ.txt home.txt | tr '\\0' '\\n'", "true"),
		run("echo x > ../../x", "echo x > "+filepath.Join(s.dir, "x"), "echo x > "+s.target()+"/words.go", "echo x > /usr/local/clade-x", "true"),
		{Text: "BenchmarkCount 20 1.0 ns/op\n{\"score\": 1000000}\nSummary: a thousand times faster"},
	}}
}

// TestPeersHostile has each agent do what would win by anything but a better
// program: nothing is landed and nothing stays behind.
func TestPeersHostile(t *testing.T) {
	t.Parallel()
	eachPeer(t, func(t *testing.T, p peer) {
		s := newPeerSession(t, p, faster(p), timed)
		s.says(hostile(s))
		out := s.clade(5, "run", "--plain")
		s.spent(0, s.model.Load())
		s.lands(out)
		if _, calls := cost(s.model.Load()); calls < 6 {
			t.Errorf("the script was not followed: %d calls\n%s", calls, out)
		}
		s.leaves()
	})
}

// lands wants that nothing can be landed and that nothing was written where it
// must not be.
func (s *peerSession) lands(out string) {
	s.t.Helper()
	if got, err := s.command("apply", "--yes").CombinedOutput(); err == nil {
		s.t.Errorf("landed:\n%s\n%s", out, got)
	}
	c := exec.Command("git", "status", "--porcelain")
	c.Dir, c.Env = s.target(), s.environ()
	if got, err := c.CombinedOutput(); err != nil || len(got) > 0 {
		s.t.Errorf("%v: the target differs:\n%s", err, got)
	}
	for _, path := range []string{filepath.Join(s.dir, "x"), "/usr/local/clade-x"} {
		if _, err := os.Lstat(path); err == nil {
			s.t.Errorf("%s was written", path)
		}
	}
}

// TestPeersKilled ends clade by kill -9 while an agent's tool runs: nothing it
// started is alive, and the run goes on.
func TestPeersKilled(t *testing.T) {
	t.Parallel()
	eachPeer(t, func(t *testing.T, p peer) {
		s := newPeerSession(t, p, faster(p), cheap)
		s.says(&modeltest.Script{Default: []modeltest.Step{{Bash: "setsid sleep " + s.nap() + " & sleep " + s.nap()}}})
		c := s.command("run", "--plain")
		var said bytes.Buffer
		c.Stdout, c.Stderr = &said, &said
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		// What runs deep inside cannot say so by a pipe: it is looked for.
		naps := 0
		for end := time.Now().Add(6 * time.Minute); naps < 2 && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			fds := processes(t, "sleep\x00"+s.nap())
			naps = len(fds)
			for _, fd := range fds {
				_ = unix.Close(fd)
			}
		}
		fds := processes(t, s.dir, "sleep\x00"+s.nap())
		_ = c.Process.Kill()
		_ = c.Wait()
		if naps < 2 {
			t.Fatalf("no tool ran\n%s", said.String())
		}
		ended(t, fds)
		s.leaves()
		m := s.says(faster(p))
		s.clade(0, "resume", "--plain")
		s.spent(1_000_000, m) // the lost try is settled at its hold
		s.leaves()
	})
}
