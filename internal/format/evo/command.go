package evo

import (
	"fmt"
	"slices"
	"strings"
)

// Fill puts the two paths that commands may name into a command. Nothing else
// in braces is touched.
func Fill(command, target, worktree string) string {
	return strings.NewReplacer("{target}", target, "{worktree}", worktree).Replace(command)
}

// Prefixed is a command with the prefix of the runtime recipe.
func (c *Config) Prefixed(command string) string {
	if c.Runtime == nil || strings.TrimSpace(c.Runtime.Prefix) == "" {
		return command
	}
	return strings.TrimSpace(c.Runtime.Prefix) + " " + command
}

// A Place is what a benchmark is told through its environment. All paths are
// absolute.
type Place struct {
	Experiment  string
	Attempt     string // "2", or CheckLabel
	Worktree    string
	Traces      string
	Result      string
	Checkpoints string
	Seed        string // an artifact to begin with, "" for none
}

// CheckLabel is what the n-th check is called where attempts have a number.
func CheckLabel(n int) string { return fmt.Sprintf("check-%03d", n) }

// Env is the environment of a benchmark: env with what it is told. A variable
// that is given twice has its last value.
func (p Place) Env(env []string) []string {
	out := append(GateEnv(env),
		"EVO_TRACES_DIR="+p.Traces, "EVO_WORKTREE="+p.Worktree, "EVO_EXPERIMENT_ID="+p.Experiment,
		"EVO_ATTEMPT="+p.Attempt, "EVO_RESULT_PATH="+p.Result, "EVO_CHECKPOINT_DIR="+p.Checkpoints)
	if p.Seed != "" {
		out = append(out, "EVO_SEED_ARTIFACT="+p.Seed, "EVO_PARENT_POLICY="+p.Seed)
	}
	return out
}

// GateEnv is the environment of gates and hooks: env without any EVO_ variable,
// so that a gate that reports like a benchmark cannot publish a result.
func GateEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, "EVO_") })
}

// A Var is a variable of a dotenv file.
type Var struct{ Name, Value string }

// ParseDotenv reads a dotenv file, in its order: NAME=VALUE, with export before
// it or not. In single quotes nothing is special, in double quotes escapes are,
// and without quotes a # after a space begins a comment. Other lines are skipped.
func ParseDotenv(data string) []Var {
	var out []Var
	for line := range strings.Lines(data) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "export "); ok {
			line = strings.TrimSpace(rest)
		}
		name, value, ok := strings.Cut(line, "=")
		name = strings.TrimSpace(name)
		if !ok || !isVariable(name) {
			continue
		}
		out = append(out, Var{name, dotenvValue(strings.TrimSpace(value))})
	}
	return out
}

func isVariable(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

func dotenvValue(v string) string {
	switch {
	case len(v) > 1 && v[0] == '\'' && v[len(v)-1] == '\'':
		return v[1 : len(v)-1]
	case len(v) > 1 && v[0] == '"' && v[len(v)-1] == '"':
		return unescaped(v[1 : len(v)-1])
	}
	for i := range len(v) {
		if v[i] == '#' && i > 0 && (v[i-1] == ' ' || v[i-1] == '\t') {
			return strings.TrimRight(v[:i], " \t")
		}
	}
	return v
}

// unescaped resolves \n, \r, \t, \", \', \\ and \$; other backslashes stay.
// Characters beyond ASCII are what they are.
func unescaped(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch at := strings.IndexByte(`nrt"'\$`, s[i]); {
		case at < 0:
			b.WriteByte('\\')
			b.WriteByte(s[i])
		default:
			b.WriteByte("\n\r\t\"'\\$"[at])
		}
	}
	return b.String()
}
