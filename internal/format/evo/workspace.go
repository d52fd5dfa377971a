package evo

import "github.com/cladehq/clade/internal/format"

// Meta is .evo/meta.json: which run is active.
type Meta struct {
	Rest
	Active              string   `evo:"active"`   // run_0000; "" before the first
	NextRun             int      `evo:"next_run"` // number of the next run
	Host                string   `evo:"host,omitempty"`
	InstrumentationMode string   `evo:"instrumentation_mode,omitempty"` // sdk or inline
	TelemetryID         string   `evo:"telemetry_workspace_id,omitempty"`
	TelemetryTags       []string `evo:"telemetry_usecase_tags,omitempty"`
}

// ReadMeta reads meta.json. See Parse for errors.
func ReadMeta(name string, data []byte) (*Meta, []format.Warning, error) {
	return read[Meta](name, data)
}

// Marshal writes meta.json.
func (m *Meta) Marshal() []byte { return Marshal(encode(m)) }

// Config is config.json of a run. Null and missing are the same for all but
// what is written.
type Config struct {
	Rest
	RepoRoot       string    `evo:"repo_root"`     // absolute
	WorkspaceDir   string    `evo:"workspace_dir"` // ".evo"
	WorktreesDir   string    `evo:"worktrees_dir"` // "worktrees"
	ProjectName    string    `evo:"project_name"`
	Target         string    `evo:"target"` // below the repository
	Benchmark      string    `evo:"benchmark"`
	Gate           *string   `evo:"gate"`   // the gate of all, nil for none
	Metric         string    `evo:"metric"` // max or min
	Epoch          int       `evo:"current_eval_epoch"`
	Blocked        bool      `evo:"comparison_blocked"` // until a child of the root is kept
	BlockedSince   string    `evo:"comparison_blocked_since,omitempty"`
	MaxAttempts    int       `evo:"max_attempts"`
	Frontier       *Strategy `evo:"frontier_strategy"`
	RuntimeEnv     *Env      `evo:"runtime_env"`
	Runtime        *Recipe   `evo:"runtime,omitempty"`
	Backend        string    `evo:"execution_backend"`
	BackendConfig  Value     `evo:"execution_backend_config,omitempty"`
	CommitStrategy string    `evo:"commit_strategy"`           // all or tracked-only
	Timeout        int       `evo:"per_exp_timeout,omitempty"` // seconds; 0: not set
	Autonomous     *bool     `evo:"default_autonomous,omitempty"`
	SubagentsOnly  *bool     `evo:"default_subagents_only,omitempty"`
	Orchestrator   string    `evo:"default_orchestrator,omitempty"` // prose or workflow
	TaskSkills     []string  `evo:"task_skills,omitempty"`
	DiffExclude    []string  `evo:"diff_exclude_patterns,omitempty"`
	InitializedAt  string    `evo:"initialized_at"`
}

// A Strategy is how the frontier is ranked, as the file has it.
type Strategy struct {
	Rest
	Kind   string `evo:"kind"`
	Params Value  `evo:"params"`
}

// An Env is what benchmark and gates find in their environment.
type Env struct {
	Rest
	InheritShell *bool    `evo:"inherit_shell"` // nil: true
	Dotenv       []Dotenv `evo:"dotenv"`
}

// A Dotenv is a file of variables, read anew for each run.
type Dotenv struct {
	Rest
	Path string   `evo:"path"`
	Mode string   `evo:"mode"` // all or allow
	Keys []string `evo:"keys,omitempty"`
}

// A Recipe is what runs before and around a benchmark.
type Recipe struct {
	Rest
	Prepare   string `evo:"prepare,omitempty"`
	BeforeRun string `evo:"before_run,omitempty"`
	Prefix    string `evo:"prefix,omitempty"`
}

// ReadConfig reads config.json. See Parse for errors.
func ReadConfig(name string, data []byte) (*Config, []format.Warning, error) {
	return read[Config](name, data)
}

// Marshal writes config.json.
func (c *Config) Marshal() []byte { return Marshal(encode(c)) }

// Attempts is how often an experiment may be evaluated without being kept.
func (c *Config) Attempts() int {
	if c.MaxAttempts < 1 {
		return DefaultMaxAttempts
	}
	return c.MaxAttempts
}

// EpochNow is the epoch of the evaluator, from 1.
func (c *Config) EpochNow() int { return max(1, c.Epoch) }

// Seconds is how long an attempt may take, and whether it was set anywhere:
// asked is what the command said, 0 for nothing.
func (c *Config) Seconds(asked int) (seconds int, set bool) {
	switch {
	case asked > 0:
		return asked, true
	case c.Timeout > 0:
		return c.Timeout, true
	}
	return LegacyTimeout, false
}
