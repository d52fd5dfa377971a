package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/cladehq/clade/internal/llm"
)

// A draft is a reply as it is put together.
type draft struct {
	text, refusal strings.Builder
	finish        string
	chosen, tools bool
	done          bool // the service said that it is the end
	usage         llm.Usage
}

// read understands a stream and, since some services do not stream whatever they
// are asked, one object.
func (c *client) read(body []byte, calls int64, took time.Duration) (llm.Reply, error) {
	d := draft{}
	read := d.events
	if start := bytes.TrimSpace(body); start[0] == '{' || start[0] == '[' {
		read = d.whole
	}
	err := read(c.link, body)
	if err == nil {
		err = d.sound(c.link)
	}
	if err != nil {
		err.Calls, err.Usage = calls, d.usage
		err.Usage.Reported = d.usage.Reported && err.Kind == llm.KindReply || // else it is only the part until then
			!d.chosen && d.usage == (llm.Usage{}) && err.Outright()
		return llm.Reply{}, err
	}
	r := llm.Reply{Text: d.text.String(), Finish: d.ended(), Usage: d.usage, Calls: calls, Took: took}
	if r.Text == "" {
		r.Text = d.refusal.String()
	}
	return r, nil
}

func (d *draft) whole(link *llm.Link, body []byte) *llm.Error {
	if e := link.Complaint(body); e != nil {
		return e
	}
	var r sdk.ChatCompletion
	if err := json.Unmarshal(body, &r); err != nil {
		return link.Nonsense("the reply is no JSON of a completion: %v", err)
	}
	d.done = true
	d.used(r.Usage)
	for _, choice := range r.Choices {
		if choice.Index == 0 {
			d.chosen, d.finish = true, choice.FinishReason
			d.text.WriteString(choice.Message.Content)
			d.refusal.WriteString(choice.Message.Refusal)
			d.tools = len(choice.Message.ToolCalls) > 0
			break
		}
	}
	return nil
}

// events reads a stream. The last event of one that was cut may be half there.
func (d *draft) events(link *llm.Link, body []byte) *llm.Error {
	whole := bytes.HasSuffix(body, []byte("\n"))
	stream := ssestream.NewDecoder(&http.Response{Body: io.NopCloser(io.MultiReader(bytes.NewReader(body), strings.NewReader("\n\n")))})
	var bad *llm.Error
	for stream.Next() {
		data := bytes.TrimSpace(stream.Event().Data)
		if bad != nil {
			return bad
		}
		if string(data) == "[DONE]" {
			d.done = true
			break
		}
		if len(data) == 0 {
			continue
		}
		if e := link.Complaint(data); e != nil {
			return e
		}
		var chunk sdk.ChatCompletionChunk
		if err := json.Unmarshal(data, &chunk); err != nil {
			bad = link.Nonsense("the reply is no stream of a completion: %v", err)
			continue
		}
		d.add(chunk)
	}
	switch {
	case stream.Err() != nil:
		return link.Nonsense("%v", stream.Err())
	case bad != nil && !whole:
		return link.Cut()
	}
	return bad
}

func (d *draft) add(chunk sdk.ChatCompletionChunk) {
	d.used(chunk.Usage)
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		d.chosen = true
		d.text.WriteString(choice.Delta.Content)
		d.refusal.WriteString(choice.Delta.Refusal)
		d.tools = d.tools || len(choice.Delta.ToolCalls) > 0
		if choice.FinishReason != "" {
			d.finish = choice.FinishReason
		}
	}
}

// used takes what a reply says it used. Some services say it with every part of
// a stream, always for all until then. Reasoning is output; some count it only
// in the total.
func (d *draft) used(u sdk.CompletionUsage) {
	if u.PromptTokens == 0 && u.CompletionTokens == 0 {
		return
	}
	read, write := u.PromptTokensDetails.CachedTokens, u.PromptTokensDetails.CacheWriteTokens
	said := llm.Usage{Input: u.PromptTokens, CacheRead: read, CacheWrite: write, Output: u.CompletionTokens}
	if d.usage = (llm.Usage{}); !said.Plausible() || u.TotalTokens < 0 || u.TotalTokens > 2*llm.TokensMost {
		return // no count at all
	}
	said.Input -= read + write
	said.Output = max(said.Output, u.TotalTokens-u.PromptTokens)
	if said.Plausible() {
		said.Reported = true
		d.usage = said
	}
}

// sound refuses what is no reply.
func (d *draft) sound(link *llm.Link) *llm.Error {
	switch {
	case !d.chosen && d.done:
		return link.Nonsense("the reply has no choices")
	case d.finish == "" && !d.done && d.chosen:
		return link.Cut()
	case !d.chosen:
		return link.Nonsense("the reply is no stream of a completion")
	case d.text.Len() > 0 || d.refusal.Len() > 0 || d.ended() == llm.FinishLength || d.ended() == llm.FinishRefuse:
		return nil
	case d.tools:
		return link.Nonsense("the reply is a call of a tool, and none was offered")
	}
	return link.Nonsense("the reply has no text")
}

func (d *draft) ended() llm.Finish {
	switch {
	case d.finish == "content_filter", d.text.Len() == 0 && d.refusal.Len() > 0:
		return llm.FinishRefuse
	case d.finish == "length", d.finish == "model_length", d.finish == "max_tokens": // the latter two of compatible services
		return llm.FinishLength
	case d.finish == "stop" && !d.tools:
		return llm.FinishStop
	}
	return llm.FinishOther
}
