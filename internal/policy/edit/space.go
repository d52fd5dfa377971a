package edit

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cladehq/clade"
)

// A Space is what a tree offers: the operator's survey of the base, recorded as
// JSON in a note of kind space.
type Space struct {
	Version int         `json:"v"`
	Use     string      `json:"use"` // "mutate": tells this note from another operator's
	Files   []File      `json:"files"`
	Tunes   []Parameter `json:"tunes,omitempty"`
	// Skipped counts files that an edit may touch but that are binary, too
	// large, not UTF-8 or one too many.
	Skipped int `json:"skipped,omitempty"`
}

// A File is one text file an edit may touch.
type File struct {
	Path    string `json:"path"`
	Numbers int    `json:"numbers,omitempty"` // literals that may be moved
	Lines   int    `json:"lines,omitempty"`   // lines that may be edited
	Tokens  int    `json:"tokens,omitempty"`
	Data    bool   `json:"data,omitempty"` // nearly nothing but numbers
}

// A Parameter is a value marked clade:tune.
type Parameter struct {
	Name    string   `json:"name"`
	Path    string   `json:"path"`
	Line    int      `json:"line"` // of the value, from 1
	Value   string   `json:"value"`
	Low     float64  `json:"low,omitempty"`
	High    float64  `json:"high,omitempty"`
	Log     bool     `json:"log,omitempty"`
	Int     bool     `json:"int,omitempty"`
	Choices []string `json:"choices,omitempty"` // instead of a range
}

// ParseSpace reads the body of a note; ok is false when it is not a survey of
// the mutate operator.
func ParseSpace(body string) (s Space, ok bool) {
	err := json.Unmarshal([]byte(body), &s)
	return s, err == nil && s.Version == Version && s.Use == "mutate"
}

// String is the space's JSON.
func (s Space) String() string {
	out, err := json.Marshal(s)
	if err != nil { // ranges are finite: the marker's parser sees to it
		return ""
	}
	return string(out)
}

// spaceMark is how a survey begins, so that notes of other operators need not be
// parsed to be passed over.
var spaceMark = fmt.Sprintf(`{"v":%d,"use":"mutate"`, Version)

// spaceOf finds the newest survey in the view.
func spaceOf(v clade.View) (body string) {
	for n := range v.Notes(clade.NoteSpace) {
		if strings.HasPrefix(n.Body, spaceMark) {
			body = n.Body
		}
	}
	return body
}
