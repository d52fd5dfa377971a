package clade

import "errors"

// A Fault is a kind of problem a person can do something about. One table turns
// it into an exit code; see docs/exit-codes.md.
type Fault string

const (
	FaultUsage       Fault = "usage"       // the command line is wrong
	FaultSpec        Fault = "spec"        // a spec or another input file is wrong
	FaultNotFound    Fault = "not-found"   // no such run, candidate or file
	FaultBaseline    Fault = "baseline"    // the base fails its own gates or cannot be measured
	FaultNoWinner    Fault = "no-winner"   // the search ended without a proven improvement
	FaultBusy        Fault = "busy"        // another process holds the run
	FaultConflict    Fault = "conflict"    // the target has changed, is dirty or in the middle of something
	FaultEnvironment Fault = "environment" // a program is missing, the disk is full, no permission
	FaultBudget      Fault = "budget"      // the budget does not bear it
	FaultCorrupt     Fault = "corrupt"     // state cannot be read; nothing was deleted
	FaultInterrupted Fault = "interrupted"
)

// A Problem is an error for people: what, where and how to mend it.
type Problem struct {
	Fault Fault
	Text  string
	Where string // file:line:column, "" if nowhere
	Hint  string // how to mend it, "" if there is nothing to say
	Err   error  // cause, may be nil
}

func (p *Problem) Error() string {
	s := p.Text
	if p.Where != "" {
		s = p.Where + ": " + s
	}
	if p.Err != nil {
		s += ": " + p.Err.Error()
	}
	return s
}

func (p *Problem) Unwrap() error { return p.Err }

// FaultOf returns the fault of the first Problem in err's chain, or "".
func FaultOf(err error) Fault {
	var p *Problem
	if errors.As(err, &p) {
		return p.Fault
	}
	return ""
}
