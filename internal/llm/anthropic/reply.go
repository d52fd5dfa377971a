package anthropic

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"

	"github.com/cladehq/clade/internal/llm"
)

// A draft is a reply as it is put together.
type draft struct {
	text    strings.Builder
	stop    sdk.StopReason
	started bool
	tools   bool
	done    bool // the service said that it is the end
	usage   llm.Usage
	absurd  bool // a count that cannot be: what was used is unknown
}

// read understands a stream and, since a service may not stream whatever it is
// asked, one object.
func read(link *llm.Link, body []byte, took time.Duration) (llm.Reply, error) {
	d := draft{}
	take := d.events
	if bytes.TrimSpace(body)[0] == '{' {
		take = d.whole
	}
	err := take(link, body)
	if err == nil {
		err = d.sound(link)
	}
	if err != nil {
		err.Usage = d.usage
		err.Usage.Reported = d.usage.Reported && err.Kind == llm.KindReply // else it is only the part until then
		return llm.Reply{}, err
	}
	return llm.Reply{Text: d.text.String(), Finish: d.ended(), Usage: d.usage, Calls: 1, Took: took}, nil
}

func (d *draft) whole(link *llm.Link, body []byte) *llm.Error {
	if e := link.Complaint(body); e != nil {
		return e
	}
	var m sdk.Message
	if err := json.Unmarshal(body, &m); err != nil {
		return link.Nonsense("the reply is no JSON of a message: %v", err)
	}
	d.started, d.done, d.stop = m.Type == "message", true, m.StopReason
	d.used(m.Usage.InputTokens, m.Usage.CacheReadInputTokens, m.Usage.CacheCreationInputTokens, m.Usage.OutputTokens, m.Usage.JSON.OutputTokens.Valid())
	for _, block := range m.Content {
		d.tools = d.tools || block.Type == "tool_use"
		if block.Type == "text" {
			d.text.WriteString(block.Text)
		}
	}
	return nil
}

// events reads a stream. The last event of one that was cut may be half there.
func (d *draft) events(link *llm.Link, body []byte) *llm.Error {
	whole := bytes.HasSuffix(body, []byte("\n"))
	stream := ssestream.NewDecoder(&http.Response{Body: io.NopCloser(io.MultiReader(bytes.NewReader(body), strings.NewReader("\n\n")))})
	var bad *llm.Error
	for !d.done && stream.Next() {
		if bad != nil {
			return bad
		}
		data := bytes.TrimSpace(stream.Event().Data)
		if len(data) == 0 {
			continue
		}
		if e := link.Complaint(data); e != nil {
			return e
		}
		var event sdk.MessageStreamEventUnion
		if err := json.Unmarshal(data, &event); err != nil {
			bad = link.Nonsense("the reply is no stream of a message: %v", err)
			continue
		}
		d.add(event)
	}
	switch {
	case stream.Err() != nil:
		return link.Nonsense("%v", stream.Err())
	case bad != nil && !whole:
		return link.Cut()
	}
	return bad
}

func (d *draft) add(e sdk.MessageStreamEventUnion) {
	switch e.Type {
	case "message_start":
		d.started = true
		u := e.Message.Usage
		d.used(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens, u.OutputTokens, false)
	case "content_block_start":
		d.tools = d.tools || e.ContentBlock.Type == "tool_use"
		d.text.WriteString(e.ContentBlock.Text)
	case "content_block_delta":
		if e.Delta.Type == "text_delta" {
			d.text.WriteString(e.Delta.Text)
		}
	case "message_delta":
		if e.Delta.StopReason != "" {
			d.stop = e.Delta.StopReason
		}
		d.used(e.Usage.InputTokens, e.Usage.CacheReadInputTokens, e.Usage.CacheCreationInputTokens, e.Usage.OutputTokens, e.Usage.JSON.OutputTokens.Valid())
	case "message_stop":
		d.done = true
	}
}

// used takes what a reply says it used: the start says it of the input, the end
// of the output, and either may say it of both. All counts are for all until
// then; last is of those that are for the whole reply.
func (d *draft) used(input, read, write, output int64, last bool) {
	said := llm.Usage{Input: input, CacheRead: read, CacheWrite: write, Output: output}
	if d.absurd = d.absurd || !said.Plausible(); d.absurd {
		d.usage = llm.Usage{}
		return
	}
	d.usage = llm.Usage{
		Input:      max(d.usage.Input, input),
		CacheRead:  max(d.usage.CacheRead, read),
		CacheWrite: max(d.usage.CacheWrite, write),
		Output:     max(d.usage.Output, output),
		Reported:   d.usage.Reported || last && said.Tokens() > 0,
	}
}

// sound refuses what is no reply.
func (d *draft) sound(link *llm.Link) *llm.Error {
	switch {
	case !d.started:
		return link.Nonsense("the reply is no message")
	case !d.done:
		return link.Cut()
	case d.text.Len() > 0 || d.ended() == llm.FinishLength || d.ended() == llm.FinishRefuse:
		return nil
	case d.tools:
		return link.Nonsense("the reply is a call of a tool, and none was offered")
	}
	return link.Nonsense("the reply has no text")
}

func (d *draft) ended() llm.Finish {
	switch d.stop {
	case sdk.StopReasonEndTurn, sdk.StopReasonStopSequence:
		return llm.FinishStop
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		return llm.FinishLength
	case sdk.StopReasonRefusal:
		return llm.FinishRefuse
	}
	return llm.FinishOther
}
