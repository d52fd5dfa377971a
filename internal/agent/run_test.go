package agent_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/llm"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/none"
)

// scripted is a driver of a shell script that says nothing of itself.
type scripted struct {
	script string
	silent bool
	end    agent.End
	spent  clade.Amount
}

func (scripted) Name() string     { return "scripted" }
func (scripted) Provider() string { return "" }
func (scripted) Program() string  { return "sh" }
func (scripted) Keys() []string   { return nil }
func (d scripted) Invoke(t agent.Task) (agent.Invocation, error) {
	return agent.Invocation{Args: []string{"sh", "-c", d.script}, Stdin: t.Prompt, Silent: d.silent,
		Env: map[string]string{"KEY": t.Access.Key, "URL": t.Access.BaseURL}, Files: map[string]string{"a/b.conf": "x"}}, nil
}
func (d scripted) Read(agent.Task, sandbox.Result, string) agent.Report {
	return agent.Report{End: d.end, Spent: d.spent, Text: "used session-key"}
}

// folder is a scope over a plain folder.
type folder string

func (f folder) Enter(c *sandbox.Command, _ string)             { c.Dir = string(f) }
func (folder) Changes(context.Context) ([]ledger.Change, error) { return nil, nil }
func (folder) ReadFile(string, int64) ([]byte, error)           { return nil, os.ErrNotExist }
func (folder) Close() error                                     { return nil }

// gateway gives sessions that metered what it is told.
type gateway struct {
	metered llm.Metered
	refuse  *llm.Error
	cap     llm.Cap
	closed  int
}

func (g *gateway) Open(_ clade.Model, c llm.Cap) (llm.Session, error) {
	if g.refuse != nil {
		return nil, g.refuse
	}
	g.cap = c
	return session{g}, nil
}
func (*gateway) Close() error { return nil }

type session struct{ g *gateway }

func (session) Address() string { return "127.0.0.1:1" }
func (session) BaseURL() string { return "http://127.0.0.1:1/s" }
func (session) Key() string     { return "session-key" }
func (s session) Close() llm.Metered {
	s.g.closed++
	return s.g.metered
}

