//go:build peers && linux

package agenttest_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/agent/agenttest"
	"github.com/cladehq/clade/internal/llm/modeltest"
)

// twoAnswers is what the script's two answers use: 800 tokens of fresh input, 200
// cached and 50 of output each.
const twoAnswers = 2 * (800 + 200 + 50)

func script() *modeltest.Script {
	always := func(f modeltest.Fail) []modeltest.Step { return []modeltest.Step{{Fail: &f}} }
	return &modeltest.Script{
		Usage: modeltest.Usage{Input: 1000, Cached: 200, Output: 50},
		Rules: []modeltest.Rule{
			{Match: "status 400", Steps: always(modeltest.Fail{Status: 400})},
			{Match: "status 401", Steps: always(modeltest.Fail{Status: 401})},
			{Match: "status 429", Steps: always(modeltest.Fail{Status: 429, RetryAfter: "1"})},
			{Match: "status 500", Steps: always(modeltest.Fail{Status: 500, RetryAfter: "1"})},
			{Match: "busy once", Steps: []modeltest.Step{
				{Fail: &modeltest.Fail{Status: 429, Times: 1, RetryAfter: "1"}, Write: &modeltest.WriteFile{Path: "hello.txt", Content: "hello\n"}},
				{Text: "Done."},
			}},
			{Match: "cut", Steps: []modeltest.Step{{Cut: true}}},
			{Match: "silence", Steps: []modeltest.Step{{Hang: modeltest.Duration(10 * time.Minute)}}},
			{Match: "for ever", Loop: true, Steps: []modeltest.Step{{Bash: "true"}}},
			{Match: "outside", Steps: []modeltest.Step{{Write: &modeltest.WriteFile{Path: "/usr/local/outside", Content: "x\n"}}, {Text: "Tried."}}},
			{Match: "look", Steps: []modeltest.Step{{Bash: "env > seen.txt"}, {Text: "Looked."}}},
			{Match: "leave", Steps: []modeltest.Step{{Bash: "setsid sh -c 'echo up > pipe; sleep 1000' </dev/null >/dev/null 2>&1 & read up < pipe"}, {Text: "Left."}}},
			{Match: "stay", Steps: []modeltest.Step{{Bash: "setsid sh -c 'echo up > pipe; sleep 1000' & sh -c 'echo up > pipe; sleep 1000'"}, {Text: "Stayed."}}},
		},
		Default: []modeltest.Step{
			{Text: "Writing the file.", Write: &modeltest.WriteFile{Path: "hello.txt", Content: "hello\n"}},
			{Text: "Done: hello.txt is there."},
		},
	}
}

// A file is edited, and what was used and said is read.
func TestPeersEdit(t *testing.T) {
	box := open(t)
	srv, addr := serve(t, script())
	each(t, func(t *testing.T, p peer) {
		l := prepare(t, p, addr, "Write the file, "+p.driver.Name())
		rep, r := done(t, box, l)
		if got, _ := os.ReadFile(filepath.Join(l.Work, "hello.txt")); string(got) != "hello\n" || rep.End != agent.EndDone || !r.OK() {
			t.Errorf("wrote %q, ended %s", got, rep.End)
		}
		want := clade.Amount{Tokens: twoAnswers, Calls: 2, Microdollars: p.usd, Unknown: p.usd == 0}
		if rep.Spent != want || rep.Text != "Done: hello.txt is there." || (rep.Session != "") != p.sessions {
			t.Errorf("spent %+v, want %+v; said %q; session %q", rep.Spent, want, rep.Text, rep.Session)
		}
		asked := 0
		for _, e := range srv.Log() {
			if e.Step != "aux" && strings.Contains(e.Prompt, p.driver.Name()) {
				asked++
				if !strings.HasPrefix(e.Prompt, l.Prompt) || e.Model != p.model { // dsh puts more behind it
					t.Errorf("asked %s for %q", e.Model, e.Prompt)
				}
			}
		}
		if asked != 2 {
			t.Errorf("asked %d times", asked)
		}
		keyless(t, l.Work)
		keyless(t, l.Config)
	})
}

