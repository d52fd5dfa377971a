package workspace

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
)

// FuzzMark: a marker lies where anybody can write, and is one or ErrUnmarked.
func FuzzMark(f *testing.F) {
	for _, s := range []string{`{"commit":"c"}`, `{"commit":"c","owned":["z/","a"],"altered":{"a":{"mode":"100644"}}}`,
		`{}`, ``, `[]`, `{"commit":1}`, `{"commit":"c"}x`, `{"commit":"c","apart":["../x",""]}`, `{"commit":"c","owned":["\u0000ff","\u0000f"]}`} {
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
		(&Built{meta: meta{added: m.added}}).owned("a/b")
	})
}

// F37: paths whose bytes are no text come back from JSON as they were.
func TestF37AddedPaths(t *testing.T) {
	t.Parallel()
	want := added{
		Owned:   []string{"a", "b\xffc/", "\u00fc", "\xff"},
		Altered: map[string]left{"\xfe": {ledger.ModeFile, "id"}, "new\nline": {}},
	}
	raw, err := json.Marshal(want.texts())
	if err != nil {
		t.Fatal(err)
	}
	var said added
	if err := json.Unmarshal(raw, &said); err != nil {
		t.Fatal(err)
	}
	got, err := said.paths()
	slices.Sort(want.Owned)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
