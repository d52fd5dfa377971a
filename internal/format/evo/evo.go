// Package evo reads and writes the files of evo's experiment tree (.evo/), knows
// its rules of results, traces, gates and lineage, and says what its command line
// says: status lines, errors, the scratchpad.
//
// Everything here is a pure function of bytes and values: no clock, no disk, no
// engine. The files are a projection of clade's log and are never read back as
// the truth; they are read to import what the real program left, 0.3 and 0.8
// alike. Every key that is not known survives a read and a write.
package evo

// Version is the version whose files, lines and exit codes these are.
const Version = "0.8.0"

// VersionLine is what --version prints: the name of the distribution tells the
// program from others that are called evo.
func VersionLine() string { return "evo-hq-cli " + Version }

// A Status is how far an experiment is.
type Status string

const (
	Root      Status = "root"      // the synthetic node that all descend from
	Pending   Status = "pending"   // has a workspace, was never run
	Active    Status = "active"    // is being run
	Committed Status = "committed" // kept
	Evaluated Status = "evaluated" // ran, and was not kept: run again, or discard
	Failed    Status = "failed"    // could not be evaluated
	Discarded Status = "discarded" // given up; its record stays
	Pruned    Status = "pruned"    // closed to branching, or no result at all
)

// Kinds of pruning.
const (
	Exhausted = "exhausted" // no more branches; the result stays eligible
	Invalid   = "invalid"   // it and all below it are no results
)

// Outcomes of an attempt.
const (
	OutcomeCommitted = "committed"
	OutcomeEvaluated = "evaluated"
	OutcomeFailed    = "failed"
)

// RootID is the id of the synthetic root.
const RootID = "root"

// DefaultMaxAttempts is how often an experiment may be evaluated without being
// kept, where the configuration does not say.
const DefaultMaxAttempts = 3

// LegacyTimeout is how many seconds an attempt may take where neither the command
// nor the configuration says.
const LegacyTimeout = 1800

// FailureClasses are what a discard may say went wrong.
func FailureClasses() []string { return []string{"build", "eval", "hypothesis"} }

// Hosts are the hosts that init knows, in the order that errors list them.
func Hosts() []string {
	return []string{"claude-code", "claude-science", "codex", "cursor", "generic", "hermes", "kimi", "openclaw", "opencode", "pi"}
}
