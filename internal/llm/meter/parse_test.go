package meter

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/llm"
)

// Splitting an object and writing it again changes nothing but the blanks around
// its members.
func FuzzObject(f *testing.F) {
	for _, s := range []string{`{}`, ` { "a" : [1, {"b":"}"}] , "c\"\u0064" : "\\" } `, `{"a":1,"a":2}`, `{"a":1e5,"b":null,"c":"é","d":-0.5}`, `[]`, `{"":{}}`, `{"a":"\u0061\\\""}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		o, err := parse(body)
		if err != nil {
			return
		}
		var before, after map[string]any
		if err := json.Unmarshal(body, &before); err != nil {
			t.Fatalf("%q was split: %v", body, err)
		}
		out := o.bytes()
		if err := json.Unmarshal(out, &after); err != nil {
			t.Fatalf("%q became %q: %v", body, out, err)
		}
		a, _ := json.Marshal(before)
		b, _ := json.Marshal(after)
		if !bytes.Equal(a, b) {
			t.Fatalf("%q became %q", body, out)
		}
		for _, w := range []wire{chat{}, responses{}, messages{}, generate{}} {
			if o, err := parse(body); err == nil {
				w.shape(o, 100)
				if w.limit(o, true, 50); !json.Valid(o.bytes()) {
					t.Fatalf("%T made of %q: %q", w, body, o.bytes())
				}
			}
		}
		marks(body)
	})
}

// A reply is read alike however it is cut into pieces on its way, and passes
// unchanged.
func FuzzReplies(f *testing.F) {
	for _, s := range []string{
		"data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}\n\ndata: [DONE]\n\n",
		"event: message_delta\r\ndata: {\"type\":\"message_delta\",\"usage\":{\"input_tokens\":1,\"output_tokens\":9}}\r\n\r\n",
		`{"usageMetadata":{"promptTokenCount":1}}`, "data:", "\n\n\n", `[{"error":{}}]`,
	} {
		f.Add([]byte(s), uint64(1))
	}
	f.Fuzz(func(t *testing.T, body []byte, seed uint64) {
		for _, w := range []wire{chat{}, responses{}, messages{}, generate{}} {
			for _, hide := range []bool{false, true} {
				var whole, parts tally
				one, many := &events{tally: &whole, wire: w, hide: hide}, &events{tally: &parts, wire: w, hide: hide}
				want := append(bytes.Clone(one.read(body)), one.end()...)
				if !hide && !bytes.Equal(want, body) {
					t.Fatalf("%q came out as %q", body, want)
				}
				rng, rest, got := rand.New(rand.NewPCG(seed, 1)), body, []byte(nil)
				for len(rest) > 0 {
					n := 1 + rng.IntN(len(rest))
					got = append(got, many.read(rest[:n])...)
					rest = rest[n:]
				}
				if got = append(got, many.end()...); !bytes.Equal(got, want) || parts.usage != whole.usage || parts.done != whole.done {
					t.Fatalf("%T: %q in pieces: %q and %+v; whole: %q and %+v", w, body, got, parts, want, whole)
				}
				if u := whole.usage; u.Input < 0 || u.Output < 0 || u.Tokens() > 4*mostTokens {
					t.Fatalf("%T: %q used %+v", w, body, u)
				}
			}
			var t1 tally
			d := &document{tally: &t1, wire: w}
			d.read(body)
			d.end()
		}
	})
}

// A long line is passed on before its end, and only so much of it is kept.
func TestLongLines(t *testing.T) {
	t.Parallel()
	var seen tally
	e := &events{tally: &seen, wire: chat{}}
	piece := []byte(strings.Repeat("x", 1<<20))
	passed := 0
	for range 40 {
		passed += len(e.read(piece))
		if len(e.line) > lineMost {
			t.Fatalf("%d bytes are kept", len(e.line))
		}
	}
	if passed < 39<<20 {
		t.Errorf("%d bytes were passed on", passed)
	}
	passed += len(e.read([]byte("\ndata: [DONE]\n")))
	if want := 40<<20 + 14; passed != want || !seen.done {
		t.Errorf("%d of %d bytes, done %v", passed, want, seen.done)
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int64{
		`{"messages":[]}`:                        0,
		`{"type":"image"}`:                       picture,
		`{"type" : "image_url", "image_url":{}}`: picture,
		`{"text":"\"type\":\"image\""}`:          0, // said, not shown
		`{"properties":{"image":{"type":"string"},"document":{"type":"file_"}}}`: 0,
		`{"type":"document"}`: whole,
		`[{"type":"image"},{"type":"text"},{"type":"input_image"}]`: 2 * picture,
		`{"parts":[{"inlineData":{"mimeType":"image/png"}}]}`:       whole,
		`{"previous_response_id":"resp_1"}`:                         whole,
		`{"text":"inlineData","a":"previous_response_id"}`:          0,
		`{"type":`: 0,
		`"open`:    0,
	} {
		var got int64
		for _, m := range marks([]byte(body)) {
			got += m.tokens
		}
		if got != want {
			t.Errorf("%s: %d, want %d", body, got, want)
		}
	}
}

// What has not changed is at most what was counted; what has is a token a byte,
// and an image that is new is one.
func TestSamples(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 4000)
	first := []byte(`{"messages":["` + long + `"],"tools":["` + long + `"]}`)
	for _, c := range []struct {
		name, body, setting string
		low, high           int64
	}{
		{"the same", string(first), "", 100 + overhead, 100 + overhead + 2*seam},
		{"longer in the middle", strings.Replace(string(first), `"],"tools"`, `","and more"],"tools"`, 1), "", 110 + overhead, 130 + overhead + 2*seam},
		{"an image more", strings.Replace(string(first), `"],"tools"`, `",{"type":"image"}],"tools"`, 1), "", picture + 110 + overhead, picture + 130 + overhead + 2*seam},
		{"taken otherwise", string(first), "{}", int64(len(first)) + overhead, int64(len(first)) + overhead},
		{"nothing in common", `{"x":1}`, "", 7 + overhead, 7 + overhead},
	} {
		var s samples
		s.add(sample{body: first, tokens: 100})
		if got := s.bound([]byte(c.body), c.setting); got < c.low || got > c.high {
			t.Errorf("%s: %d, want %d to %d", c.name, got, c.low, c.high)
		}
	}
}

