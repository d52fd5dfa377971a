package custom_test

import (
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent/agenttest"
	"github.com/cladehq/clade/internal/agent/custom"
	"github.com/cladehq/clade/internal/sandbox"
)

func TestDriver(t *testing.T) { agenttest.Run(t, custom.New([]string{"my-agent", "--quick"}), false) }

func TestTranscripts(t *testing.T) {
	agenttest.Transcripts(t, custom.New([]string{"my-agent", "--quick"}))
}

func FuzzRead(f *testing.F) { agenttest.Fuzz(f, custom.New([]string{"my-agent", "--quick"})) }

// I3a: what a program cannot have spent, it has not said.
func TestAbsurdSpendingIsNone(t *testing.T) {
	t.Parallel()
	d := custom.New([]string{"my-agent"})
	for said, want := range map[string]clade.Amount{
		`{"usd":0.25,"tokens":300,"calls":2}`: {Microdollars: 250_000, Tokens: 300, Calls: 2},
		`{"usd":-1,"tokens":300,"calls":2}`:   {Tokens: 300, Calls: 2, Unknown: true},
		`{"usd":1e300}`:                       {Unknown: true},
		`{"usd":0.25,"tokens":-300}`:          {Microdollars: 250_000, Unknown: true},
		`{"usd":0.25,"calls":1e18}`:           {Microdollars: 250_000, Unknown: true},
	} {
		line := []byte(`{"spent":` + said + `}`)
		rep := d.Read(agenttest.Task(d), sandbox.Result{Stdout: sandbox.Stream{Head: line, Size: int64(len(line))}}, t.TempDir())
		if rep.Spent != want {
			t.Errorf("%s: %+v, want %+v", said, rep.Spent, want)
		}
	}
}
