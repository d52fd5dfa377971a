package clade

import "strings"

// ID numbers an attempt, and the candidate that attempt made if it made one.
// IDs of a run are 1, 2, 3, … in the order in which attempts were planned; 0 is
// the base, the tree every lineage starts from.
type ID int

// Base is the tree a run starts from.
const Base ID = 0

// Makes says what an operator must hand back.
type Makes string

const (
	MakesTree    Makes = "tree"    // a changed tree: a candidate
	MakesNotes   Makes = "notes"   // findings that later briefs cite
	MakesNumbers Makes = "numbers" // only evaluations; there is no operator
)

// An Attempt says what to try: from which parents, by which operator, to what
// end, how it is evaluated and the most it may spend. It is performed in one or
// more tries, numbered from 1.
type Attempt struct {
	ID       ID     `json:"id"`
	Parents  []ID   `json:"parents,omitempty"` // none: the base
	Operator string `json:"operator,omitempty"`
	Makes    Makes  `json:"makes"`
	// Brief is what the operator is told. For a built-in operator it is JSON
	// that the operator's package documents; for an agent it is prose.
	Brief string `json:"brief,omitempty"`
	// Why is the reason of the plan or its hypothesis in one line, shown to
	// people and never empty.
	Why string `json:"why"`
	// Generation counts from 1 in strategies that have generations; 0 elsewhere.
	Generation int `json:"generation,omitempty"`
	// Before are measured before the operator works: rollouts of the parents.
	Before []Stage `json:"before,omitempty"`
	// After are measured in order once there is a commit (or at once, when the
	// attempt makes numbers). The plan ends at the first stage whose Rule fails.
	After []Stage `json:"after,omitempty"`
	Hold  Amount  `json:"hold"` // the most one try may spend; zero: nothing paid
	// Tries is how many tries may count against the attempt; 0 means 1. A try
	// lost to infrastructure does not count.
	Tries int `json:"tries,omitempty"`
	// Retries is how many more tries an operator gets that failed and left
	// nothing; one that ran out of its time gets none.
	Retries int `json:"retries,omitempty"`
	// Idea is the number, from 1, of the NoteProposal that the brief takes up;
	// 0: none.
	Idea int `json:"idea,omitempty"`
	// Probe is the id of the tripwire that the attempt makes a tree of: a wrong
	// candidate that must not score, and is never a candidate itself.
	Probe string `json:"probe,omitempty"`
	// Name is what files and people outside call the candidate ("v3"); "": its
	// number. No two attempts of a run share one.
	Name string `json:"name,omitempty"`
	// Given is a candidate that was made elsewhere and is only evaluated; nil:
	// the operator makes it.
	Given *Given `json:"given,omitempty"`
	// Adopts is the number, from 1, of the NoteAdopt that the attempt carries
	// out; 0: none.
	Adopts int `json:"adopts,omitempty"`
	// Kept workspaces outlive processes and reboots until a verdict closes the
	// attempt (operator "manual").
	Kept bool `json:"kept,omitempty"`
}

// Splits of a dataset. Train feeds proposers, select decides, test is for the
// final. Without a dataset, SplitSelect means "during the search" and SplitTest
// means "fresh, for the final".
const (
	SplitTrain  = "train"
	SplitSelect = "select"
	SplitTest   = "test"
)

// A Stage measures its Subjects, interleaved, on the same cases.
type Stage struct {
	// Subjects are measured in this order within each replicate. Empty means
	// the parents in Before and the child in After. A subject named twice is
	// measured twice (baseline against itself): the outcome then has two
	// evaluations of it, in this order.
	Subjects []ID `json:"subjects,omitempty"`
	// Checks names the gates and measures to run; empty means all of them.
	Checks []string `json:"checks,omitempty"`
	// Cases names dataset cases; empty means every case of Split, or its Batch.
	Cases []string `json:"cases,omitempty"`
	Split string   `json:"split,omitempty"` // "": SplitSelect
	// Batch asks only so many of the cases of Split, those that Minibatch draws;
	// 0, or as many as there are: all of them.
	Batch int `json:"batch,omitempty"`
	// Rule names the policy that says, after the stage, whether the plan goes
	// on; "" always goes on unless a gate failed.
	Rule       string `json:"rule,omitempty"`
	Replicates int    `json:"replicates,omitempty"` // 0: 1
	// First is the number of the first replicate, so that a later stage of the
	// same attempt continues the pairs of an earlier one; 0: 1.
	First int `json:"first,omitempty"`
	// Fresh samples are never taken from the cache of another attempt.
	Fresh bool `json:"fresh,omitempty"`
	// Warmup replicates run first and are dropped.
	Warmup int `json:"warmup,omitempty"`
	// Blank measures, instead of any subject, the base with every editable file
	// emptied. Nothing of that is kept but a warning when it does as well as the
	// base, since then the evaluator does not look at what is evolved.
	Blank bool `json:"blank,omitempty"`
	// Level, Sigma and Delta are what Rule needs to know of the run: the
	// one-sided level of its test, the standard deviation of the log-ratios of
	// the baseline against itself, and the smallest relative gain that counts.
	Level float64 `json:"level,omitempty"`
	Sigma float64 `json:"sigma,omitempty"`
	Delta float64 `json:"delta,omitempty"`
}

