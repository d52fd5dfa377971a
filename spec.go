package clade

// A Spec says what is evolved, what is good, how it is searched and what it may
// cost. The JSON names are the keys of clade.yaml. A resolved spec has every
// default filled in, so that a log never depends on a later version's defaults.
type Spec struct {
	Version   int    `json:"version"` // 1
	Objective string `json:"objective"`
	// Brief is told verbatim to every operator that is told something in words.
	Brief  string   `json:"brief,omitempty"`
	Target Target   `json:"target"`
	Allow  []string `json:"allow,omitempty"`  // globs an edit may touch; none: everything not frozen
	Frozen []string `json:"frozen,omitempty"` // globs an edit may never touch; laid over last before evaluation
	Setup  *Command `json:"setup,omitempty"`  // run once per base, in the template
	Carry  []string `json:"carry,omitempty"`  // globs of untracked files copied once per base into the template
	// Lock names the files whose digests, with the base, key the template
	// ("go.sum", "package-lock.json"); none: well-known lock files.
	Lock      []string   `json:"lock,omitempty"`
	Gates     []Gate     `json:"gates,omitempty"`
	Measures  []Measure  `json:"measures,omitempty"`
	Benchmark *Benchmark `json:"benchmark,omitempty"`
	Dataset   *Dataset   `json:"dataset,omitempty"`
	Operators []Operator `json:"operators,omitempty"`
	Models    []Model    `json:"models,omitempty"`
	Search    Search     `json:"search"`
	Budget    Budget     `json:"budget"`
	Limits    Limits     `json:"limits"` // for every gate, measure, case and setup that sets none
	Sandbox   Sandbox    `json:"sandbox"`
	Protect   Protect    `json:"protect"`
	Final     FinalRule  `json:"final"`
	Slots     int        `json:"slots,omitempty"` // attempts at once; 0: as many as there are processors
	Seed      uint64     `json:"seed"`
}

// TargetKind is what a target is.
type TargetKind string

const (
	TargetGit  TargetKind = "git"  // a git repository, or a folder in one
	TargetDir  TargetKind = "dir"  // a plain directory
	TargetFile TargetKind = "file" // one text file
)

// Target is what is evolved.
type Target struct {
	Path string     `json:"path,omitempty"` // relative to the spec's folder; "": that folder
	Kind TargetKind `json:"kind,omitempty"` // "": found by looking
	Base string     `json:"base,omitempty"` // revision; "": HEAD. Git only
	// Prefix is the target's folder inside its repository, slash separated,
	// "" for the root. Globs, commands and dataset files are relative to it,
	// and no edit may leave it. Filled in when the spec is resolved.
	Prefix string `json:"prefix,omitempty"`
	// Only makes the target a selection of its folder's files, as they are on
	// disk, committed or not; none: all of them. An entry is a path below Path,
	// slash separated, which stands for itself and all below it, or a doublestar
	// pattern (with * ? or [), for what it matches and all below that. What git
	// and clade keep (.git, .clade, .agents/evolutions) is never part of it. Kind
	// dir only.
	Only []string `json:"only,omitempty"`
}

// A Command is a program with arguments, or a line for sh -c.
type Command struct {
	Run     string            `json:"run,omitempty"`  // for sh -c
	Argv    []string          `json:"argv,omitempty"` // instead of Run
	Env     map[string]string `json:"env,omitempty"`
	Pass    []string          `json:"pass_env,omitempty"` // names of variables passed through
	Dir     string            `json:"dir,omitempty"`      // relative to the workspace
	Timeout Duration          `json:"timeout,omitempty"`  // 0: Limits.Wall
	Network bool              `json:"network,omitempty"`
}

// IsZero reports whether there is no command.
func (c Command) IsZero() bool { return c.Run == "" && len(c.Argv) == 0 }

// Args is the argument list to execute.
func (c Command) Args() []string {
	if len(c.Argv) > 0 {
		return c.Argv
	}
	return []string{"sh", "-c", c.Run}
}

// A Gate is a command whose exit status 0 passes.
type Gate struct {
	ID string `json:"id"`
	Command
}

// Direction is which way a measure is better.
type Direction string

const (
	Maximize Direction = "maximize"
	Minimize Direction = "minimize"
)

// Sign is +1 for Maximize and −1 for Minimize.
func (d Direction) Sign() float64 {
	if d == Minimize {
		return -1
	}
	return 1
}

// Noise is how a measure varies.
type Noise string

const (
	NoiseNone   Noise = "none"   // the same tree gives the same number; compared exactly
	NoiseCases  Noise = "cases"  // the cases are the sample; repeats are averaged and add no n
	NoiseTiming Noise = "timing" // varies from run to run: measured in pairs with the baseline
)

