package evo

import (
	"errors"
	"strconv"
	"strings"
)

// A Trace is traces/task_<id>.json: what happened in one task. Only its task,
// score and status mean something to us.
type Trace struct {
	Task   string
	Score  float64
	Scored bool   // there is a score, and it is a number
	Status string // passed or failed, from the score where the trace does not say
	Value  Value  // all of it
}

// passing is the score from which a task that does not say passed.
const passing = 0.5

// ErrNoTask reports a trace that does not say of which task it is.
var ErrNoTask = errors.New("the trace has no task_id")

// ReadTrace reads a trace.
func ReadTrace(name string, data []byte) (*Trace, error) {
	v, err := Parse(name, data)
	if err != nil {
		return nil, err
	}
	t := &Trace{Value: v}
	id := v.Get("task_id")
	switch s, ok := id.Text(); {
	case ok && s != "":
		t.Task = s
	case id.kind == number:
		t.Task = id.raw
	default:
		return nil, ErrNoTask
	}
	t.Score, t.Scored = scoreOf(v.Get("score"))
	t.Status, _ = v.Get("status").Text()
	if t.Status == "" && t.Scored {
		t.Status = map[bool]string{true: "passed", false: "failed"}[t.Score >= passing]
	}
	return t, nil
}

// Salvage makes a result of the traces that a failed attempt left: the mean of
// their scores, to four places, and the scores. ok is false when there are none.
func Salvage(traces []*Trace) (score float64, result Value, ok bool) {
	tasks, sum, n := Object(), 0.0, 0
	for _, t := range traces {
		if t.Scored {
			tasks = tasks.With(t.Task, t.Value.Get("score"))
		}
	}
	for _, p := range tasks.Pairs() {
		s, _ := scoreOf(p.Value)
		sum += s
		n++
	}
	if n == 0 {
		return 0, Value{}, false
	}
	score = rounded(sum/float64(n), 4)
	return score, Object(Pair{"score", Number(score)}, Pair{"tasks", tasks}), true
}

// rounded is x to so many places, as Python rounds: of the number that x exactly
// is, halves to even.
func rounded(x float64, places int) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', places, 64), 64)
	return r
}

// TraceName is the file of a task's trace. What cannot be in a file's name is
// written as %XX, so that no task can name a file elsewhere.
func TraceName(task string) string { return "task_" + fileName(task) + ".json" }

// GateLogName is the file that a gate's output is kept in.
func GateLogName(gate string) string { return "gate_" + fileName(gate) + ".log" }

// longest is how many bytes of a name go into a file's: what is around them and
// the file systems' limit of 255 leave that much.
const longest = 200

// fileName makes a name a part of a file's name. Names that need nothing stay as
// they are.
func fileName(name string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if b.Len() > longest {
			break
		}
		if c < ' ' || c == 0x7f || strings.IndexByte(`/\:*?"<>|%`, c) >= 0 {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
