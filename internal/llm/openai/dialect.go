package openai

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3/option"

	"github.com/cladehq/clade/internal/llm"
)

// A dialect is what a service understands of the parameters that differ:
//
//   - OpenAI's reasoning models refuse max_tokens; Mistral and others refuse
//     max_completion_tokens, and Ollama and LM Studio ignore it, so that their
//     replies would have no bound. Each is asked first for what is native to it.
//   - Mistral and some gateways refuse stream_options, without which others do
//     not say what a streamed reply used.
//   - A few models cannot stream.
type dialect struct {
	completionTokens, usage, stream bool
	swapped                         bool // completionTokens is not what was tried first
}

// first is what a service at an address most likely understands.
func first(base string) dialect {
	u, err := url.Parse(base)
	own := err == nil && (u.Hostname() == "api.openai.com" || strings.HasSuffix(u.Hostname(), ".azure.com"))
	return dialect{completionTokens: own, usage: true, stream: true}
}

func (d dialect) options() []option.RequestOption {
	if !d.stream {
		return nil
	}
	return []option.RequestOption{option.WithJSONSet("stream", true)}
}

// after is another dialect to try after a refusal that names a parameter. Every
// parameter changes at most once.
func (d dialect) after(err error) (dialect, bool) {
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindRequest ||
		e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity {
		return d, false
	}
	said := strings.ToLower(e.Text)
	if !mentions(said, "support", "unknown", "unrecogni", "unexpected", "forbidden", "not permitted", "not allowed", "not available") {
		return d, false
	}
	switch {
	case d.usage && d.stream && mentions(said, "stream_options", "include_usage"):
		d.usage = false
	case !d.swapped && (mentions(said, "max_completion_tokens") || !d.completionTokens && mentions(said, "max_tokens")):
		d.completionTokens, d.swapped = !d.completionTokens, true
	case d.stream && mentions(said, "stream"):
		d.stream = false
	default:
		return d, false
	}
	return d, true
}

func mentions(text string, any ...string) bool {
	for _, word := range any {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