// keyless checks that no file below dir holds the key.
func keyless(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(agenttest.Key)) {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// F47: each failure of a service ends in bounded time as what it was, and costs
// nothing, but for a stream that is cut: whether the CLI saw what its beginning says
// it used depends on how soon the connection broke.
func TestPeersFailures(t *testing.T) {
	box := open(t)
	_, addr := serve(t, script())
	for prompt, want := range map[string]agent.End{
		"status 400": agent.EndFailed,
		"status 401": agent.EndSignedOut,
		"status 429": agent.EndRate,
		"status 500": agent.EndService,
		"cut":        agent.EndService,
		"silence":    agent.EndHung,
	} {
		t.Run(strings.ReplaceAll(prompt, " ", "-"), func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, p peer) {
				l := prepare(t, p, addr, prompt)
				if want == agent.EndHung {
					l.Wall = 10 * time.Second
				}
				rep, _ := done(t, box, l)
				if rep.End != want || rep.Detail == "" || rep.Spent.Microdollars != 0 && prompt != "cut" {
					t.Errorf("ended %s, want %s; spent %+v; %q", rep.End, want, rep.Spent, rep.Detail)
				}
			})
		})
	}
}

// A service that is busy once is asked again.
func TestPeersAskAgain(t *testing.T) {
	box := open(t)
	_, addr := serve(t, script())
	each(t, func(t *testing.T, p peer) {
		l := prepare(t, p, addr, "busy once, "+p.driver.Name())
		rep, _ := done(t, box, l)
		if _, err := os.Stat(filepath.Join(l.Work, "hello.txt")); err != nil || rep.End != agent.EndDone {
			t.Errorf("ended %s, %v", rep.End, err)
		}
	})
}

// A run that goes on with a session reports this run, or says that it does not.
func TestPeersResume(t *testing.T) {
	box := open(t)
	_, addr := serve(t, script())
	each(t, func(t *testing.T, p peer) {
		if !p.sessions {
			t.Skip("it has no sessions to go on with")
		}
		l := prepare(t, p, addr, "Write the file")
		first, _ := done(t, box, l)
		l.Resume, l.Prompt = first.Session, "Write it again"
		second, _ := done(t, box, l)
		want := int64(twoAnswers)
		if second.Total {
			want *= 2
		}
		if second.End != agent.EndDone || second.Spent.Tokens != want || second.Session != first.Session || second.Spent.Microdollars != p.usd {
			t.Errorf("first %+v\nsecond %+v, want %d tokens", first, second, want)
		}
	})
}

// A cap of rounds ends a model that never does.
func TestPeersTurns(t *testing.T) {
	box := open(t)
	_, addr := serve(t, script())
	each(t, func(t *testing.T, p peer) {
		if !p.turns {
			t.Skip("it cannot be told")
		}
		l := prepare(t, p, addr, "go on for ever")
		l.Turns = 3
		rep, _ := done(t, box, l)
		if rep.End != agent.EndLimit || rep.Spent.Tokens != 3*twoAnswers/2 {
			t.Errorf("ended %s; spent %+v", rep.End, rep.Spent)
		}
	})
}

// Where nothing contains it, a CLI edits its folder and nothing else.
func TestPeersLoose(t *testing.T) {
	box := open(t)
	_, addr := serve(t, script())
	each(t, func(t *testing.T, p peer) {
		l := prepare(t, p, addr, "Write the file")
		l.Loose = true
		rep, _ := done(t, box, l)
		if got, _ := os.ReadFile(filepath.Join(l.Work, "hello.txt")); string(got) != "hello\n" || rep.End != agent.EndDone {
			t.Errorf("wrote %q, ended %s", got, rep.End)
		}
	})
}

// Codex and dsh keep the key from the commands that the model runs; the others
// are known not to, which docs/agents.md says.
func TestPeersKeyInCommands(t *testing.T) {
	box := open(t)
	_, addr := serve(t, script())
	shown := map[string]bool{clade.HostClaude: true, clade.HostOpenCode: true, clade.HostGemini: true}
	each(t, func(t *testing.T, p peer) {
		l := prepare(t, p, addr, "look")
		done(t, box, l)
		seen, err := os.ReadFile(filepath.Join(l.Work, "seen.txt"))
		if err != nil || bytes.Contains(seen, []byte(agenttest.Key)) != shown[p.driver.Name()] {
			t.Errorf("a command saw the key: %v; %v", !shown[p.driver.Name()], err)
		}
	})
}
