package openai

import (
	"bytes"
	"testing"

	"github.com/cladehq/clade/internal/llm"
)

// F47, P25: parts of kinds that nobody asked for are passed over, and a reply of
// nothing else is none.
func TestRead(t *testing.T) {
	t.Parallel()
	const (
		start = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"a\"},\"finish_reason\":null}]}\n\n"
		end   = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
		done  = "data: [DONE]\n\n"
	)
	for name, c := range map[string]struct {
		body string
		want llm.Reply
		kind llm.Kind
	}{
		"stream":                      {start + end + done, llm.Reply{Text: "a", Finish: llm.FinishStop}, ""},
		"line ends of Windows":        {"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]\r\n\r\n", llm.Reply{Text: "a", Finish: llm.FinishStop}, ""},
		"comments":                    {": waiting\n\n" + start + ": waiting\n\n" + end + done, llm.Reply{Text: "a", Finish: llm.FinishStop}, ""},
		"no last blank line":          {start + end + "data: [DONE]", llm.Reply{Text: "a", Finish: llm.FinishStop}, ""},
		"no word of the end":          {start + end, llm.Reply{Text: "a", Finish: llm.FinishStop}, ""},
		"no reason":                   {start + done, llm.Reply{Text: "a", Finish: llm.FinishOther}, ""},
		"second choice":               {"data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"}}]}\n\n" + start + end + done, llm.Reply{Text: "a", Finish: llm.FinishStop}, ""},
		"refusal":                     {"data: {\"choices\":[{\"index\":0,\"delta\":{\"refusal\":\"no\"},\"finish_reason\":\"stop\"}]}\n\n" + done, llm.Reply{Text: "no", Finish: llm.FinishRefuse}, ""},
		"reasoning is not text":       {"data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n" + start + end + done, llm.Reply{Text: "a", Finish: llm.FinishStop}, ""},
		"reasoning only in the total": {start + end + "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2,\"total_tokens\":40}}\n\n" + done, llm.Reply{Text: "a", Finish: llm.FinishStop, Usage: llm.Usage{Input: 10, Output: 30, Reported: true}}, ""},
		"usage that cannot be":        {start + end + "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2,\"total_tokens\":12,\"prompt_tokens_details\":{\"cached_tokens\":11}}}\n\n" + done, llm.Reply{Text: "a", Finish: llm.FinishStop}, ""},
		"usage so far, then cut":      {"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2,\"total_tokens\":12}}\n\n", llm.Reply{}, llm.KindNetwork},
		"cut":                         {start, llm.Reply{}, llm.KindNetwork},
		"cut within an event":         {start + "data: {\"choices\":[{\"ind", llm.Reply{}, llm.KindNetwork},
		"nonsense within":             {start + "data: {\"choices\":[{\"ind\n\n" + end + done, llm.Reply{}, llm.KindReply},
		"complaint within":            {start + "data: {\"error\":{\"code\":429,\"message\":\"slow\"}}\n\n", llm.Reply{}, llm.KindRate},
		"overloaded within":           {start + "data: {\"error\":{\"message\":\"gone\",\"type\":\"server_error\"}}\n\n", llm.Reply{}, llm.KindServer},
		"complaint alone":             {`{"error":{"code":502,"message":"upstream"}}`, llm.Reply{}, llm.KindServer},
		"object without choices":      {`{"choices":[]}`, llm.Reply{}, llm.KindReply}, // OE #427
		"object of the limit":         {`{"choices":[{"message":{"content":"a"},"finish_reason":"length"}]}`, llm.Reply{Text: "a", Finish: llm.FinishLength}, ""},
		"object, content null":        {`{"choices":[{"message":{"content":null},"finish_reason":"stop"}]}`, llm.Reply{}, llm.KindReply},
		"object, cut":                 {`{"choices":[{"message":{"con`, llm.Reply{}, llm.KindReply},
		"only the end":                {done, llm.Reply{}, llm.KindReply},
	} {
		c0 := &client{link: &llm.Link{}}
		got, err := c0.read([]byte(c.body), 2, 0)
		if e, ok := err.(*llm.Error); err != nil && (!ok || e.Kind != c.kind || e.Calls != 2 || e.Usage.Reported) || (err == nil) != (c.kind == "") {
			t.Errorf("%s: %+v, want %q", name, err, c.kind)
		}
		if err == nil {
			c.want.Calls = 2
		}
		if got != c.want {
			t.Errorf("%s: got  %+v\nwant %+v", name, got, c.want)
		}
	}
}

