package cli

import (
	"fmt"
	"math"
	"strconv"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/door/run"
)

// aim reads --target: a finite number, or the word none.
func aim(ch run.Changes, text string) (run.Changes, error) {
	if text == "none" {
		ch.NoTarget = true
		return ch, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return ch, &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("--target %q is no number", text),
			Hint: "it is a value of the first measure, or none"}
	}
	ch.Target = &x
	return ch, nil
}
