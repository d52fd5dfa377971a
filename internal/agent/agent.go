// Package agent declares how a coding-agent CLI is driven without a terminal:
// what to execute, how to tell what became of it, and what it used. Each child
// is one CLI. Proposers, rollouts and reviewers share it. It runs nothing
// itself; see propose/agent.
package agent

import (
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/sandbox"
)

// A Task is one headless run.
type Task struct {
	Prompt string
	Model  string // what the provider calls it; "": the CLI's own choice
	// Access is how the model is reached. The zero value leaves that to the
	// CLI and the variables it is passed.
	Access Access
	// Config is a folder for the CLI's configuration and sessions, as the
	// command sees it: new, empty, writable, outside the workspace and not below
	// a temporary folder. Whatever the user has configured is not seen.
	Config string
	Dir    string // the folder it works in, as it sees it
	// Contained says that an isolation of clade's is around the CLI, which then
	// needs none of its own.
	Contained bool
	Resume    string // session to go on with, "": a new one
	// Most is the money the run may use, for CLIs that can be told; 0: no cap.
	Most  clade.Microdollars
	Turns int // most rounds of tool calls, for CLIs that can be told; 0: no cap
	// Network says that the run is not cut off; a CLI that is keeps quiet about
	// updates and telemetry either way.
	Network bool
}

// Access is where a model is.
type Access struct {
	Provider string // clade.ProviderOpenAI, …; "": the CLI's own
	BaseURL  string // without a version path
	Key      string
}

// An Invocation is what to execute for a task.
type Invocation struct {
	Args  []string
	Env   map[string]string // beside sandbox.Basics; HOME and TMPDIR are the workspace's
	Stdin string
	// Files are written below Task.Config before the run, by slash-separated
	// path, readable only by the user.
	Files map[string]string
	// Silent says that the CLI prints nothing before its end, so that no clock
	// but the wall's tells whether it hangs.
	Silent bool
}

// An End is what became of a run, judged by what the CLI reported, not by its
// exit status.
type End string

const (
	EndDone      End = "done"         // it worked to its end; whether it changed anything is for the work tree to say
	EndSignedOut End = "signed-out"   // no login, no key, a refused or empty one, or no such model
	EndRate      End = "rate-limited" // the service would not serve it for now
	EndService   End = "service"      // the service failed or could not be reached
	EndRefused   End = "refused"      // the model would not do it
	EndLimit     End = "limit"        // a cap of turns, money or tokens ended it
	EndHung      End = "hung"         // a clock ended it
	EndMissing   End = "missing"      // the program is not there
	EndFailed    End = "failed"       // anything else
)

// Class is how an attempt fails whose agent ended so; clade.OK for EndDone and
// EndLimit, whose work tree counts.
func (e End) Class() clade.Class {
	switch e {
	case EndDone, EndLimit:
		return clade.OK
	case EndSignedOut, EndMissing:
		return clade.ClassAccess
	case EndRate, EndService:
		return clade.ClassModel
	}
	return clade.ClassOperator
}

// A Report is what a run said of itself.
type Report struct {
	End    End
	Detail string // for people, in a few lines; "" for EndDone
	Text   string // the final message
	// Spent is what the CLI says it used, Unknown where it does not say money.
	// Calls counts turns where nothing better is known.
	Spent clade.Amount
	// Session is what Task.Resume takes, "" where the CLI has none.
	Session string
	// Total says that money and tokens of Spent are the whole session's, resumed
	// runs included. Calls are always this run's.
	Total bool
}

// A Driver knows one CLI. It is stateless and safe for concurrent use.
type Driver interface {
	// Name is the canonical name, one of Names.
	Name() string
	// Provider is the wire the CLI speaks when it is given an Access; "" is any.
	Provider() string
	// Program is the executable looked for on PATH.
	Program() string
	// Keys are variables of the user's environment by which the CLI signs in
	// when it has no Access.
	Keys() []string
	// Invoke says what to execute. It does no I/O.
	Invoke(t Task) (Invocation, error)
	// Read tells what became of a run. config is the host's path of Task.Config,
	// where session files lie; nothing in it is trusted.
	Read(t Task, r sandbox.Result, config string) Report
}

// Idle is how long a CLI may print nothing unless the spec says otherwise.
const Idle = 10 * time.Minute
