package worker

import (
	"strings"

	"github.com/cladehq/clade"
)

// hidden stands where a secret was.
const hidden = "[secret]"

// hide is text without the values that no candidate may hold. Operators and the
// evaluator hide what they pass to their own commands; this is for whatever way a
// value finds all the same: the name of a file, a task, a message.
func (w *Worker) hide(text string) string {
	for _, v := range w.Secrets {
		text = strings.ReplaceAll(text, v, hidden)
	}
	return text
}

// hideAll hides secrets in all that the try says.
func (w *Worker) hideAll(o *clade.Outcome) {
	if len(w.Secrets) == 0 {
		return
	}
	o.Detail = w.hide(o.Detail)
	for i := range o.Notes {
		o.Notes[i].Body = w.hide(o.Notes[i].Body)
	}
	for _, e := range o.Evaluations {
		for i := range e.Samples {
			e.Samples[i] = w.hideIn(e.Samples[i])
		}
	}
}

func (w *Worker) hideIn(s clade.Sample) clade.Sample {
	s.Case, s.Detail = w.hide(s.Case), w.hide(s.Detail)
	return s
}
