package evaluate

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDocumentNumber(t *testing.T) {
	t.Parallel()
	// The pointers are those of RFC 6901 §5.
	const doc = `{"foo": ["bar", 7], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8,
		"score": -0.0, "nested": {"x": [{"y": 1e3}]}}`
	d, err := parseDocument([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]float64{
		"/foo/1": 7, "/": 0, "/a~1b": 1, "/c%d": 2, "/e^f": 3, "/g|h": 4, `/i\j`: 5, `/k"l`: 6, "/ ": 7, "/m~0n": 8,
		"/score": 0, "/nested/x/0/y": 1000,
	} {
		if got, err := d.Number(pointer); err != nil || got != want {
			t.Errorf("%q = %v, %v; want %v", pointer, got, err, want)
		}
	}
	for _, pointer := range []string{"", "/foo", "/foo/0", "/foo/01", "/foo/-", "/foo/2", "/foo/+1", "/foo/-1", "foo", "/a~2b", "/a~", "/none", "/score/x", "/Score", "/nested"} {
		if got, err := d.Number(pointer); err == nil {
			t.Errorf("%q = %v, want an error", pointer, got)
		}
	}
	if whole, err := parseDocument([]byte(" 4 \n")); err != nil {
		t.Error(err)
	} else if got, err := whole.Number(""); err != nil || got != 4 {
		t.Errorf("the whole document = %v, %v; want 4", got, err)
	}
}

// F40: no number where a pointer hits something else, and no guessing of keys.
func TestDocumentNoNumber(t *testing.T) {
	t.Parallel()
	for name, doc := range map[string]string{
		"string":               `{"score": "1"}`,
		"bool":                 `{"score": true}`,
		"null":                 `{"score": null}`,
		"missing":              `{}`,
		"another case":         `{"SCORE": 1}`,
		"long s":               `{"ſcore": 1}`,
		"escaped long s":       `{"\u017fcore": 1}`,
		"duplicate":            `{"score": 1, "score": 2}`,
		"duplicate, escaped":   `{"score": 1, "\u0073core": 2}`,
		"duplicate elsewhere":  `{"score": 1, "x": [{"a": 1, "a": 1}]}`,
		"too large":            `{"score": 1e999}`,
		"too small":            `{"score": 1e-400}`,
		"NaN":                  `{"score": NaN}`,
		"hexadecimal":          `{"score": 0x10}`,
		"plus":                 `{"score": +1}`,
		"trailing data":        `{"score": 1} {"score": 2}`,
		"trailing comma":       `{"score": 1,}`,
		"comment":              `{"score": 1} // one`,
		"log line before":      "loading\n{\"score\": 1}",
		"byte order mark":      "\ufeff{\"score\": 1}",
		"not UTF-8":            "{\"score\": 1, \"x\": \"\xff\"}",
		"cut":                  `{"score": 1`,
		"empty":                "",
		"array":                `[1]`,
		"missing comma":        `{"a": 1 "score": 1}`,
		"deep (F43)":           strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"deep after score":     `{"score": 1, "x": ` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`,
		"larger than the cap":  `{"score": 1, "x": "` + strings.Repeat("x", maxDocument) + `"}`,
		"an object of objects": `{"score": {"score": 1}}`,
	} {
		d, err := parseDocument([]byte(doc))
		if err != nil {
			continue
		}
		if got, err := d.Number("/score"); err == nil {
			t.Errorf("%s: %v, want an error", name, got)
		}
	}
}

func TestDocumentTakesManyKeys(t *testing.T) { // F43
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"score": 1`)
	for i := range 100_000 {
		b.WriteString(`, "k` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + jsonInt(i) + `": 0`)
	}
	b.WriteString("}")
	d, err := parseDocument([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := d.Number("/score"); err != nil || got != 1 {
		t.Errorf("score = %v, %v; want 1", got, err)
	}
}

func jsonInt(i int) string {
	b, _ := json.Marshal(i)
	return string(b)
}

func FuzzDocument(f *testing.F) {
	for _, s := range []string{`{"score": 1}`, `{"a":1,"a":2}`, `[1,[2,{"x":3}]]`, `"x"`, `{"\u0061":1}`, `1 2`, `{"a":`, "[1,]"} {
		f.Add([]byte(s), "/score")
	}
	f.Fuzz(func(t *testing.T, data []byte, pointer string) {
		d, err := parseDocument(data)
		if err != nil {
			return
		}
		if !json.Valid(data) {
			t.Errorf("%q was read and is not JSON", data)
		}
		_, _ = d.Number(pointer)
	})
}
