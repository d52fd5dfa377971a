package agent

import (
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/propose"
)

// summaryMark begins the line that an agent is asked to end with.
const summaryMark = "Summary:"

// prompt is what an agent is told for an attempt.
func (o *Operator) prompt(r propose.Request) string {
	if r.Attempt.Makes == clade.MakesNotes {
		return propose.Told(r) + "\n\n" + propose.NotesWanted(o.spec.Role)
	}
	return propose.Told(r) + "\n\n" + strings.Join(rules, "\n") + "\n"
}

// rules are what an agent that edits must know of its work.
var rules = []string{
	"You work in the current folder, alone and without anyone to ask: edit the files there, run what helps you, and stop when you are done.",
	"What is judged is the files you leave, built afresh and measured elsewhere. Your own figures are not read, tests and measuring code are put back before the measurement, and a change that only serves to fool them is refused.",
	"Do not commit and do not touch files outside the current folder.",
	"End your last message with one line that begins with \"" + summaryMark + "\" and says what you changed.",
}
