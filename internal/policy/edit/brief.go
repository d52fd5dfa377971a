package edit

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Version of the JSON in briefs, feedback and spaces.
const Version = 1

// Kind is one way to change a tree.
type Kind string

const (
	Any          Kind = "any"         // the operator chooses by its draw
	Number       Kind = "number"      // one literal
	NumberLine   Kind = "number-line" // the literals of one line, together
	NumberFew    Kind = "number-few"  // several literals anywhere in a file
	Tune         Kind = "tune"        // the parameters marked clade:tune
	LineDelete   Kind = "line-delete"
	LineReplace  Kind = "line-replace" // by another line of the file
	LineInsert   Kind = "line-insert"  // a copy of another line of the file
	LineSwap     Kind = "line-swap"
	TokenDelete  Kind = "token-delete"
	TokenReplace Kind = "token-replace" // by a token of the same class from the file
	TokenFlip    Kind = "token-flip"    // an operator or word by its opposite or neighbour
	Cross        Kind = "cross"         // two parents against their common ancestor
)

// kinds lists those that compete for attempts, in a fixed order.
var kinds = [...]Kind{Number, NumberLine, NumberFew, Tune, LineDelete, LineReplace, LineInsert, LineSwap,
	TokenDelete, TokenReplace, TokenFlip}

// A Brief tells the operator what to do. As JSON it is the attempt's brief.
type Brief struct {
	Version int  `json:"v"`
	Kind    Kind `json:"kind"`
	// File is the path in the tree, slash separated. When the parent has no
	// such file, or nothing in it can be edited so, the operator chooses one
	// by Draw.
	File  string `json:"file,omitempty"`
	Moves []Move `json:"moves,omitempty"` // Number, NumberLine, NumberFew
	// Values are what the tuned parameters become, as they are written, and
	// Point is where they lie in the coordinates of CMA-ES.
	Values map[string]string `json:"values,omitempty"`
	Point  []float64         `json:"point,omitempty"`
	// Ancestor is the commit both parents descend from (Cross).
	Ancestor string `json:"ancestor,omitempty"`
	// Draw seeds every choice that is left to the operator.
	Draw uint64 `json:"draw,string"`
}

// A Move changes neighbouring literals: the one at At and as many after it as
// there are draws, or with Line those of At's line.
type Move struct {
	At   float64   `json:"at"` // from 0 to below 1: a place among the file's literals
	Line bool      `json:"line,omitempty"`
	Z    []float64 `json:"z"`    // how many steps each is moved
	Grow []float64 `json:"grow"` // what each step is multiplied by, first
}

// String is the brief's JSON.
func (b Brief) String() string {
	out, err := json.Marshal(b)
	if err != nil { // only a NaN could do it, and Brief rounds every number
		return fmt.Sprintf(`{"v":%d,"kind":%q,"draw":"%d"}`, Version, Any, b.Draw)
	}
	return string(out)
}

// ParseBrief reads what String wrote. Text that is no JSON object (prose from a
// strategy without a briefer, or nothing) is a brief of kind Any. It is an error
// when an object is not a brief of this version.
func ParseBrief(text string, draw uint64) (Brief, error) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return Brief{Version: Version, Kind: Any, Draw: draw}, nil
	}
	var b Brief
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		return Brief{}, fmt.Errorf("reading the brief of an edit: %w", err)
	}
	if b.Version != Version {
		return Brief{}, fmt.Errorf("reading the brief of an edit: version %d, want %d", b.Version, Version)
	}
	for _, m := range b.Moves {
		if len(m.Z) == 0 || len(m.Grow) != len(m.Z) || m.At < 0 || m.At >= 1 {
			return Brief{}, fmt.Errorf("reading the brief of an edit: a move needs as many z as grow and a place from 0 to below 1")
		}
	}
	return b, nil
}
