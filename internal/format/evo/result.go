package evo

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cladehq/clade/internal/policy/frontier"
	"github.com/cladehq/clade/internal/syntax"
)

// A Result is what a benchmark published.
type Result struct {
	Score float64            // finite
	Tasks map[string]float64 // by task; finite
	// Directions are of the tasks for which the result says them.
	Directions map[string]frontier.Direction
	Artifacts  []Artifact // label and path
	// Unfit says what was published and is no score, task by task, for people.
	// It is left out, which is not the same as zero.
	Unfit []string
	Value Value // everything as published, to be passed on
}

// Errors of results. Their texts are what an attempt's record says.
var (
	ErrEmptyResult   = errors.New("result_empty: the benchmark ended while it published its result")
	ErrNoResult      = errors.New("missing_result_json")
	ErrMissingScore  = errors.New("result_without_score: the result has no score")
	ErrNotANumber    = errors.New("score_is_no_number")
	ErrManyResults   = errors.New("many_results: several lines of the output are results")
	ErrNoOutput      = errors.New("result_missing: no result file, and no output")
	ErrOutputUnknown = errors.New("result_missing: no result file, and no line of the output is a JSON object with a score")
)

// ReadResult reads the file that the benchmark published. It is the result, or
// the attempt failed: nothing else is looked at where it exists. Only a JSON
// number that is finite and not too small is a score: no text, no boolean, no
// NaN, and no key that is given twice.
func ReadResult(data []byte) (*Result, error) {
	if len(data) == 0 {
		return nil, ErrEmptyResult
	}
	v, err := Parse("result.json", data)
	if err != nil {
		return nil, fmt.Errorf("result_invalid: %w", err)
	}
	return resultOf(v)
}

// ResultOfOutput finds the result in the output of a benchmark that published no
// file: all of it is one JSON object with a score, or exactly one of its lines
// is.
func ResultOfOutput(stdout []byte) (*Result, error) {
	whole := strings.TrimSpace(string(stdout))
	if whole == "" {
		return nil, ErrNoOutput
	}
	if v, f := parse([]byte(whole)); f == nil {
		return resultOf(v)
	}
	var found []Value
	for line := range strings.Lines(whole) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "{") {
			continue
		}
		if v, f := parse([]byte(line)); f == nil && v.Get("score").Exists() {
			found = append(found, v)
		}
	}
	switch len(found) {
	case 0:
		return nil, ErrOutputUnknown
	case 1:
		return resultOf(found[0])
	}
	return nil, ErrManyResults
}

func resultOf(v Value) (*Result, error) {
	score := v.Get("score")
	if !v.IsObject() || !score.Exists() {
		return nil, ErrMissingScore
	}
	n, ok := scoreOf(score)
	if !ok {
		return nil, fmt.Errorf("%w: it is %s", ErrNotANumber, shown(score))
	}
	r := &Result{Score: n, Value: v, Tasks: map[string]float64{}, Directions: map[string]frontier.Direction{}, Artifacts: DeclaredArtifacts(v, "")}
	tasks, meta := v.Get("tasks"), v.Get("tasks_meta")
	if !tasks.IsNull() && !tasks.IsObject() {
		r.Unfit = append(r.Unfit, "tasks is "+tasks.What()+", not a mapping")
	}
	for _, p := range tasks.Pairs() {
		if n, ok := scoreOf(p.Value); ok {
			r.Tasks[p.Key] = n
		} else {
			r.Unfit = append(r.Unfit, "task "+syntax.Quote(p.Key)+": "+shown(p.Value)+" is no score")
		}
	}
	for _, p := range meta.Pairs() {
		if d := direction(p.Value); d != "" {
			r.Directions[p.Key] = d
		}
	}
	return r, nil
}

// scoreOf is the score that a value is. Minus zero is zero.
func scoreOf(v Value) (float64, bool) {
	n, ok := v.Number()
	if n == 0 {
		n = 0
	}
	return n, ok
}

func shown(v Value) string {
	if s, ok := v.Text(); ok {
		return "the text " + syntax.Quote(s)
	}
	return v.What()
}

func direction(meta Value) frontier.Direction {
	switch s, _ := meta.Get("direction").Text(); frontier.Direction(s) {
	case frontier.Max:
		return frontier.Max
	case frontier.Min:
		return frontier.Min
	}
	return ""
}

// taskScores are the tasks of a published result as strategies see them.
func taskScores(result Value) map[string]frontier.Task {
	out := map[string]frontier.Task{}
	for _, p := range result.Get("tasks").Pairs() {
		if n, ok := scoreOf(p.Value); ok {
			out[p.Key] = frontier.Task{Score: n, Direction: direction(result.Get("tasks_meta").Get(p.Key))}
		}
	}
	return out
}

// CheckTasks refuses a result without tasks beside traces of several: whoever
// reads it would take the tasks for never measured. traces counts task_*.json.
func (r *Result) CheckTasks(traces int) error {
	if tasks := r.Value.Get("tasks"); traces > 1 && len(tasks.Pairs())+len(tasks.Items()) == 0 {
		return fmt.Errorf("tasks_missing_from_result: there are %d traces, and no tasks in the result; publish the score of each task there", traces)
	}
	return nil
}

// DeclaredArtifacts are the artifacts that a result or a trace names, as a
// mapping of labels to paths or as a list of mappings with name or kind and path
// or uri. source says where, for their records.
func DeclaredArtifacts(v Value, source string) []Artifact {
	var out []Artifact
	add := func(label, path Value, otherwise string) {
		at, ok := path.Text()
		if !ok || strings.TrimSpace(at) == "" {
			return
		}
		name, ok := label.Text()
		if !ok || name == "" {
			name = otherwise
		}
		out = append(out, Artifact{Label: name, Path: at, Source: source})
	}
	declared := v.Get("artifacts")
	for _, p := range declared.Pairs() {
		add(Text(p.Key), p.Value, "")
	}
	for i, item := range declared.Items() {
		add(first(item.Get("name"), item.Get("kind")), first(item.Get("path"), item.Get("uri")), "artifact-"+strconv.Itoa(i+1))
	}
	return out
}

// first is the first value that is text and not empty.
func first(vs ...Value) Value {
	for _, v := range vs {
		if s, ok := v.Text(); ok && s != "" {
			return v
		}
	}
	return Value{}
}
