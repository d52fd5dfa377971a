package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"math"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/sandbox"
)

// Lines yields the whole lines of a stream without their ends. A line that a gap
// cut in two is left out.
func Lines(s sandbox.Stream) iter.Seq[[]byte] {
	parts := [][]byte{s.Head, s.Tail}
	if s.Truncated() {
		parts[0] = parts[0][:bytes.LastIndexByte(parts[0], '\n')+1]
		parts[1] = parts[1][bytes.IndexByte(parts[1], '\n')+1:]
	} else if len(s.Tail) > 0 {
		parts = [][]byte{s.Bytes()}
	}
	return func(yield func([]byte) bool) {
		for _, part := range parts {
			for line := range bytes.Lines(part) {
				if !yield(bytes.TrimRight(line, "\r\n")) {
					return
				}
			}
		}
	}
}

// Events yields the lines of a stream that are JSON objects, as far as they fit
// an E. Others are passed over: CLIs print warnings between their events.
func Events[E any](s sandbox.Stream) iter.Seq[E] {
	return func(yield func(E) bool) {
		for line := range Lines(s) {
			if e, ok := Event[E](line); ok && !yield(e) {
				return
			}
		}
	}
}

// Event reads one JSON object. A field of another type than expected is left
// zero: a newer CLI may have changed what nobody asks for.
func Event[E any](line []byte) (e E, ok bool) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return e, false
	}
	var mismatch *json.UnmarshalTypeError
	err := json.Unmarshal(line, &e)
	return e, err == nil || errors.As(err, &mismatch)
}

// What one run is believed to have used at most, in tokens or calls and in
// dollars: who says more has not said what it used.
const (
	countMost  = 100_000_000_000
	dollarMost = 1_000_000
)

// Absurd is what Count and Dollars make of figures that cannot be. Finish takes
// it for none.
const Absurd = -1

// Count is the sum of counts that a CLI printed; Absurd if one of them is
// negative, or all are too many.
func Count(printed ...float64) int64 {
	sum := 0.0
	for _, f := range printed {
		if !(f >= 0) { // NaN is not
			return Absurd
		}
		sum += math.Floor(f)
	}
	if sum > countMost {
		return Absurd
	}
	return int64(sum)
}

// Dollars is an amount of money that a CLI printed, rounded up to a microdollar
// but for what a sum of binary fractions adds; Absurd if it is negative or too
// much.
func Dollars(printed float64) clade.Microdollars {
	if !(printed >= 0 && printed <= dollarMost) {
		return Absurd
	}
	return clade.Microdollars(max(0, math.Ceil(printed*1e6-1e-3)))
}