// I3a: counts that cannot be are none, whatever other counts make of them.
func TestAbsurdUsageIsNone(t *testing.T) {
	t.Parallel()
	for usage, reported := range map[string]bool{
		`{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}`:                                             true,
		`{"prompt_tokens":5000000000000,"completion_tokens":50,"total_tokens":5000000000050}`:                       false,
		`{"prompt_tokens":4000000000000000000,"completion_tokens":4000000000000000000}`:                             false,
		`{"prompt_tokens":10,"completion_tokens":9223372036854775807}`:                                              false,
		`{"prompt_tokens":10,"completion_tokens":1e30}`:                                                             false,
		`{"prompt_tokens":10,"completion_tokens":-20}`:                                                              false,
		`{"prompt_tokens":-10,"completion_tokens":-20}`:                                                             false,
		`{"prompt_tokens":10,"completion_tokens":2,"total_tokens":-5}`:                                              false,
		`{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":-9223372036854775807}}`: false,
		`{"prompt_tokens":-2,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":9223372036854775807}}`:  false,
		`{"prompt_tokens":10,"completion_tokens":2,"total_tokens":9223372036854775807}`:                             false,
	} {
		body := `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":` + usage + `}`
		r, err := (&client{link: &llm.Link{}}).read([]byte(body), 1, 0)
		if err != nil || r.Usage.Reported != reported || !r.Usage.Plausible() {
			t.Errorf("%s: %+v, %v", usage, r, err)
		}
	}
	// A word that cannot be takes back those before it.
	stream := "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":1}}\n\n" +
		"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":-1}}\n\ndata: [DONE]\n\n"
	if r, err := (&client{link: &llm.Link{}}).read([]byte(stream), 1, 0); err != nil || r.Usage.Reported {
		t.Errorf("%+v, %v", r, err)
	}
}

// A service that refuses within a reply of status 200 has charged nothing, if
// nothing of a reply was there.
func TestRefusalsWithin(t *testing.T) {
	t.Parallel()
	const some = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"
	for body, free := range map[string]bool{
		`{"error":{"code":429,"message":"slow"}}`:                          true,
		"data: {\"error\":{\"code\":429,\"message\":\"slow\"}}\n\n":        true,
		some + "data: {\"error\":{\"code\":429,\"message\":\"slow\"}}\n\n": false,
		`{"error":{"code":408,"message":"late"}}`:                          false,
		`{"error":{"code":502,"message":"upstream"}}`:                      false,
	} {
		_, err := (&client{link: &llm.Link{}}).read([]byte(body), 1, 0)
		if e, ok := err.(*llm.Error); !ok || e.Usage.Reported != free {
			t.Errorf("%s: %+v", body, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]", `{"choices":[{}],"usage":{"prompt_tokens":-1}}`, "data:", "[1]", ":\n\n", "event: x\ndata: 1\n\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(bytes.TrimSpace(body)) == 0 {
			t.Skip() // refused before
		}
		r, err := (&client{link: &llm.Link{}}).read(body, 1, 0)
		if err == nil && (r.Finish == "" || r.Text == "" && r.Finish != llm.FinishLength && r.Finish != llm.FinishRefuse) {
			t.Errorf("%+v", r)
		}
		if u := r.Usage; u.Input < 0 || u.CacheRead < 0 || u.CacheWrite < 0 || u.Output < 0 {
			t.Errorf("%+v", u)
		}
	})
}
