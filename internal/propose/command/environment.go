package command

import (
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/propose"
)

// environment is all that the program sees but for what its scope adds.
func (o *Operator) environment(r propose.Request) []string {
	env := map[string]string{"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
	pass := []string{"PATH"}
	if runtime.GOOS == "windows" {
		pass = append(pass, "SystemRoot", "ComSpec", "PATHEXT")
	}
	for _, name := range append(pass, o.spec.Pass...) {
		if v, ok := o.lookup(name); ok {
			env[name] = v
		}
	}
	maps.Copy(env, o.spec.Env)
	maps.Copy(env, map[string]string{
		"CLADE_PROTOCOL": strconv.Itoa(Version),
		"CLADE_OPERATOR": o.name(),
		"CLADE_ATTEMPT":  strconv.Itoa(int(r.Attempt.ID)),
		"CLADE_TRY":      strconv.Itoa(r.Try),
		"CLADE_DRAW":     strconv.FormatUint(r.Draw, 10),
		"CLADE_REPLY":    replyFile,
	})
	out := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}

// hide replaces the values of variables that were passed through, which may be
// keys, by their names.
func (o *Operator) hide(text string) string {
	const shortest = 8 // shorter values are no keys, and occur in any text
	for _, name := range o.spec.Pass {
		if v, ok := o.lookup(name); ok && len(v) >= shortest {
			text = strings.ReplaceAll(text, v, "["+name+"]")
		}
	}
	return text
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
