package evo

import "github.com/cladehq/clade/internal/format"

// An Outcome is attempts/NNN/outcome.json: what became of one attempt. It is
// written once.
type Outcome struct {
	Rest
	ExperimentID string        `evo:"experiment_id"`
	Attempt      int           `evo:"attempt"` // from 1
	Outcome      string        `evo:"outcome"` // committed, evaluated or failed
	Hypothesis   string        `evo:"hypothesis"`
	ParentID     string        `evo:"parent_id"`
	ParentScore  *float64      `evo:"parent_score"` // nil for a child of the root
	Metric       string        `evo:"metric"`
	Score        *float64      `evo:"score"`
	StartedAt    string        `evo:"started_at"`
	FinishedAt   string        `evo:"finished_at"`
	Benchmark    *Benchmark    `evo:"benchmark"` // nil if it was not run
	Runtime      []Hook        `evo:"runtime"`
	Gates        []GateRecord  `evo:"gates"`
	Error        *string       `evo:"error"`
	Commit       *string       `evo:"commit"`
	ChangeFiles  []string      `evo:"change_files,omitempty"`
	Streams      []Value       `evo:"remote_streams,omitempty"`
	State        *AttemptState `evo:"attempt_state,omitempty"`
}

// A Benchmark is what the benchmark was and did.
type Benchmark struct {
	Rest
	Command    string `evo:"command"`
	ReturnCode *int   `evo:"returncode"`
	Result     Value  `evo:"result"` // what it published, null if nothing
}

// A Hook is a command of the runtime recipe that was run.
type Hook struct {
	Rest
	Name       string  `evo:"name"`
	Command    string  `evo:"command"`
	ReturnCode *int    `evo:"returncode"`
	TimedOut   bool    `evo:"timed_out"`
	Log        *string `evo:"log"`
}

// A GateRecord is what a gate said.
type GateRecord struct {
	Rest
	Name       string `evo:"name"`
	From       string `evo:"from"` // a node, or "config"
	Command    string `evo:"command"`
	Phase      string `evo:"phase,omitempty"`
	Passed     bool   `evo:"passed"`
	ReturnCode *int   `evo:"returncode"` // nil when it ran out of time
	Error      string `evo:"error,omitempty"`
}

// ReadOutcome reads outcome.json. See Parse for errors.
func ReadOutcome(name string, data []byte) (*Outcome, []format.Warning, error) {
	return read[Outcome](name, data)
}

// Marshal writes outcome.json.
func (o *Outcome) Marshal() []byte { return Marshal(encode(o)) }

// A Phase is how far an attempt is.
type Phase string

// The phases of an attempt, in their order.
const (
	Initializing     Phase = "initializing"
	RuntimePrepare   Phase = "runtime_prepare"
	RuntimeBeforeRun Phase = "runtime_before_run"
	PreGates         Phase = "pre_gates"
	Benchmarking     Phase = "benchmark"
	Artifacts        Phase = "artifacts"
	PostGates        Phase = "gates"
	Committing       Phase = "commit"
	Finalizing       Phase = "finalize"
	Complete         Phase = "complete"
	FailedPhase      Phase = "failed"
)

// AttemptState is attempts/NNN/attempt_state.json: what an attempt is at. Its
// status is of the phase (running, completed, attaching) or, at the end, of the
// experiment.
type AttemptState struct {
	Rest
	ExperimentID     string   `evo:"experiment_id"`
	Attempt          int      `evo:"attempt"`
	Phase            Phase    `evo:"phase"`
	Status           string   `evo:"status"`
	PID              int      `evo:"pid,omitempty"` // of the process that drives it
	StartedAt        string   `evo:"started_at"`
	UpdatedAt        string   `evo:"updated_at"`
	CheckpointDir    string   `evo:"checkpoint_dir,omitempty"`
	RemoteCheckpoint *string  `evo:"remote_checkpoint_dir"`
	Score            *float64 `evo:"score,omitempty"`
	GateFailures     []string `evo:"gate_failures,omitempty"`
	Commit           string   `evo:"commit,omitempty"`
	Error            string   `evo:"error,omitempty"`
}

// ReadAttemptState reads attempt_state.json. See Parse for errors.
func ReadAttemptState(name string, data []byte) (*AttemptState, []format.Warning, error) {
	return read[AttemptState](name, data)
}

// Marshal writes attempt_state.json.
func (s *AttemptState) Marshal() []byte { return Marshal(encode(s)) }

// A Summary is experiments/<id>/result.json: the latest attempt in short, or
// what was done to the experiment since.
type Summary struct {
	Rest
	ExperimentID     string     `evo:"experiment_id"`
	Score            *float64   `evo:"score"`
	Status           Status     `evo:"status"`
	Timestamp        string     `evo:"timestamp"`
	Epoch            *int       `evo:"eval_epoch"`
	Commit           string     `evo:"commit,omitempty"`
	Error            string     `evo:"error,omitempty"`
	Reason           string     `evo:"reason,omitempty"`
	FailureClass     string     `evo:"failure_class,omitempty"`
	Preserved        []Artifact `evo:"preserved_artifacts,omitempty"`
	ArtifactManifest string     `evo:"artifact_manifest,omitempty"`
	RecordedOnly     bool       `evo:"recorded_only,omitempty"`
}

// ReadSummary reads an experiment's result.json. See Parse for errors.
func ReadSummary(name string, data []byte) (*Summary, []format.Warning, error) {
	return read[Summary](name, data)
}

// Marshal writes an experiment's result.json.
func (s *Summary) Marshal() []byte { return Marshal(encode(s)) }

// A Check is checks/NNN/check.json, or gate_check.json where Kind is "gate":
// what a run without consequences found.
type Check struct {
	Rest
	ExperimentID string       `evo:"experiment_id"`
	Check        int          `evo:"check"`  // from 1
	Status       string       `evo:"status"` // passed or failed
	Kind         string       `evo:"kind,omitempty"`
	Score        *float64     `evo:"score,omitempty"` // check.json always has it
	StartedAt    string       `evo:"started_at"`
	FinishedAt   string       `evo:"finished_at"`
	Benchmark    *Benchmark   `evo:"benchmark,omitempty"` // as Score
	Gates        []GateRecord `evo:"gates"`
	Runtime      []Hook       `evo:"runtime"`
	Error        *string      `evo:"error"`
}

// ReadCheck reads check.json or gate_check.json. See Parse for errors.
func ReadCheck(name string, data []byte) (*Check, []format.Warning, error) {
	return read[Check](name, data)
}

// Marshal writes the check.
func (c *Check) Marshal() []byte { return Marshal(encode(c)) }

func (c *Check) published() []Pair {
	if c.Kind != "" {
		return nil
	}
	return []Pair{{"score", Null()}, {"benchmark", Null()}}
}