// A Measure reads one number.
type Measure struct {
	ID string `json:"id"`
	Command
	From      string    `json:"from,omitempty"` // id of a gate whose run is read, instead of a command
	Read      Read      `json:"read"`
	Goal      Direction `json:"goal"`
	Unit      string    `json:"unit,omitempty"`
	Weight    float64   `json:"weight,omitempty"`  // > 0; default 1
	Repeats   int       `json:"repeats,omitempty"` // runs averaged into one sample; default 1
	Min       *float64  `json:"min,omitempty"`     // a value outside is no score
	Max       *float64  `json:"max,omitempty"`
	Noise     Noise     `json:"noise,omitempty"`
	Threshold *float64  `json:"threshold,omitempty"` // smallest gain that counts: relative for timing, in units otherwise
}

// ReadKind is where a measure's number is found.
type ReadKind string

const (
	ReadWhole   ReadKind = "whole"   // standard output, trimmed, is the number
	ReadPointer ReadKind = "pointer" // JSON pointer into standard output
	ReadRegex   ReadKind = "regex"   // one group
	ReadClock   ReadKind = "wall_clock"
	ReadMemory  ReadKind = "peak_memory" // bytes
	ReadResult  ReadKind = "result"      // "score" of the benchmark's result
	ReadCases   ReadKind = "cases"       // mean of the dataset's case scores, or of the benchmark's tasks
)

// Read says how the number is found.
type Read struct {
	Kind    ReadKind `json:"kind"`
	Pointer string   `json:"pointer,omitempty"`
	Regex   string   `json:"regex,omitempty"`
	Match   string   `json:"match,omitempty"` // "only" (default): exactly one match; "last"
	File    string   `json:"file,omitempty"`  // read this file of the workspace instead of standard output
}

// A Benchmark is a command that writes {"score": …, "tasks": {…}} to the file
// named by CLADE_RESULT.
type Benchmark struct {
	Command
}

// A Dataset is cases that a command answers one by one.
type Dataset struct {
	File     string `json:"file"`             // json, jsonl, csv, tsv; relative to the target
	Format   string `json:"format,omitempty"` // "": by the file's ending
	CaseID   string `json:"id,omitempty"`     // field; "": the case's digest
	Input    string `json:"input,omitempty"`  // field given on standard input; "": the whole case as JSON
	Expected string `json:"expected,omitempty"`
	Command         // answers one case
	// Rollout has an agent answer the cases instead of Command.
	Rollout *Rollout   `json:"rollout,omitempty"`
	Scorer  Scorer     `json:"scorer"`
	Splits  SplitSizes `json:"splits"`
	Seed    uint64     `json:"split_seed,omitempty"`
	// Batch is how many train cases a candidate answers first, beside its parent,
	// so that one which does worse is asked no more; 0: none.
	Batch int `json:"batch,omitempty"`
}

// Scorer turns an answer into a number from 0 to 1.
type Scorer struct {
	Kind      string   `json:"kind"` // exact, contains, last_number, numeric_close, command
	Tolerance float64  `json:"tolerance,omitempty"`
	Command   *Command `json:"command,omitempty"`
}

// SplitSizes are numbers of cases. All zero: a third each.
type SplitSizes struct {
	Train  int `json:"train,omitempty"`
	Select int `json:"select,omitempty"`
	Test   int `json:"test,omitempty"`
}

// A Rollout says which agent answers cases and where it finds the candidate.
type Rollout struct {
	Agent string `json:"agent"`           // name or alias of a coding-agent CLI, or "custom" with the dataset's command
	Model string `json:"model,omitempty"` // as Operator.Model
	// As is how the agent is given the target: "skill" (a folder where the host
	// looks for skills), "instructions" (the file the host reads at start) or
	// "workspace" (the target is what it works in). "": found by looking.
	As string `json:"as,omitempty"`
	// Fixtures is a folder of the target, or one named after the case below it,
	// whose files lie where the agent works. "": none.
	Fixtures string `json:"fixtures,omitempty"`
}

// Roles of an operator.
const (
	RolePropose = "propose" // changes the tree
	RoleIdeate  = "ideate"  // writes hypotheses that later attempts take up
	RoleReview  = "review"  // writes findings about candidates
)

