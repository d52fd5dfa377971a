// Package crash kills this process at a named step, so that tests can see that
// every step survives it. Without a plan it does nothing.
package crash

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

// Variable names the environment variable that holds a plan: LABEL:SIDE:COUNT,
// as "proposed:after:3"; with ":all" after it the process's children die first,
// as in a power cut. "record:FILE" kills nothing: each side that is passed
// becomes a line "LABEL:SIDE" of the file.
const Variable = "CLADE_CRASH_AT"

// Sides of a step.
const (
	Before = "before" // nothing of the step is durable
	After  = "after"  // all of it is
)

// A Plan kills the process when a label's side is passed for the Count-th time,
// or records what is passed. A nil Plan never does anything.
type Plan struct {
	label, side string
	count       atomic.Int64
	die         func()
	record      *os.File
}

// Parse reads a plan; "" gives nil.
func Parse(text string) (*Plan, error) {
	if text == "" {
		return nil, nil
	}
	if file, ok := strings.CutPrefix(text, "record:"); ok {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return nil, fmt.Errorf("%s=%q: %w", Variable, text, err)
		}
		return &Plan{record: f}, nil
	}
	text, all := strings.CutSuffix(text, ":all")
	parts := strings.Split(text, ":")
	if len(parts) != 3 || parts[1] != Before && parts[1] != After {
		return nil, fmt.Errorf("%s=%q: want LABEL:before:COUNT or LABEL:after:COUNT", Variable, text)
	}
	n, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil || n < 1 {
		return nil, fmt.Errorf("%s=%q: the count is a number from 1", Variable, text)
	}
	p := &Plan{label: parts[0], side: parts[1], die: kill}
	if all {
		p.die = func() { killChildren(); kill() }
	}
	p.count.Store(n)
	return p, nil
}

// At passes a side of a step.
func (p *Plan) At(label, side string) {
	switch {
	case p == nil:
	case p.record != nil:
		_, _ = p.record.WriteString(label + ":" + side + "\n") // a record that is short fails its test
	case p.label == label && p.side == side && p.count.Add(-1) == 0:
		p.die()
	}
}

// Around passes both sides of a step.
func (p *Plan) Around(label string, step func() error) error {
	p.At(label, Before)
	err := step()
	if err == nil {
		p.At(label, After)
	}
	return err
}