// What differs lies between what differs finds, wherever that is.
func TestDiffers(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		a := make([]byte, rng.IntN(20_000))
		for i := range a {
			a[i] = byte(rng.IntN(2))
		}
		b := bytes.Clone(a)
		at := rng.IntN(len(a) + 1)
		b = append(append(bytes.Clone(b[:at]), make([]byte, rng.IntN(9))...), b[min(len(b), at+rng.IntN(9)):]...)
		from, to := differs(a, b)
		if from < 0 || to < from || to > len(a) || !bytes.Equal(a[:from], b[:from]) || !bytes.Equal(a[to:], b[len(b)-(len(a)-to):]) {
			t.Fatalf("seed %d: %d to %d of %d and %d", seed, from, to, len(a), len(b))
		}
	}
}

// The price of a reservation is never below that of what it stands for.
func TestReservationsBound(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := price()
		write := p.Input * 5 / 4
		p.CacheWrite = &write
		s := &session{}
		s.model.Price = p
		u := llm.Usage{Input: rng.Int64N(1e6), CacheRead: rng.Int64N(1e6), CacheWrite: rng.Int64N(1e6), Output: rng.Int64N(1e6)}
		cost, _ := llm.Cost(p, u)
		if most := s.price(u.Tokens()-u.Output, u.Output); most < cost {
			t.Fatalf("%+v costs %s, held %s", u, cost, most)
		}
	}
}

// I3e: what leads to another model, or to more answers than one, is taken out of a
// request on every wire that others than its maker serve.
func TestRoutersAreNotAsked(t *testing.T) {
	t.Parallel()
	const body = `{"model":"m","models":["dear"],"fallbacks":[{"model":"dear"}],"provider":{"order":["x"]},"plugins":[{"id":"web"}],"best_of":9,"api_base":"http://x","messages":[],"temperature":1}`
	for name, w := range map[string]wire{"chat": chat{}, "responses": responses{}, "messages": messages{}} {
		o, err := parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		w.shape(o, 100)
		if got := string(o.bytes()); got != `{"model":"m","messages":[],"temperature":1}` {
			t.Errorf("%s: %s", name, got)
		}
	}
}