// An Operator makes edits, or notes that help others to.
type Operator struct {
	Use   string  `json:"use"`            // mutate, agent, reflect, command, or NAME for clade-operator-NAME
	Name  string  `json:"name,omitempty"` // what Attempt.Operator says; default Use
	Share float64 `json:"share,omitempty"`
	Role  string  `json:"role,omitempty"` // default RolePropose
	// Agent is the coding-agent CLI of use agent: a name or alias of a known
	// one, or "custom" for the Command, which gets the prompt on standard input.
	Agent string `json:"agent,omitempty"`
	// Model is the Name of one of Spec.Models; "": the only one, or what the
	// CLI chooses.
	Model string `json:"model,omitempty"`
	// Idle ends an agent that prints nothing for so long; 0: 10 minutes.
	Idle Duration `json:"idle,omitempty"`
	Command
	With Options `json:"with,omitempty"` // the operator's own options
}

// InMemory reports whether the operator works on its parents' trees and has no
// workspace.
func (o Operator) InMemory() bool { return o.Use == "mutate" || o.Use == "reflect" }

// Providers of models, by the wire they speak.
const (
	ProviderOpenAI    = "openai"    // chat completions and responses, and everything compatible
	ProviderAnthropic = "anthropic" // messages
	ProviderGoogle    = "google"    // generateContent
)

// A Model says how a model is reached and what it costs. Keys are named, never
// written.
type Model struct {
	Name     string `json:"name"`
	Provider string `json:"provider"`
	Model    string `json:"model,omitempty"`    // what the provider calls it; default Name
	BaseURL  string `json:"base_url,omitempty"` // "": the variable, then the provider's own
	// BaseURLEnv and KeyEnv name variables of the user's environment; defaults
	// by provider (OPENAI_BASE_URL, OPENAI_API_KEY, …).
	BaseURLEnv string `json:"base_url_env,omitempty"`
	KeyEnv     string `json:"key_env,omitempty"`
	// Price is what is paid; nil: unknown, which a money cap does not bear.
	Price *Price `json:"price,omitempty"`
	// MaxTokens bounds one reply; default 32000.
	MaxTokens   int64    `json:"max_tokens,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"` // nil: the provider's default
}

// A Price is in dollars per million tokens.
type Price struct {
	Input      Microdollars  `json:"input"`
	Output     Microdollars  `json:"output"`
	CacheRead  *Microdollars `json:"cache_read,omitempty"`  // nil: as Input
	CacheWrite *Microdollars `json:"cache_write,omitempty"` // nil: as Input
}

// Levels of a countermeasure.
const (
	ProtectReject = "reject" // what it finds is no candidate
	ProtectWarn   = "warn"   // what it finds is noted
	ProtectOff    = "off"
)

// Protect switches the countermeasures against candidates that game their
// evaluator. The zero value is strict; a resolved spec has every field filled in.
type Protect struct {
	// Autoload refuses new files that tools load by themselves (conftest.py,
	// sitecustomize.py, .npmrc, …) unless allow names them.
	Autoload string `json:"autoload,omitempty"`
	// Lint looks in added lines for what only serves to fool a test.
	Lint string `json:"lint,omitempty"`
	// Secrets looks for keys in patches.
	Secrets string `json:"secrets,omitempty"`
	// Census counts processes that outlive a gate or measure, and what was
	// written outside the workspace where that is possible.
	Census string `json:"census,omitempty"`
	// Blank measures the base once with every editable file emptied, and warns
	// when that does as well as the base: "warn" (what a resolved spec has unless
	// it says otherwise) or "off".
	Blank string `json:"blank,omitempty"`
	// Jump quarantines a candidate whose gain is more than so many times the
	// largest step accepted before, until it is measured again; 0: never.
	// A resolved spec says what holds. Default 10.
	Jump *float64 `json:"jump,omitempty"`
	// Nonce wants {"nonce": $CLADE_NONCE} in a benchmark's result.
	Nonce bool `json:"nonce,omitempty"`
	// Tripwires are wrong candidates that must not score.
	Tripwires []Tripwire `json:"tripwires,omitempty"`
}

// A Tripwire is an edit of the base that a sound evaluator refuses, or scores
// worse than the base. It may touch what is frozen, so that it can be a test
// that must fail: whoever writes the spec is trusted.
type Tripwire struct {
	ID     string            `json:"id"`
	Write  map[string]string `json:"write,omitempty"` // whole files, by path relative to the target
	Delete []string          `json:"delete,omitempty"`
	Expect string            `json:"expect,omitempty"` // "fail" (a gate), "worse"; "": either
}

// Options are an implementation's own settings, checked by it.
type Options map[string]any

