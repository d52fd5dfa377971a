package evo

import (
	"cmp"
	"slices"

	"github.com/cladehq/clade/internal/format"
	"github.com/cladehq/clade/internal/policy/frontier"
)

// Annotations is annotations.json, oldest first.
type Annotations struct {
	Rest
	All []Annotation `evo:"annotations"`
}

// An Annotation is what somebody found in an experiment, or in one of its tasks.
type Annotation struct {
	Rest
	ExperimentID string  `evo:"experiment_id"`
	TaskID       *string `evo:"task_id"` // nil: of the experiment
	Analysis     string  `evo:"analysis"`
	Timestamp    string  `evo:"timestamp"`
}

// ReadAnnotations reads annotations.json. See Parse for errors.
func ReadAnnotations(name string, data []byte) (*Annotations, []format.Warning, error) {
	return read[Annotations](name, data)
}

// Marshal writes annotations.json.
func (a *Annotations) Marshal() []byte { return Marshal(encode(a)) }

// InfraLog is infra_log.json, oldest first.
type InfraLog struct {
	Rest
	Events []Event `evo:"events"`
}

// An Event is something that happened to the harness, or a look at the frontier.
type Event struct {
	Rest
	Message     string    `evo:"message,omitempty"`
	Breaking    *bool     `evo:"breaking,omitempty"` // it began an epoch; nil for other kinds
	Timestamp   string    `evo:"timestamp,omitempty"`
	At          string    `evo:"at,omitempty"` // as 0.3.0 called the time of a look
	Kind        string    `evo:"kind,omitempty"`
	Strategy    *Strategy `evo:"strategy,omitempty"`
	ReturnedIDs []string  `evo:"returned_ids,omitempty"`
	Seed        *int      `evo:"seed,omitempty"`
}

// When is the time of the event, "?" if it has none.
func (e *Event) When() string { return cmp.Or(e.Timestamp, e.At, "?") }

// What says in a line what happened.
func (e *Event) What() string { return cmp.Or(e.Message, cmp.Or(e.Kind, "?")+" event") }

// ReadInfraLog reads infra_log.json. See Parse for errors.
func ReadInfraLog(name string, data []byte) (*InfraLog, []format.Warning, error) {
	return read[InfraLog](name, data)
}

// Marshal writes infra_log.json.
func (l *InfraLog) Marshal() []byte { return Marshal(encode(l)) }

// A Manifest is artifacts/discarded/manifest.json: what was kept of a discarded
// experiment.
type Manifest struct {
	Rest
	ExperimentID string     `evo:"experiment_id"`
	Timestamp    string     `evo:"timestamp"`
	Artifacts    []Artifact `evo:"artifacts"`
	Skipped      []Artifact `evo:"skipped"`
}

// An Artifact is a file or folder that a result or a trace declared.
type Artifact struct {
	Rest
	Label      string `evo:"label"`
	Path       string `evo:"path"`                  // as declared
	Source     string `evo:"source"`                // where it was declared
	StoredPath string `evo:"stored_path,omitempty"` // below the experiment's folder
	SourcePath string `evo:"source_path,omitempty"`
	Persistent bool   `evo:"already_persistent,omitempty"` // it lies there anyway
	Reason     string `evo:"reason,omitempty"`             // why it was skipped
}

// ReadManifest reads manifest.json. See Parse for errors.
func ReadManifest(name string, data []byte) (*Manifest, []format.Warning, error) {
	return read[Manifest](name, data)
}

// Marshal writes manifest.json.
func (m *Manifest) Marshal() []byte { return Marshal(encode(m)) }

// A Pool is backend_state/pool-<key>.json: who works in which slot.
type Pool struct {
	Rest
	Slots []Slot `evo:"slots,need"`
}

// A Slot is a clone that experiments take turns in.
type Slot struct {
	Rest
	ID         int     `evo:"id"`
	Path       string  `evo:"path"` // absolute
	LeasedBy   *Lease  `evo:"leased_by"`
	LastBranch *string `evo:"last_branch"`
}

// A Lease says who holds a slot.
type Lease struct {
	Rest
	ExpID    string `evo:"exp_id"`
	PID      int    `evo:"pid"`
	LeasedAt string `evo:"leased_at"`
}

// ReadPool reads the state of a pool. See Parse for errors.
func ReadPool(name string, data []byte) (*Pool, []format.Warning, error) {
	return read[Pool](name, data)
}

// Marshal writes the state of a pool.
func (p *Pool) Marshal() []byte { return Marshal(encode(p)) }

// AllNotes are the notes of the workspace and of all experiments, newest first.
func (g *Graph) AllNotes() []Note {
	out := slices.Clone(g.Notes)
	var with []*Node
	for _, n := range g.Nodes {
		if len(n.Notes) > 0 {
			with = append(with, n)
		}
	}
	slices.SortFunc(with, func(a, b *Node) int { return frontier.CompareIDs(a.ID, b.ID) })
	for _, n := range with {
		for _, note := range n.Notes {
			if note.ExpID == nil && !note.original.Get("exp_id").Exists() {
				note.ExpID = &n.ID
			}
			out = append(out, note)
		}
	}
	slices.SortStableFunc(out, func(a, b Note) int { return cmp.Compare(b.Timestamp, a.Timestamp) })
	return out
}
