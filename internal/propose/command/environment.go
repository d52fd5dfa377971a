package command

import (
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/sandbox"
)

// command is the program to run, in an environment of its own.
func (o *Operator) command(r propose.Request) sandbox.Command {
	spec := o.spec.Command
	spec.Env = maps.Clone(spec.Env)
	if spec.Env == nil {
		spec.Env = map[string]string{}
	}
	maps.Copy(spec.Env, map[string]string{
		"CLADE_PROTOCOL": strconv.Itoa(Version),
		"CLADE_OPERATOR": o.name(),
		"CLADE_ATTEMPT":  strconv.Itoa(int(r.Attempt.ID)),
		"CLADE_TRY":      strconv.Itoa(r.Try),
		"CLADE_DRAW":     strconv.FormatUint(r.Draw, 10),
		"CLADE_REPLY":    replyFile,
	})
	c := sandbox.Prepare(spec, r.Spec.Limits, sandbox.Basics(o.lookup), o.lookup)
	c.Args, c.Grace = o.args(), grace
	return c
}

// Check reports a program that is not there: a *clade.Problem of fault
// environment for an operator whose executable is not on PATH, and for one of
// use "command" whose argument list begins with a bare name that is not.
// Programs named by a path, which may lie in the workspace, and shell lines are
// not looked at. lookPath finds a program, as exec.LookPath does.
func Check(o clade.Operator, lookPath func(string) (string, error)) error {
	program := executable(o)
	if program == "" || strings.ContainsAny(program, `/\`) || filepath.IsAbs(program) {
		return nil
	}
	if _, err := lookPath(program); err != nil {
		hint := fmt.Sprintf("install %s, or put the folder it is in on PATH", program)
		return &clade.Problem{Fault: clade.FaultEnvironment, Text: missing(o, program), Hint: hint}
	}
	return nil
}

// executable is the program an operator starts, "" for a shell line.
func executable(o clade.Operator) string {
	switch {
	case o.Use != "command":
		return "clade-operator-" + o.Use
	case len(o.Argv) > 0:
		return o.Argv[0]
	}
	return ""
}

func missing(o clade.Operator, program string) string {
	return fmt.Sprintf("operator %s needs the program %s, which is not on PATH", nameOf(o), program)
}