// Search chooses a strategy.
type Search struct {
	Strategy string  `json:"strategy"`          // generational, hillclimb, race
	Batch    int     `json:"batch,omitempty"`   // attempts per generation or lockstep batch
	Explore  float64 `json:"explore,omitempty"` // share of fresh starts in a generation
	Cross    float64 `json:"cross,omitempty"`   // share of crossovers in a generation
	Parents  int     `json:"parents,omitempty"` // survivors a generation draws from
	// Operators is how one of several operators is chosen: "shares" (default), or
	// "bandit", which prefers those that gained most for their cost.
	Operators string `json:"operators,omitempty"`
	// Start is the tree in which an operator with a workspace begins: "parent"
	// (default), or "base", where it is told what its parents changed.
	Start string `json:"start,omitempty"`
	// Names is a pattern with one %d by which candidates get names; "": none.
	Names string `json:"names,omitempty"`
	// Retries is how many more tries an operator gets that failed and left
	// nothing, unless it ran out of its time.
	Retries int `json:"retries,omitempty"`
	// Hopeless is after how many candidates without a usable one the search is
	// given up; 0: by what a candidate may cost.
	Hopeless int `json:"hopeless,omitempty"`
}

// Starts of a search's operators.
const (
	StartParent = "parent"
	StartBase   = "base"
)

// Budget bounds a run. A nil bound is no bound; candidates always has one.
type Budget struct {
	Candidates int           `json:"candidates"` // attempts that propose; the baseline and finals are not counted
	Wall       Duration      `json:"wall,omitempty"`
	USD        *Microdollars `json:"usd,omitempty"`
	Tokens     *int64        `json:"tokens,omitempty"`
	Calls      *int64        `json:"calls,omitempty"`
	Plateau    int           `json:"plateau,omitempty"` // stop after this many judged candidates (generations in generational) without a better one; 0: never
	Target     *float64      `json:"target,omitempty"`  // stop when the measure with the highest weight reaches it
	// PerTry is the hold of one try, for operators that cost money.
	PerTry *Microdollars `json:"per_try_usd,omitempty"`
}

// Limits bound one command.
type Limits struct {
	Wall      Duration `json:"wall,omitempty"`
	Memory    Bytes    `json:"memory,omitempty"`
	Processes int      `json:"processes,omitempty"`
	Output    Bytes    `json:"output,omitempty"`    // kept of each stream; the rest is counted and dropped
	FileSize  Bytes    `json:"file_size,omitempty"` // largest file an edit may add
	Disk      Bytes    `json:"disk,omitempty"`
}

// Sandbox is what isolation is asked for.
type Sandbox struct {
	Use   string   `json:"use,omitempty"`   // auto (default), container, bwrap, namespaces, landlock, none
	Floor string   `json:"floor,omitempty"` // weakest grade accepted; "": none
	Read  []string `json:"read,omitempty"`  // extra absolute paths to show read-only
	// Home "hide" (default) keeps the user's home from commands but for the
	// programs and tool caches they need; "show" shows it read-only.
	Home  string `json:"home,omitempty"`
	Image string `json:"image,omitempty"` // for container
}

// FinalRule is how a winner must prove itself.
type FinalRule struct {
	Finalists int     `json:"finalists,omitempty"` // default 1
	Alpha     float64 `json:"alpha,omitempty"`     // default 0.05, one-sided
	Looks     []int   `json:"looks,omitempty"`     // pairs after which a timing final looks; default 6 10 15 20
	LookAlpha float64 `json:"look_alpha,omitempty"`
	// Leader is which candidate goes to the final: "score" (default), the best
	// by merit that may be a parent, or "composite", the first of all candidates
	// by the composite of their ranks over the values as they were measured.
	Leader string `json:"leader,omitempty"`
}

// Leaders of a final.
const (
	LeaderScore     = "score"
	LeaderComposite = "composite"
)

// Rolls reports whether agents answer the dataset's cases, so that measuring a
// candidate costs what asking a model does.
func (s *Spec) Rolls() bool { return s.Dataset != nil && s.Dataset.Rollout != nil }

// Gate returns the gate with the given id.
func (s *Spec) Gate(id string) (Gate, bool) {
	for _, g := range s.Gates {
		if g.ID == id {
			return g, true
		}
	}
	return Gate{}, false
}

// Measure returns the measure with the given id.
func (s *Spec) Measure(id string) (Measure, bool) {
	for _, m := range s.Measures {
		if m.ID == id {
			return m, true
		}
	}
	return Measure{}, false
}

// Noise is the noisiest kind among the measures: timing, then cases, then none.
func (s *Spec) Noise() Noise {
	n := NoiseNone
	for _, m := range s.Measures {
		switch {
		case m.Noise == NoiseTiming:
			return NoiseTiming
		case m.Noise == NoiseCases:
			n = NoiseCases
		}
	}
	return n
}