func runner(t *testing.T, d scripted, g *gateway) *agent.Runner {
	t.Helper()
	box, err := none.New(none.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := &agent.Runner{Driver: d, Box: box, Lookup: os.LookupEnv, Scratch: t.TempDir(), Command: clade.Command{Timeout: clade.Duration(20 * time.Second)}}
	if g != nil {
		r.Gateway, r.Model = g, &clade.Model{Name: "m", Provider: clade.ProviderOpenAI, Price: &clade.Price{Input: 1}}
	}
	return r
}

// What passed through the gateway is believed before what the CLI says, of money
// and of its end.
func TestTheGatewayIsBelieved(t *testing.T) {
	t.Parallel()
	limit := llm.Error{Kind: llm.KindRate, Status: 429, Text: "slow down"}
	short := llm.Error{Kind: llm.KindBudget, Text: "the cap does not bear it"}
	silent := llm.Error{Kind: llm.KindNetwork, Text: "the service had not replied"}
	metered := clade.Amount{Microdollars: 300, Tokens: 30, Calls: 3}
	for name, c := range map[string]struct {
		d     scripted
		g     *gateway
		end   agent.End
		spent clade.Amount
	}{
		"no gateway":         {scripted{end: agent.EndDone, spent: clade.Amount{Microdollars: 5}}, nil, agent.EndDone, clade.Amount{Microdollars: 5}},
		"metered":            {scripted{end: agent.EndDone, spent: clade.Amount{Microdollars: 5}}, &gateway{metered: llm.Metered{Spent: metered}}, agent.EndDone, metered},
		"failed by a 429":    {scripted{end: agent.EndFailed}, &gateway{metered: llm.Metered{Spent: metered, Last: &limit}}, agent.EndRate, metered},
		"done after a 429":   {scripted{end: agent.EndDone}, &gateway{metered: llm.Metered{Spent: metered, Last: &limit}}, agent.EndDone, metered},
		"the cap refused it": {scripted{end: agent.EndFailed}, &gateway{metered: llm.Metered{Spent: metered, Refused: 2}}, agent.EndLimit, metered},
		// The gateway refuses as a service does whose account is empty.
		"refused, as a quota":   {scripted{end: agent.EndRate}, &gateway{metered: llm.Metered{Spent: metered, Refused: 2, Last: &short}}, agent.EndLimit, metered},
		"refused, as a key":     {scripted{end: agent.EndSignedOut}, &gateway{metered: llm.Metered{Spent: metered, Refused: 1, Last: &short}}, agent.EndLimit, metered},
		"refused, then limited": {scripted{end: agent.EndRate}, &gateway{metered: llm.Metered{Spent: metered, Refused: 1, Last: &limit}}, agent.EndRate, metered},
		"hung after it":         {scripted{end: agent.EndHung}, &gateway{metered: llm.Metered{Spent: metered, Refused: 1, Last: &short}}, agent.EndHung, metered},
		"the service is silent": {scripted{end: agent.EndHung}, &gateway{metered: llm.Metered{Spent: metered, Last: &silent}}, agent.EndService, metered},
		"it answered before":    {scripted{end: agent.EndHung}, &gateway{metered: llm.Metered{Spent: metered, Last: &silent, Usage: llm.Usage{Output: 9}}}, agent.EndHung, metered},
		"no key":                {scripted{end: agent.EndDone}, &gateway{refuse: &llm.Error{Kind: llm.KindAccess, Text: "X is not set"}}, agent.EndSignedOut, clade.Amount{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := runner(t, c.d, c.g)
			run, err := r.Run(t.Context(), agent.Job{Scope: folder(t.TempDir()), Cap: llm.Cap{Microdollars: 900}})
			if err != nil || run.End != c.end || run.Spent != c.spent || strings.Contains(run.Text, "session-key") && c.g != nil {
				t.Errorf("%+v, %v", run, err)
			}
			if c.g != nil && c.g.refuse == nil && (c.g.cap.Microdollars != 900 || c.g.closed == 0) {
				t.Errorf("session %+v", c.g)
			}
			if left, _ := os.ReadDir(r.Scratch); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// I3b: what a CLI that is not metered does not say is counted at what it was let,
// of each kind that is capped.
func TestUnsaidIsAllThatWasLet(t *testing.T) {
	t.Parallel()
	money, words := llm.Cap{Microdollars: 900}, llm.Cap{Tokens: 5000, Calls: 40}
	for name, c := range map[string]struct {
		d    scripted
		most llm.Cap
		want clade.Amount
	}{
		"nothing":            {scripted{end: agent.EndDone, spent: clade.Amount{Unknown: true}}, words, clade.Amount{Tokens: 5000, Calls: 40, Unknown: true, Assumed: true}},
		"no money":           {scripted{end: agent.EndDone, spent: clade.Amount{Tokens: 7, Calls: 2, Unknown: true}}, money, clade.Amount{Microdollars: 900, Tokens: 7, Calls: 2, Unknown: true, Assumed: true}},
		"money alone":        {scripted{end: agent.EndHung, spent: clade.Amount{Microdollars: 5}}, words, clade.Amount{Microdollars: 5, Tokens: 5000, Calls: 40, Assumed: true}},
		"no calls":           {scripted{end: agent.EndFailed, spent: clade.Amount{Tokens: 9}}, words, clade.Amount{Tokens: 9, Calls: 40, Assumed: true}},
		"nothing is capped":  {scripted{end: agent.EndDone, spent: clade.Amount{Unknown: true}}, llm.Cap{}, clade.Amount{Unknown: true}},
		"it is not there":    {scripted{end: agent.EndMissing, spent: clade.Amount{Unknown: true}}, words, clade.Amount{}},
		"it was not let in":  {scripted{end: agent.EndSignedOut, spent: clade.Amount{Calls: 1}}, words, clade.Amount{Calls: 1}},
		"it was, for a time": {scripted{end: agent.EndSignedOut, spent: clade.Amount{Calls: 3}}, words, clade.Amount{Tokens: 5000, Calls: 3, Assumed: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run, err := runner(t, c.d, nil).Run(t.Context(), agent.Job{Scope: folder(t.TempDir()), Cap: c.most})
			if err != nil || run.Spent != c.want {
				t.Errorf("%+v, %v; want %+v", run.Spent, err, c.want)
			}
		})
	}
}

// A CLI that prints nothing before its end is held to the wall clock alone.
func TestSilentCLIsAreNotIdle(t *testing.T) {
	t.Parallel()
	for _, silent := range []bool{true, false} {
		r := runner(t, scripted{script: "sleep 0.4", silent: silent, end: agent.EndDone}, nil)
		r.Idle = 50 * time.Millisecond
		run, err := r.Run(t.Context(), agent.Job{Scope: folder(t.TempDir())})
		want := agent.EndHung
		if silent {
			want = agent.EndDone
		}
		if err != nil || run.End != want {
			t.Errorf("silent %v: %+v, %v", silent, run, err)
		}
	}
}

// What a broken-off run cost is still counted.
func TestBrokenOffRunsCost(t *testing.T) {
	t.Parallel()
	metered := clade.Amount{Microdollars: 300, Calls: 1}
	ctx, stop := context.WithCancel(t.Context())
	r := runner(t, scripted{script: "echo begun; sleep 600"}, &gateway{metered: llm.Metered{Spent: metered}})
	run, err := r.Run(ctx, agent.Job{Scope: folder(t.TempDir()), Output: func(string) { stop() }})
	if err == nil || run.Spent != metered {
		t.Errorf("%+v, %v", run, err)
	}
}
