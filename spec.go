package clade

// A Spec says what is evolved, what is good, how it is searched and what it may
// cost. The JSON names are the keys of clade.yaml. A resolved spec has every
// default filled in, so that a log never depends on a later version's defaults.
type Spec struct {
	Version   int      `json:"version"` // 1
	Objective string   `json:"objective"`
	Target    Target   `json:"target"`
	Allow     []string `json:"allow,omitempty"`  // globs an edit may touch; none: everything not frozen
	Frozen    []string `json:"frozen,omitempty"` // globs an edit may never touch; laid over last before evaluation
	Setup     *Command `json:"setup,omitempty"`  // run once per base, in the template
	Carry     []string `json:"carry,omitempty"`  // globs of untracked files copied once per base into the template
	// Lock names the files whose digests, with the base, key the template
	// ("go.sum", "package-lock.json"); none: well-known lock files.
	Lock      []string   `json:"lock,omitempty"`
	Gates     []Gate     `json:"gates,omitempty"`
	Measures  []Measure  `json:"measures,omitempty"`
	Benchmark *Benchmark `json:"benchmark,omitempty"`
	Dataset   *Dataset   `json:"dataset,omitempty"`
	Operators []Operator `json:"operators,omitempty"`
	Search    Search     `json:"search"`
	Budget    Budget     `json:"budget"`
	Limits    Limits     `json:"limits"` // for every gate, measure, case and setup that sets none
	Sandbox   Sandbox    `json:"sandbox"`
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
	File     string     `json:"file"`             // json, jsonl, csv, tsv; relative to the target
	Format   string     `json:"format,omitempty"` // "": by the file's ending
	CaseID   string     `json:"id,omitempty"`     // field; "": the case's digest
	Input    string     `json:"input,omitempty"`  // field given on standard input; "": the whole case as JSON
	Expected string     `json:"expected,omitempty"`
	Command             // answers one case
	Scorer   Scorer     `json:"scorer"`
	Splits   SplitSizes `json:"splits"`
	Seed     uint64     `json:"split_seed,omitempty"`
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

// An Operator makes edits.
type Operator struct {
	Use   string  `json:"use"`            // mutate, command, or NAME for clade-operator-NAME
	Name  string  `json:"name,omitempty"` // what Attempt.Operator says; default Use
	Share float64 `json:"share,omitempty"`
	Command
	With Options `json:"with,omitempty"` // the operator's own options
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
	With     Options `json:"with,omitempty"`
}

// Budget bounds a run. A nil bound is no bound; candidates always has one.
type Budget struct {
	Candidates int           `json:"candidates"` // attempts that propose; the baseline and finals are not counted
	Wall       Duration      `json:"wall,omitempty"`
	USD        *Microdollars `json:"usd,omitempty"`
	Tokens     *int64        `json:"tokens,omitempty"`
	Calls      *int64        `json:"calls,omitempty"`
	Plateau    int           `json:"plateau,omitempty"` // stop after this many judged candidates (generations in generational) without a better one; 0: never
	Target     *float64      `json:"target,omitempty"`  // stop when the first measure reaches it
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
	Use   string   `json:"use,omitempty"`   // auto (default), none, namespaces
	Floor string   `json:"floor,omitempty"` // weakest grade accepted; "": none
	Read  []string `json:"read,omitempty"`  // extra absolute paths to show read-only
}

// FinalRule is how a winner must prove itself.
type FinalRule struct {
	Finalists int     `json:"finalists,omitempty"` // default 1
	Alpha     float64 `json:"alpha,omitempty"`     // default 0.05, one-sided
	Looks     []int   `json:"looks,omitempty"`     // pairs after which a timing final looks; default 6 10 15 20
	LookAlpha float64 `json:"look_alpha,omitempty"`
}

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
