package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"
)

// Bounds of a benchmark's result.
const (
	MaxResult   = maxDocument // bytes
	maxTasks    = 10_000
	maxTaskName = 200 // bytes
)

// A Task is one part of a benchmark with its own score.
type Task struct {
	Name  string
	Score float64
}

// A Result is what a benchmark wrote to its result file:
//
//	{"score": 0.5, "tasks": {"name": 1, …}, "nonce": "…"}
//
// Every key may be missing; a nonce, where there is one, must be the one of
// CLADE_NONCE. Other keys are the benchmark's own and not looked at.
type Result struct {
	Score  float64
	Scored bool   // there was a score
	Nonced bool   // it had this run's nonce
	Tasks  []Task // by name; nil: there were none
}

// ParseResult reads a result strictly; see document and Number.
func ParseResult(data []byte, nonce string) (Result, error) {
	doc, err := parseDocument(data)
	if err != nil {
		return Result{}, err
	}
	object, ok := doc.root.(map[string]any)
	if !ok {
		return Result{}, fmt.Errorf("the result is %s, not an object", kindOf(doc.root))
	}
	var res Result
	if got, ok := object["nonce"]; ok && got != any(nonce) {
		return Result{}, errors.New("the result's nonce is not this run's: it is another run's result")
	} else if ok {
		res.Nonced = true
	}
	if _, ok := object["score"]; ok {
		if res.Score, err = doc.Number("/score"); err != nil {
			return Result{}, err
		}
		res.Scored = true
	}
	res.Tasks, err = tasksOf(object["tasks"])
	return res, err
}

func tasksOf(v any) ([]Task, error) {
	if v == nil {
		return nil, nil
	}
	object, ok := v.(map[string]any)
	switch {
	case !ok:
		return nil, fmt.Errorf("tasks is %s, not an object", kindOf(v))
	case len(object) > maxTasks:
		return nil, fmt.Errorf("the result has %d tasks, more than %d", len(object), maxTasks)
	}
	var tasks []Task
	for _, name := range slices.Sorted(maps.Keys(object)) {
		n, ok := object[name].(json.Number)
		switch {
		case name == "" || len(name) > maxTaskName || !utf8.ValidString(name):
			return nil, fmt.Errorf("task name %s is empty or longer than %d bytes", quote(name), maxTaskName)
		case !ok:
			return nil, fmt.Errorf("task %s is %s, not a number", quote(name), kindOf(object[name]))
		}
		score, err := Number([]byte(n))
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", quote(name), err)
		}
		tasks = append(tasks, Task{name, score})
	}
	return tasks, nil
}
