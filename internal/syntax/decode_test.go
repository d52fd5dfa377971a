package syntax_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

type told struct {
	Text  string              `json:"text"`
	List  []told              `json:"list"`
	Each  map[string]told     `json:"each"`
	USD   *clade.Microdollars `json:"usd"` // reads itself
	Inner *struct {
		Count int64 `json:"count,omitempty"`
	} `json:"inner"`
}

func TestDecode(t *testing.T) {
	t.Parallel()
	const one = `{"text":"a","list":[{"text":"b"}],"each":{"Text":{"text":"c"},"text":{}},"usd":0.5,"inner":{"count":7}}`
	var got, want told
	if err := syntax.Decode([]byte(one), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(one), &want); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v (%v)", got, want, err)
	}
}

// F40: what a program says is read as it is written or not at all. encoding/json
// would take each of these for something else than it says.
func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ data, want string }{
		"another case":          {`{"Text":"x"}`, `line 1, column 2: unknown key "Text"; did you mean text?`},
		"two cases":             {"{\"text\":\"x\",\n \"TEXT\":\"y\"}", `line 2, column 2: unknown key "TEXT"; did you mean text?`},
		"long s":                {`{"liſt":[]}`, `line 1, column 2: unknown key "liſt"; did you mean list? character 3 is U+017F, no letter of ASCII`},
		"twice":                 {`{"text":"x","text":"y"}`, `line 1, column 13: key "text" is given twice; the first is on line 1; keep one`},
		"twice, escaped":        {`{"text":"x","\u0074ext":"y"}`, `line 1, column 13: key "text" is given twice; the first is on line 1; keep one`},
		"twice, inside":         {`{"inner":{"count":1,"count":2}}`, `line 1, column 21: key "count" is given twice; the first is on line 1; keep one`},
		"another case, inside":  {`{"inner":{"Count":1}}`, `line 1, column 11: unknown key "Count"; did you mean count?`},
		"another case, in list": {`{"list":[{},{"tExt":""}]}`, `line 1, column 14: unknown key "tExt"; did you mean text?`},
		"another case, in map":  {`{"each":{"x":{"tExt":""}}}`, `line 1, column 15: unknown key "tExt"; did you mean text?`},
		"twice, in a map":       {`{"each":{"x":{},"x":{}}}`, `line 1, column 17: key "x" is given twice; the first is on line 1; keep one`},
		"no name":               {`{"":1}`, `line 1, column 2: unknown key ""; known here: each, inner, list, text, usd`},
		"two values":            {`{} {}`, "line 1, column 4: is no JSON: invalid character '{' after top-level value"},
		"cut":                   {`{"text":`, "line 1, column 9: is no JSON: it ends too early"},
		"nothing":               {``, "line 1, column 1: is no JSON: it ends too early"},
		"no UTF-8":              {"{\"text\":\"\xff\"}", "JSON is not valid UTF-8"},
		"deep":                  {strings.Repeat(`{"list":[`, 40) + strings.Repeat(`]}`, 40), "line 1, column 153: is nested deeper than 32 levels"},
		"another kind":          {`{"text":1}`, "json: cannot unmarshal number into Go struct field told.text of type string"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := told{Text: "as it was"}
			err := syntax.Decode([]byte(c.data), &got)
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if !reflect.DeepEqual(got, told{Text: "as it was"}) {
				t.Errorf("it holds %+v", got)
			}
		})
	}
}

// Whatever is read is JSON that encoding/json reads alike, and has its keys as
// they are written.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"text":"a","usd":1.5}`, `{"Text":"a"}`, `{"list":[{"text":"b"}],"each":{"A":{},"a":{}}}`, `null`, `[]`, `{"inner":null}`, `{"text":"a","text":"b"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want told
		if syntax.Decode(data, &got) != nil {
			return
		}
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		if err := d.Decode(&want); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is read as %+v, not %+v (%v)", data, got, want, err)
		}
	})
}
