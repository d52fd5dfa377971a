package clade

// Status is where a verdict moves an attempt.
type Status string

const (
	StatusOpen      Status = ""          // no verdict yet
	StatusPending   Status = "pending"   // buffered; another verdict will follow
	StatusEvaluated Status = "evaluated" // has numbers, may be tried again
	StatusAccepted  Status = "accepted"  // a survivor: may be a parent
	StatusStable    Status = "stable"    // ties with its parent: may be walked on, never wins
	StatusRejected  Status = "rejected"
	StatusAbsorbed  Status = "absorbed" // became part of a merge
	StatusDiscarded Status = "discarded"
	StatusExhausted Status = "exhausted" // its tries are used up
	StatusInvalid   Status = "invalid"   // no valid number could be had
	StatusMeasured  Status = "measured"  // made numbers only, as planned
	StatusFinalist  Status = "finalist"  // goes to the final
	StatusWinner    Status = "winner"    // proved itself in the final
)

// Closes reports whether the status ends the attempt: a closed attempt has no
// further try.
func (s Status) Closes() bool {
	switch s {
	case StatusOpen, StatusPending, StatusEvaluated:
		return false
	}
	return true
}

// Parent reports whether a candidate with this status may be a parent.
func (s Status) Parent() bool {
	switch s {
	case StatusAccepted, StatusStable, StatusFinalist, StatusWinner:
		return true
	}
	return false
}

// A Verdict moves one attempt, and says why.
type Verdict struct {
	ID     ID     `json:"id"`
	Status Status `json:"status"`
	// Category is a short fixed word (improved, tie, regressed, gate, invalid,
	// infra, duplicate, …); Why is for people and never empty.
	Category string `json:"category,omitempty"`
	Why      string `json:"why"`
	// Final is set with StatusWinner, and on a finalist that did not win.
	Final *Final `json:"final,omitempty"`
}

// Final is the figure that a winner shows: measured fresh, on the test split
// where there is one.
type Final struct {
	Measure  string  `json:"measure"`
	Base     float64 `json:"base"`     // baseline, same cases or pairs
	Value    float64 `json:"value"`    // candidate
	Estimate float64 `json:"estimate"` // gain in the direction of the measure: a difference, or a ratio − 1 for timing
	Low      float64 `json:"low"`      // bounds of Estimate, each one-sided at level 1−Alpha; finite
	High     float64 `json:"high"`
	P        float64 `json:"p"`     // one-sided
	Alpha    float64 `json:"alpha"` // level each look was held to
	N        int     `json:"n"`     // cases, pairs or, for exact measures, repetitions
	Look     int     `json:"look"`  // which look at this dataset or which sequential look, from 1
	// Kind: "held out", "fresh, not held out" or "exact".
	Kind string `json:"kind"`
	// Selected is the estimate seen during the search: selected, hence biased.
	Selected float64 `json:"selected"`
}
