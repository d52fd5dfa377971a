package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/cladehq/clade"
)

// Exit codes. docs/exit-codes.md is made from Codes.
const (
	exitOK       = 0
	exitInternal = 1
	exitUsage    = 2
)

// A Code is one exit code, as documented.
type Code struct {
	Code  int         `json:"code"`
	Fault clade.Fault `json:"fault,omitempty"`
	Text  string      `json:"text"`
}

// Codes lists every exit code: one table for every command.
var Codes = []Code{
	{exitOK, "", "done; for a search: a winner was proved"},
	{exitInternal, "", "a fault of clade itself; please report it"},
	{exitUsage, clade.FaultUsage, "the command line is wrong, or asks for what this run cannot do"},
	{3, clade.FaultSpec, "a spec, a dataset or another input file is wrong"},
	{4, clade.FaultNotFound, "no such run, candidate or file"},
	{5, clade.FaultNoWinner, "the search ended and no candidate proved to be better than the base"},
	{6, clade.FaultBaseline, "the base fails its own gates, or the evaluator cannot be trusted"},
	{7, clade.FaultBusy, "another process holds the run or the target"},
	{8, clade.FaultConflict, "the target is dirty, has moved on, or is in the middle of something; nothing was changed"},
	{9, clade.FaultEnvironment, "a program is missing, the disk is full, a folder cannot be written, or infrastructure failed"},
	{10, clade.FaultBudget, "the budget or the design of the final does not bear what was asked"},
	{11, clade.FaultCorrupt, "stored state cannot be read; nothing was deleted"},
	{130, clade.FaultInterrupted, "interrupted or cancelled; clade resume goes on"},
}

func codeOf(err error) int {
	if err == nil {
		return exitOK
	}
	fault := clade.FaultOf(err)
	for _, c := range Codes {
		if c.Fault != "" && c.Fault == fault {
			return c.Code
		}
	}
	return exitInternal
}

// ofMachine names what the machine refused, wherever in clade it was met: that
// is no fault of clade.
func ofMachine(err error) error {
	if clade.FaultOf(err) != "" {
		return err
	}
	p := &clade.Problem{Fault: clade.FaultEnvironment, Err: err}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		p.Text, p.Hint = "the disk is full", "free some space; a run that was interrupted goes on with clade resume"
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		p.Text, p.Hint = "a file or folder cannot be used", "clade doctor shows the folders that clade keeps things in"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		p.Text, p.Hint = "too many files are open", "raise the limit (ulimit -n), or use fewer --slots"
	default:
		return err
	}
	return p
}

// explain prints an error for a person: what, where, how to mend it. Joined
// errors are printed one after the other.
func explain(w io.Writer, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			explain(w, e)
		}
		return
	}
	fmt.Fprintf(w, "clade: %s\n", printable(strings.TrimSpace(err.Error())))
	var p *clade.Problem
	if errors.As(err, &p) && p.Hint != "" {
		fmt.Fprintf(w, "  → %s\n", p.Hint)
	}
}

// failure is an error as JSON.
type failure struct {
	Error string      `json:"error"`
	Fault clade.Fault `json:"fault,omitempty"`
	Where string      `json:"where,omitempty"`
	Hint  string      `json:"hint,omitempty"`
	Code  int         `json:"exit_code"`
}

func failureOf(err error) failure {
	f := failure{Error: err.Error(), Fault: clade.FaultOf(err), Code: codeOf(err)}
	var p *clade.Problem
	if errors.As(err, &p) {
		f.Where, f.Hint = p.Where, p.Hint
	}
	return f
}