// A Sample is one reading of one check. For a gate Value is 0 (failed) or 1.
// Value means nothing unless Class is empty.
type Sample struct {
	Check     string  `json:"check"`          // gate or measure id
	Case      string  `json:"case,omitempty"` // case or task id
	Split     string  `json:"split,omitempty"`
	Replicate int     `json:"rep,omitempty"` // from 1
	Value     float64 `json:"value"`
	// Class says why there is no value. Detail is a bounded excerpt for people.
	Class  Class  `json:"class,omitempty"`
	Detail string `json:"detail,omitempty"`
	Trace  string `json:"trace,omitempty"` // name of a file in the outcome, "": none
	// PaidBy is the attempt that measured this, when it was another one: the
	// sample came from the cache and adds no evidence.
	PaidBy ID `json:"paid_by,omitempty"`
	// Gate tells gate samples from measures.
	Gate bool `json:"gate,omitempty"`
}

// OutOfTime begins the Detail of a sample whose command a clock ended.
const OutOfTime = "did not end within "

// TimedOut reports whether a clock ended the command, by the candidate's fault.
func (s *Sample) TimedOut() bool {
	return s.Class == ClassCandidate && strings.HasPrefix(s.Detail, OutOfTime)
}

// An Evaluation is what was measured of one subject. A Claim is a worker's own
// word: shown, never judged.
type Evaluation struct {
	Subject ID       `json:"subject"`
	Tree    string   `json:"tree,omitempty"`
	Claim   bool     `json:"claim,omitempty"`
	Stage   int      `json:"stage"` // index into the plan's After; Before counts from -1 down
	Samples []Sample `json:"samples,omitempty"`
}

// NoteKind sorts notes.
type NoteKind string

const (
	NoteProposal   NoteKind = "proposal" // a hypothesis and an approach that a later attempt may take up: JSON, see propose
	NoteFinding    NoteKind = "finding"
	NoteAnnotation NoteKind = "annotation"
	NoteSteer      NoteKind = "steer" // a person's word to later plans
	NoteSpace      NoteKind = "space" // what a tree offers an edit operator: JSON, see propose
	NoteWarning    NoteKind = "warning"
	NoteAdopt      NoteKind = "adopt" // a variant that was thought of or made outside the run: JSON, see Adopted
)

// A Note is text about candidates that later decisions and briefs may cite.
type Note struct {
	About []ID     `json:"about,omitempty"`
	Kind  NoteKind `json:"kind"`
	Body  string   `json:"body"`
}

// An Outcome ends one try. With neither Commit nor Failure the try proposed
// nothing, or had nothing to make.
type Outcome struct {
	ID      ID     `json:"id"`
	Try     int    `json:"try"`
	Commit  string `json:"commit,omitempty"`
	Tree    string `json:"tree,omitempty"`
	Failure Class  `json:"failure,omitempty"`
	// Detail is a bounded excerpt that explains Failure, or says what a try
	// without a commit did.
	Detail string `json:"detail,omitempty"`
	// TimedOut says that a clock ended what Failure is about: the operator, or a
	// command that checks the candidate.
	TimedOut bool `json:"timed_out,omitempty"`
	// Isolation is the grade that really held: container, bwrap, namespaces,
	// landlock, none; "in-process" for a built-in operator without commands.
	Isolation   string            `json:"isolation,omitempty"`
	Evaluations []Evaluation      `json:"evaluations,omitempty"`
	Notes       []Note            `json:"notes,omitempty"`
	Files       map[string]string `json:"files,omitempty"` // artefact name to digest
	// Spent leaves out what Proposed of the same try already recorded.
	Spent Amount `json:"spent"`
	// Same names an earlier candidate with the same tree, whose evaluation
	// stands for this one; 0 means there is none (the base is -1).
	Same ID `json:"same,omitempty"`
	// Look is which look at the dataset's test split this was, from 1, counted
	// over all runs of the user; 0: none, or nobody counts.
	Look int `json:"look,omitempty"`
}

// SameAsBase is Outcome.Same for a child whose tree is the base's.
const SameAsBase ID = -1
