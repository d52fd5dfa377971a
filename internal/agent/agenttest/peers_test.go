//go:build peers && linux

package agenttest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/agent/agenttest"
	"github.com/cladehq/clade/internal/agent/claude"
	"github.com/cladehq/clade/internal/agent/codex"
	"github.com/cladehq/clade/internal/agent/dsh"
	"github.com/cladehq/clade/internal/agent/gemini"
	"github.com/cladehq/clade/internal/agent/opencode"
	"github.com/cladehq/clade/internal/llm/modeltest"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/namespace"
)

// Variables of these tests. scripts/peers.sh installs the CLIs.
const (
	peersVar    = "CLADE_PEERS"          // the folder in which each CLI has its own
	requiredVar = "CLADE_PEERS_REQUIRED" // "1": a CLI that is not there is a failure
	engineVar   = "AGENTTEST_ENGINE"     // makes this program an engine that runs one launch
)

func TestMain(m *testing.M) {
	namespace.Main()
	if spec := os.Getenv(engineVar); spec != "" {
		engine(spec)
	}
	os.Exit(m.Run())
}

// A peer is a real CLI.
type peer struct {
	driver agent.Driver
	model  string
	// usd is what it says two answers of the script cost; 0: nothing.
	usd clade.Microdollars
	// turns and sessions say that it can be told to stop after so many rounds,
	// and go on with a session.
	turns, sessions bool
	node            string // a folder of Node beside it
}

var peers = []peer{
	{driver: claude.Driver{}, model: "claude-opus-5-5", usd: 8480, turns: true, sessions: true},
	{driver: codex.Driver{}, model: "fake-model", sessions: true},
	{driver: opencode.Driver{}, model: "fake-model", sessions: true},
	{driver: gemini.Driver{}, model: "gemini-2.5-pro", turns: true, sessions: true},
	{driver: dsh.Driver{}, model: "deepseek-v4-pro", node: "bin"},
}

func peerOf(name string) peer {
	for _, p := range peers {
		if p.driver.Name() == name {
			return p
		}
	}
	panic("no peer " + name)
}

// bin is the folder of the installed CLI, "" if there is none.
func (p peer) bin() (root, bin string) {
	root = filepath.Join(os.Getenv(peersVar), p.driver.Name())
	bin = filepath.Join(root, "node_modules", ".bin")
	if _, err := os.Stat(filepath.Join(bin, p.driver.Program())); err != nil || os.Getenv(peersVar) == "" {
		return "", ""
	}
	return root, bin
}

// each runs a test with every peer that is installed.
func each(t *testing.T, test func(t *testing.T, p peer)) {
	t.Helper()
	for _, p := range peers {
		t.Run(p.driver.Name(), func(t *testing.T) {
			if _, bin := p.bin(); bin == "" {
				text := fmt.Sprintf("%s is not installed in $%s; scripts/peers.sh installs it", p.driver.Name(), peersVar)
				if os.Getenv(requiredVar) == "1" {
					t.Fatal(text)
				}
				t.Skip(text)
			}
			t.Parallel()
			test(t, p)
		})
	}
}

// A launch is one run of a peer. It can be written as JSON, for an engine.
type launch struct {
	Peer   string
	Server string // of the scripted model, host:port
	Prompt string
	Config string // host folder
	Work   string // host folder
	Mark   string // NAME=value in the environment of all it starts
	Resume string
	Turns  int
	Loose  bool // as if nothing contained it
	Wall   time.Duration
}

// prepare makes the folders of a launch.
func prepare(t *testing.T, p peer, server, prompt string) launch {
	t.Helper()
	work := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", work).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	return launch{Peer: p.driver.Name(), Server: server, Prompt: prompt, Config: t.TempDir(), Work: work,
		Mark: "AGENTTEST_MARK=" + t.TempDir(), Wall: 5 * time.Minute}
}

func (l launch) task(box sandbox.Sandbox, c *sandbox.Command) agent.Task {
	p := peerOf(l.Peer)
	provider := p.driver.Provider()
	if provider == "" {
		provider = clade.ProviderOpenAI
	}
	return agent.Task{
		Prompt: l.Prompt, Model: p.model, Config: sandbox.Lend(box, c, l.Config, "agent"), Dir: box.Work(), Contained: !l.Loose,
		Access: agent.Access{Provider: provider, BaseURL: "http://" + l.Server, Key: agenttest.Key}, Resume: l.Resume, Turns: l.Turns,
	}
}

// run runs a launch to its end.
func (l launch) run(ctx context.Context, box sandbox.Sandbox) (agent.Report, sandbox.Result, error) {
	p := peerOf(l.Peer)
	root, bin := p.bin()
	c := sandbox.Command{Dir: box.Work(), Gateways: []string{l.Server}, Readable: []string{root}, Limits: sandbox.Limits{Wall: l.Wall}}
	task := l.task(box, &c)
	c.Mounts = append(c.Mounts, sandbox.Mount{Kind: sandbox.MountBind, Source: l.Work, Target: box.Work()})
	inv, err := p.driver.Invoke(task)
	if err != nil {
		return agent.Report{}, sandbox.Result{}, err
	}
	for name, text := range inv.Files {
		file := filepath.Join(l.Config, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return agent.Report{}, sandbox.Result{}, err
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return agent.Report{}, sandbox.Result{}, err
		}
	}
	path := bin
	if p.node != "" {
		path += ":" + filepath.Join(root, p.node)
	}
	mark, value, _ := strings.Cut(l.Mark, "=")
	base := append(sandbox.Basics(os.LookupEnv), "HOME="+box.Home(), "PATH="+path+":"+os.Getenv("PATH"), mark+"="+value)
	c.Args, c.Env, c.Stdin = inv.Args, sandbox.Environ(clade.Command{Env: inv.Env}, base, os.LookupEnv), strings.NewReader(inv.Stdin)
	r, err := box.Run(ctx, c)
	if err != nil {
		return agent.Report{}, r, err
	}
	return p.driver.Read(task, r, l.Config), r, nil
}

// done runs a launch and checks what holds of every report.
func done(t *testing.T, box sandbox.Sandbox, l launch) (agent.Report, sandbox.Result) {
	t.Helper()
	begun := time.Now()
	rep, r, err := l.run(t.Context(), box)
	if err != nil {
		t.Fatal(err)
	}
	agenttest.Bounded(t, rep)
	t.Logf("%s: %s after %v, %+v", l.Peer, rep.End, time.Since(begun).Round(time.Millisecond), rep.Spent)
	if t.Failed() || testing.Verbose() {
		t.Logf("detail %q\nexit %d %s\n%s", rep.Detail, r.Exit, r.Signal, r.Excerpt(4<<10, nil))
	}
	return rep, r
}

func open(t *testing.T) sandbox.Sandbox {
	t.Helper()
	box, err := namespace.New(namespace.Options{})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	return box
}

// serve starts the scripted model and returns its host and port.
func serve(t *testing.T, s *modeltest.Script) (*modeltest.Server, string) {
	t.Helper()
	srv, err := modeltest.New(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	url, err := srv.Start(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return srv, strings.TrimPrefix(url, "http://")
}

// engine is what a killed process was about.
func engine(spec string) {
	var l launch
	if err := json.Unmarshal([]byte(spec), &l); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	box, err := namespace.New(namespace.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	rep, r, err := l.run(context.Background(), box)
	fmt.Fprintf(os.Stderr, "%+v\n%s\n%v\n", rep, r.Excerpt(4<<10, nil), err)
	runtime.KeepAlive(box)
	os.Exit(4)
}
