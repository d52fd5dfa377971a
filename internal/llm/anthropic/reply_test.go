package anthropic

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
		start = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"type\":\"message\",\"usage\":{\"input_tokens\":10,\"cache_read_input_tokens\":4,\"cache_creation_input_tokens\":3,\"output_tokens\":1}}}\n\n"
		ping  = "event: ping\ndata: {\"type\": \"ping\"}\n\n"
		block = "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n" +
			"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n"
		thought = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}\n\n"
		stop    = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	)
	end := func(reason string) string {
		return "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" + reason + "\"},\"usage\":{\"output_tokens\":20}}\n\n"
	}
	usage := llm.Usage{Input: 10, CacheRead: 4, CacheWrite: 3, Output: 20, Reported: true}
	for name, c := range map[string]struct {
		body  string
		want  llm.Reply
		kind  llm.Kind
		known bool // what the failure used
	}{
		"stream":            {start + ping + block + end("end_turn") + stop, llm.Reply{Text: "a", Finish: llm.FinishStop, Usage: usage}, "", false},
		"thought":           {start + thought + block + end("end_turn") + stop, llm.Reply{Text: "a", Finish: llm.FinishStop, Usage: usage}, "", false},
		"limit":             {start + block + end("max_tokens") + stop, llm.Reply{Text: "a", Finish: llm.FinishLength, Usage: usage}, "", false},
		"window":            {start + block + end("model_context_window_exceeded") + stop, llm.Reply{Text: "a", Finish: llm.FinishLength, Usage: usage}, "", false},
		"refusal":           {start + end("refusal") + stop, llm.Reply{Finish: llm.FinishRefuse, Usage: usage}, "", false},
		"paused":            {start + block + end("pause_turn") + stop, llm.Reply{Text: "a", Finish: llm.FinishOther, Usage: usage}, "", false},
		"no last line":      {start + block + end("end_turn") + "event: message_stop\ndata: {\"type\":\"message_stop\"}", llm.Reply{Text: "a", Finish: llm.FinishStop, Usage: usage}, "", false},
		"cut":               {start + block, llm.Reply{}, llm.KindNetwork, false},
		"cut before stop":   {start + block + end("end_turn"), llm.Reply{}, llm.KindNetwork, false},
		"cut in an event":   {start + "data: {\"type\":\"content_bl", llm.Reply{}, llm.KindNetwork, false},
		"nonsense":          {start + "data: {\"type\n\n" + block, llm.Reply{}, llm.KindReply, false},
		"overloaded within": {start + "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n", llm.Reply{}, llm.KindServer, false},
		"no text":           {start + end("end_turn") + stop, llm.Reply{}, llm.KindReply, true},
		"object":            {`{"type":"message","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","usage":{"input_tokens":10,"cache_read_input_tokens":4,"cache_creation_input_tokens":3,"output_tokens":20}}`, llm.Reply{Text: "a", Finish: llm.FinishStop, Usage: usage}, "", false},
		"complaint alone":   {`{"type":"error","error":{"type":"rate_limit_error","message":"m"}}`, llm.Reply{}, llm.KindRate, false},
		"something else":    {"data: {\"choices\":[]}\n\n", llm.Reply{}, llm.KindReply, false},
	} {
		got, err := read(&llm.Link{}, []byte(c.body), 0)
		if e, ok := err.(*llm.Error); err != nil && (!ok || e.Kind != c.kind || e.Calls != 1 || e.Usage.Reported != c.known) || (err == nil) != (c.kind == "") {
			t.Errorf("%s: %+v, want %q", name, err, c.kind)
		}
		if err == nil {
			c.want.Calls = 1
		}
		if got != c.want {
			t.Errorf("%s: got  %+v\nwant %+v", name, got, c.want)
		}
	}
}

// I3a: counts that cannot be are none, wherever they stand.
func TestAbsurdUsageIsNone(t *testing.T) {
	t.Parallel()
	stream := func(start, end string) string {
		return `data: {"type":"message_start","message":{"type":"message","usage":` + start + "}}\n\n" +
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":` + end + "}\n\n" + `data: {"type":"message_stop"}` + "\n\n"
	}
	const good, said = `{"input_tokens":10,"output_tokens":1}`, `{"output_tokens":20}`
	for name, c := range map[string]struct {
		body     string
		reported bool
	}{
		"as it should be": {stream(good, said), true},
		"large":           {stream(good, `{"output_tokens":4000000000000000000}`), false},
		"above 64 bits":   {stream(good, `{"output_tokens":1e30}`), false},
		"negative":        {stream(good, `{"output_tokens":-20}`), false},
		"at the start":    {stream(`{"input_tokens":-10,"output_tokens":1}`, said), false},
		"no end":          {stream(good, `{}`), false}, // only what it was until then
		"a sum around":    {stream(`{"input_tokens":9223372036854775807,"cache_read_input_tokens":9223372036854775807,"output_tokens":2}`, said), false},
		"an object":       {`{"type":"message","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","usage":{"input_tokens":5000000000000,"output_tokens":1}}`, false},
	} {
		r, err := read(&llm.Link{}, []byte(c.body), 0)
		if err != nil || r.Usage.Reported != c.reported || !r.Usage.Plausible() {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":-1}}}\n\ndata: {\"type\":\"message_stop\"}", `{"type":"message","content":[{"type":"text","text":"a"}]}`, "data:", ":\n\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(bytes.TrimSpace(body)) == 0 {
			t.Skip() // refused before
		}
		r, err := read(&llm.Link{}, body, 0)
		if err == nil && (r.Finish == "" || r.Text == "" && r.Finish != llm.FinishLength && r.Finish != llm.FinishRefuse) {
			t.Errorf("%+v", r)
		}
		if u := r.Usage; u.Input < 0 || u.CacheRead < 0 || u.CacheWrite < 0 || u.Output < 0 {
			t.Errorf("%+v", u)
		}
	})
}
