package workspace

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// added is what setup and carry have added to a base tree.
type added struct {
	Owned []string `json:"owned,omitempty"` // files, and folders with a slash at the end; sorted
	// Altered are the tracked files that setup left different, the blob and
	// mode it left them with; "" where it removed them.
	Altered map[string]left `json:"altered,omitempty"`
}

// texts makes every path one that JSON can hold.
func (a added) texts() added { return a.each(asText) }

// paths undoes texts, whatever was written since.
func (a added) paths() (added, error) {
	var bad error
	a = a.each(func(s string) string {
		p, err := fromText(s)
		if err != nil {
			bad = err
		}
		return p
	})
	slices.Sort(a.Owned) // it is searched
	return a, bad
}

func (a added) each(f func(string) string) added {
	out := added{Owned: eachPath(a.Owned, f)}
	if a.Altered != nil {
		out.Altered = make(map[string]left, len(a.Altered))
		for _, p := range slices.Sorted(maps.Keys(a.Altered)) {
			out.Altered[f(p)] = a.Altered[p]
		}
	}
	return out
}

func eachPath(list []string, f func(string) string) []string {
	list = slices.Clone(list)
	for i, p := range list {
		list[i] = f(p)
	}
	return list
}

// notText begins a path whose bytes are no UTF-8, in hexadecimal: JSON would
// change them. No path begins so.
const notText = "\x00"

func asText(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	return notText + hex.EncodeToString([]byte(path))
}

func fromText(s string) (string, error) {
	digits, ok := strings.CutPrefix(s, notText)
	if !ok {
		return s, nil
	}
	raw, err := hex.DecodeString(digits)
	if err != nil {
		return "", fmt.Errorf("%q is no path: %w", s, err)
	}
	return string(raw), nil
}
