package sandbox

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// A value shorter than leastSecret bytes is no key, and a part of one shorter than
// leastPart tells nothing of it: both occur in any text.
const (
	leastSecret = 8
	leastPart   = 16
)

// Forms are the ways in which programs print a secret, longest first: as it is,
// line by line, escaped as in JSON or in source, and, where it is JSON itself,
// each of its texts. None for a value too short to be a secret.
func Forms(value string) (forms []string) {
	if len(value) < leastSecret {
		return nil
	}
	forms = append(forms, value)
	texts := append([]string{value}, leaves(value)...)
	for _, text := range texts {
		forms = append(forms, parts(text)...)
	}
	slices.SortStableFunc(forms, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(forms)
}

// parts are a text of a secret escaped, and its lines.
func parts(text string) (out []string) {
	add := func(part string) {
		if len(part) >= leastPart {
			out = append(out, part)
		}
	}
	text = strings.TrimSpace(text)
	add(text)
	if b, err := json.Marshal(text); err == nil {
		add(string(b[1 : len(b)-1]))
	}
	quoted := strconv.Quote(text)
	add(quoted[1 : len(quoted)-1])
	if !strings.Contains(text, "\n") {
		return out
	}
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); !strings.HasPrefix(l, "-----") { // every key's first and last
			add(l)
		}
	}
	return out
}

// leaves are the texts in a JSON object: a credentials file holds its key so.
// What names a place is no key.
func leaves(value string) (out []string) {
	var object map[string]any
	if json.Unmarshal([]byte(value), &object) != nil {
		return nil
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if !strings.Contains(v, "://") && strings.ContainsAny(v, "0123456789") {
				out = append(out, v)
			}
		case map[string]any:
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(object)
	slices.Sort(out)
	return out
}
