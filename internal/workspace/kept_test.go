package workspace

import (
	"errors"
	"slices"
	"testing"
)

// FuzzMark: a marker lies where anybody can write, and is one or ErrUnmarked.
func FuzzMark(f *testing.F) {
	for _, s := range []string{`{"commit":"c"}`, `{"commit":"c","owned":["z/","a"],"altered":{"a":{"mode":"100644"}}}`,
		`{}`, ``, `[]`, `{"commit":1}`, `{"commit":"c"}x`, `{"commit":"c","apart":["../x",""]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := parseMark(raw)
		if err != nil {
			if !errors.Is(err, ErrUnmarked) {
				t.Error(err)
			}
			return
		}
		if m.Commit == "" || !slices.IsSorted(m.Owned) {
			t.Errorf("%+v", m)
		}
		(&Layer{plan: Plan{Hidden: m.Apart}}).Hides("a/b")
		(&Built{meta: meta{Owned: m.Owned}}).owned("a/b")
	})
}
