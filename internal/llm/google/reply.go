package google

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"google.golang.org/genai"

	"github.com/cladehq/clade/internal/llm"
)

// A draft is a reply as it is put together.
type draft struct {
	text    strings.Builder
	finish  genai.FinishReason
	blocked bool // the prompt was, so there is no candidate
	chosen  bool
	tools   bool
	started bool
	usage   llm.Usage
}

func (d *draft) add(part *genai.GenerateContentResponse) {
	d.started = true
	d.used(part.UsageMetadata)
	if f := part.PromptFeedback; f != nil && f.BlockReason != "" {
		d.blocked = true
	}
	for _, candidate := range part.Candidates {
		if candidate == nil || candidate.Index != 0 {
			continue
		}
		d.chosen = true
		if candidate.FinishReason != "" {
			d.finish = candidate.FinishReason
		}
		if candidate.Content != nil {
			d.write(candidate.Content.Parts)
		}
	}
}

// write adds text that is part of the answer; a thought is not.
func (d *draft) write(parts []*genai.Part) {
	for _, p := range parts {
		switch {
		case p == nil:
		case p.FunctionCall != nil:
			d.tools = true
		case !p.Thought:
			d.text.WriteString(p.Text)
		}
	}
}

// used takes what a reply says it used; it is always for all until then.
// Thoughts are paid as output.
func (d *draft) used(u *genai.GenerateContentResponseUsageMetadata) {
	if u == nil || u.PromptTokenCount == 0 && u.CandidatesTokenCount == 0 {
		return
	}
	read := int64(u.CachedContentTokenCount)
	in := int64(u.PromptTokenCount) + int64(u.ToolUsePromptTokenCount)
	usage := llm.Usage{
		Input:     in - read,
		CacheRead: read,
		Output:    max(int64(u.CandidatesTokenCount)+int64(u.ThoughtsTokenCount), int64(u.TotalTokenCount)-in),
		Reported:  true,
	}
	if u.CandidatesTokenCount < 0 || u.ThoughtsTokenCount < 0 || in < 0 || !usage.Plausible() {
		usage = llm.Usage{} // no count at all
	}
	d.usage = usage
}

// over reports whether the service said that it is the end.
func (d *draft) over() bool { return d.finish != "" || d.blocked }

// failed is the error for a stream that the SDK could not read on. Within one of
// status 200 a service may complain; and what was cut may end in half an event.
func (d *draft) failed(ctx context.Context, link *llm.Link, err error) error {
	var said genai.APIError
	if errors.As(err, &said) {
		body, _ := json.Marshal(map[string]any{"error": said})
		if e := link.Complaint(body); e != nil {
			return e
		}
	}
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) && d.chosen && !d.over() && strings.Contains(syntax.Error(), "unexpected end") {
		return link.Cut()
	}
	return link.Failed(ctx, err)
}

// sound refuses what is no reply.
func (d *draft) sound(link *llm.Link) *llm.Error {
	switch {
	case !d.started:
		return link.Nonsense("the reply is no stream of candidates")
	case d.blocked && !d.chosen:
		return nil
	case !d.chosen:
		return link.Nonsense("the reply has no candidates")
	case !d.over():
		return link.Cut()
	case d.text.Len() > 0 || d.ended() == llm.FinishLength || d.ended() == llm.FinishRefuse:
		return nil
	case d.tools:
		return link.Nonsense("the reply is a call of a tool, and none was offered")
	}
	return link.Nonsense("the reply has no text (%s)", d.finish)
}

func (d *draft) ended() llm.Finish {
	switch d.finish {
	case genai.FinishReasonStop:
		return llm.FinishStop
	case genai.FinishReasonMaxTokens:
		return llm.FinishLength
	case genai.FinishReasonSafety, genai.FinishReasonRecitation, genai.FinishReasonBlocklist,
		genai.FinishReasonProhibitedContent, genai.FinishReasonSPII, genai.FinishReasonLanguage:
		return llm.FinishRefuse
	case "":
		if d.blocked {
			return llm.FinishRefuse
		}
	}
	return llm.FinishOther
}
