package evo

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/policy/frontier"
)

// A Field is a setting that config get and set know.
type Field struct {
	Name string // there: "max-attempts"
	Key  string // in config.json: "max_attempts"
}

// Fields are all of them.
func Fields() []Field {
	var out []Field
	for _, name := range []string{"project-name", "target", "benchmark", "metric", "commit-strategy", "max-attempts", "gate", "frontier-strategy",
		"default-autonomous", "default-subagents-only", "per-exp-timeout", "default-orchestrator", "task-skills"} {
		out = append(out, Field{name, strings.ReplaceAll(name, "-", "_")})
	}
	return out
}

// Get is the value of a field, null or none where it is not set. ok is false for a name
// that is no field.
func (c *Config) Get(name string) (v Value, ok bool) {
	for _, f := range Fields() {
		if f.Name == name {
			return encode(c).Get(f.Key).Sorted(), true
		}
	}
	return Value{}, false
}

// Shown is a value as config get prints it: text as it is, nothing for null, and
// JSON for lists and mappings.
func Shown(v Value) string {
	switch v.kind {
	case none, null:
		return ""
	case text:
		return unquote(v.raw)
	case boolean:
		return strings.ToUpper(v.raw[:1]) + v.raw[1:]
	}
	return Indented(v)
}

// Set gives a field a new value, as config set is told it. What it does not take
// changes nothing.
func (c *Config) Set(name, value string) *clade.Problem {
	trimmed := strings.TrimSpace(value)
	err := fmt.Errorf("unknown config field: %s", name)
	switch name {
	case "project-name":
		c.ProjectName, err = value, nil
	case "target":
		c.Target, err = value, nil
	case "benchmark":
		c.Benchmark, err = value, nil
	case "metric":
		err = choose(&c.Metric, value, "metric", "max", "min")
	case "commit-strategy":
		err = choose(&c.CommitStrategy, value, name, "all", "tracked-only")
	case "default-orchestrator":
		err = choose(&c.Orchestrator, strings.ToLower(trimmed), name, "prose", "workflow")
	case "max-attempts":
		err = positive(&c.MaxAttempts, value, "max-attempts must be a positive integer")
	case "per-exp-timeout":
		err = positive(&c.Timeout, value, "per-exp-timeout must be a positive integer (seconds)")
	case "default-autonomous":
		err = onOff(&c.Autonomous, trimmed)
	case "default-subagents-only":
		err = onOff(&c.SubagentsOnly, trimmed)
	case "gate":
		c.Gate, err = nil, nil
		if trimmed != "" {
			c.Gate = &trimmed
		}
	case "task-skills":
		c.TaskSkills, err = nil, nil
		for _, s := range strings.Split(value, ",") {
			if s = strings.TrimSpace(s); s != "" {
				c.TaskSkills = append(c.TaskSkills, s)
			}
		}
	case "frontier-strategy":
		err = c.setFrontier(trimmed)
	}
	if err != nil {
		return &clade.Problem{Fault: clade.FaultUsage, Text: err.Error()}
	}
	return nil
}

func choose(into *string, value, name, one, other string) error {
	if value != one && value != other {
		return fmt.Errorf("%s must be '%s' or '%s'", name, one, other)
	}
	*into = value
	return nil
}

func positive(into *int, value, refusal string) error {
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || n < 1 {
		return errors.New(refusal)
	}
	*into = n
	return nil
}

func onOff(into **bool, value string) error {
	var is bool
	switch strings.ToLower(value) {
	case "on", "true", "yes", "1":
		is = true
	case "off", "false", "no", "0":
	default:
		return fmt.Errorf("value must be on/off (got '%s')", clip(value, 40))
	}
	*into = &is
	return nil
}

// setFrontier takes the name of a strategy, or {"kind": …, "params": {…}}.
func (c *Config) setFrontier(value string) error {
	kind, params := value, []byte(nil)
	if strings.HasPrefix(value, "{") {
		v, err := Parse("frontier-strategy", []byte(value))
		if err != nil {
			return fmt.Errorf("frontier-strategy must be valid JSON: %w", err)
		}
		kind, _ = v.Get("kind").Text()
		if p := v.Get("params"); !p.IsNull() {
			params = []byte(compact(p))
		}
	}
	s, err := frontier.Parse(kind, params)
	if err != nil {
		return err
	}
	c.Frontier = &Strategy{Kind: s.Kind, Params: StrategyValue(s).Get("params")}
	return nil
}

// Redacted is a value without what is under the names of secrets.
func Redacted(v Value) Value {
	secret := map[string]bool{"api_key": true, "bearer_token": true, "token": true, "secret": true, "password": true,
		"private_key": true, "ssh_private_key": true, "key": true}
	out := v
	out.items, out.pairs = nil, nil
	for _, item := range v.items {
		out.items = append(out.items, Redacted(item))
	}
	for _, p := range v.pairs {
		switch {
		case !secret[strings.ToLower(p.Key)]:
			p.Value = Redacted(p.Value)
		case !p.Value.IsNull() && Shown(p.Value) != "":
			p.Value = Text("<redacted>")
		}
		out.pairs = append(out.pairs, p)
	}
	return out
}

// ConfigDoc is what config show --json prints.
func ConfigDoc(c *Config) Value { return Redacted(encode(c).Sorted()) }
