package propose

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cladehq/clade"
)

// Bounds of the notes of one attempt.
const (
	mostIdeas = 16
	mostTries = 64   // brackets of an answer that may begin its array
	ideaMost  = 600  // bytes of each part of a hypothesis
	findMost  = 4096 // bytes of a finding
)

// NotesWanted asks a model or agent for the notes of a role, in a shape that
// Noted reads.
func NotesWanted(role string) string {
	if role == clade.RoleReview {
		return "Change nothing. Say what you find about this candidate that helps whoever works on it next: what the edit really does, " +
			"where it could be wrong, what it leaves on the table. A few short paragraphs, no praise.\n"
	}
	return "Change nothing. Think of different ways to reach the objective, each varying another dimension, and answer with one JSON array and nothing else:\n" +
		`[{"hypothesis": "one line that a measurement can refute", "approach": "how to do it, in two or three sentences", "dimension": "what it varies"}]` + "\n"
}

// Noted is a proposal that made notes: hypotheses read from an ideator's answer,
// or a reviewer's words as they are. An answer without any is the operator's
// failure.
func Noted(r Request, role string, p Proposal, answer string) Proposal {
	about := clade.ParentsOrBase(r.Attempt.Parents)
	answer = strings.TrimSpace(clade.Clean(answer))
	if role == clade.RoleReview {
		if answer == "" {
			p.Class, p.Detail = clade.ClassOperator, "the reviewer said nothing"
			return p
		}
		p.Notes = append(p.Notes, clade.Note{About: about, Kind: clade.NoteFinding, Body: clade.Clip(answer, findMost)})
		return p
	}
	ideas, err := Hypotheses(answer)
	if err != nil {
		p.Class, p.Detail = clade.ClassOperator, err.Error()
		return p
	}
	for _, h := range ideas {
		body, err := json.Marshal(h)
		if err != nil {
			continue // a struct of strings is always JSON
		}
		p.Notes = append(p.Notes, clade.Note{About: about, Kind: clade.NoteProposal, Body: string(body)})
	}
	return p
}

// Hypotheses reads the first JSON array of hypotheses in an answer, whatever
// stands around it. Entries without a hypothesis, and ones said twice, are left
// out; there are at most 16.
func Hypotheses(answer string) ([]Hypothesis, error) {
	tries := 0
	for i, c := range answer {
		if c != '[' || tries == mostTries {
			continue
		}
		tries++
		var all []Hypothesis
		if json.NewDecoder(strings.NewReader(answer[i:])).Decode(&all) != nil {
			continue
		}
		if out := sound(all); len(out) > 0 {
			return out, nil
		}
	}
	return nil, fmt.Errorf("the answer has no JSON array of hypotheses: %s", clade.Line(answer, 200))
}

func sound(all []Hypothesis) (out []Hypothesis) {
	seen := map[string]bool{}
	for _, h := range all {
		h = Hypothesis{clade.Line(h.Hypothesis, ideaMost), clade.Clip(clade.Clean(h.Approach), ideaMost), clade.Line(h.Dimension, ideaMost)}
		if h.Hypothesis == "" || seen[h.Hypothesis] || len(out) == mostIdeas {
			continue
		}
		seen[h.Hypothesis] = true
		out = append(out, h)
	}
	return out
}
