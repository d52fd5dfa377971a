package evaluate

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestParseResult(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		want Result
	}{
		"score":       {`{"score": 0.5}`, Result{Score: 0.5, Scored: true}},
		"tasks":       {`{"tasks": {"b": 1, "a": 0}}`, Result{Tasks: []Task{{"a", 0}, {"b", 1}}}},
		"both, nonce": {`{"score": 1, "tasks": {"a": -2}, "nonce": "n"}`, Result{Score: 1, Scored: true, Nonced: true, Tasks: []Task{{"a", -2}}}},
		"other keys":  {`{"score": 1, "Score": 2, "note": [true]}`, Result{Score: 1, Scored: true}},
		"no score":    {`{"SCORE": 1}`, Result{}},
	} {
		if got, err := ParseResult([]byte(tc.text), "n"); err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, tc.want)
		}
	}
}

func TestParseResultRefuses(t *testing.T) { // F40, F42, F43, P1
	t.Parallel()
	var many strings.Builder
	for i := range maxTasks + 1 {
		fmt.Fprintf(&many, `"%d": 1,`, i)
	}
	for name, text := range map[string]string{
		"empty":              "",
		"a number":           "1",
		"score a string":     `{"score": "1"}`,
		"score null":         `{"score": null}`,
		"score a boolean":    `{"score": true}`,
		"score too large":    `{"score": 1e999}`,
		"score too small":    `{"score": 1e-400}`,
		"score twice":        `{"score": 1, "score": 2}`,
		"two documents":      `{"score": 1}{"score": 2}`,
		"another's nonce":    `{"score": 1, "nonce": "m"}`,
		"nonce a number":     `{"score": 1, "nonce": 1}`,
		"tasks an array":     `{"tasks": [1]}`,
		"a task without one": `{"tasks": {"a": null}}`,
		"a task's boolean":   `{"tasks": {"a": true}}`,
		"a task's NaN":       `{"tasks": {"a": NaN}}`,
		"a task twice":       `{"tasks": {"a": 1, "a": 1}}`,
		"a nameless task":    `{"tasks": {"": 1}}`,
		"a long name":        `{"tasks": {"` + strings.Repeat("x", maxTaskName+1) + `": 1}}`,
		"100k tasks":         `{"tasks": {` + many.String() + `"x": 1}}`,
	} {
		if got, err := ParseResult([]byte(text), "n"); err == nil {
			t.Errorf("%s: %.100v, want an error", name, got)
		}
	}
}

func FuzzParseResult(f *testing.F) {
	for _, s := range []string{`{"score": 1}`, `{"tasks": {"a": 1}}`, `{"nonce": "n"}`, `{"tasks": null}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseResult(data, "n")
		if err == nil && (r.Score-r.Score != 0 || len(r.Tasks) > maxTasks) {
			t.Errorf("%q gave %+v", data, r)
		}
	})
}
