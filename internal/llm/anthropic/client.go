// Package anthropic asks models through Anthropic's messages, and everything
// that speaks them.
package anthropic

import (
	"context"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

type client struct {
	link *llm.Link
	sdk  sdk.Client
}

// New makes a client for the service that m names. It sends nothing yet; the
// error is that of llm.Reach.
func New(m clade.Model, lookup func(name string) (string, bool), l llm.Limits) (llm.Client, error) {
	link, err := llm.Connect(m, lookup, l)
	if err != nil {
		return nil, err
	}
	options := []option.RequestOption{
		option.WithBaseURL(link.BaseURL + "/"),
		option.WithHTTPClient(link.HTTP()),
		option.WithMaxRetries(0),
	}
	if link.Key != "" {
		options = append(options, option.WithAPIKey(link.Key))
	}
	// Not NewClient, which takes more than clade was told from the environment:
	// other credentials, profiles of its own command, headers.
	return &client{link, sdk.Client{Options: options}}, nil
}

// Ask streams the reply, because services and the proxies before them give up on
// connections that are silent for as long as a long reply takes.
func (c *client) Ask(ctx context.Context, r llm.Request) (llm.Reply, error) {
	began := time.Now()
	more := []option.RequestOption{option.WithJSONSet("stream", true)}
	if r.Temperature != nil {
		// The SDK no longer knows it, but earlier models and compatible services do.
		more = append(more, option.WithJSONSet("temperature", *r.Temperature))
	}
	var body []byte
	if err := c.sdk.Post(ctx, "v1/messages", params(r), &body, more...); err != nil {
		return llm.Reply{}, c.link.Failed(ctx, err)
	}
	return read(c.link, body, time.Since(began))
}

func params(r llm.Request) sdk.MessageNewParams {
	p := sdk.MessageNewParams{Model: r.Model, MaxTokens: r.MaxTokens}
	if r.System != "" {
		p.System = []sdk.TextBlockParam{{Text: r.System}}
	}
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			p.Messages = append(p.Messages, sdk.NewAssistantMessage(sdk.NewTextBlock(m.Text)))
		} else {
			p.Messages = append(p.Messages, sdk.NewUserMessage(sdk.NewTextBlock(m.Text)))
		}
	}
	return p
}
