package clade

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// OperatorManual is the operator of attempts that only somebody outside makes:
// a person or an agent who takes them up by hand.
const OperatorManual = "manual"

// A Given is a candidate made elsewhere, in the ledger already.
type Given struct {
	Commit  string `json:"commit"`
	Tree    string `json:"tree"`
	Summary string `json:"summary,omitempty"`
}

// An Adopted is the body of a NoteAdopt, as JSON: a variant that a run takes
// over from a file, or from another run. Without Given an operator takes up its
// hypothesis and approach.
type Adopted struct {
	Name       string   `json:"name"`
	Parents    []string `json:"parents,omitempty"` // names; one that the run does not know is left out
	Generation int      `json:"generation,omitempty"`
	Hypothesis string   `json:"hypothesis"`
	Approach   string   `json:"approach,omitempty"`
	Given      *Given   `json:"given,omitempty"`
}

// Adopted reads the body of a NoteAdopt; false when it says nothing that can be
// read.
func (n Note) Adopted() (a Adopted, ok bool) {
	ok = n.Kind == NoteAdopt && json.Unmarshal([]byte(n.Body), &a) == nil
	return a, ok
}

// Note is the adoption as a note.
func (a Adopted) Note() Note {
	body, err := json.Marshal(a)
	if err != nil {
		panic(err) // texts and numbers always have JSON
	}
	return Note{Kind: NoteAdopt, Body: string(body)}
}

// NameOf is the name of the n-th candidate by a pattern with one %d ("v%d",
// "exp_%04d"), "" where there is no pattern.
func NameOf(pattern string, n int) string {
	if pattern == "" {
		return ""
	}
	return fmt.Sprintf(pattern, n)
}

// namedMost bounds the numbers in names that are counted on from: a larger one
// is somebody's joke, and must not bring the next ones to an overflow.
const namedMost = 1_000_000_000

// NumberOf is the number at the end of a name, 0 if there is none or it is
// beyond a thousand millions.
func NumberOf(name string) int {
	digits := name[len(strings.TrimRight(name, "0123456789")):]
	n, err := strconv.Atoi(digits)
	if err != nil || n > namedMost {
		return 0
	}
	return n
}
