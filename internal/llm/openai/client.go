// Package openai asks models that speak OpenAI's chat completions: OpenAI's own
// and those of every compatible service, from hosted ones to a server on this
// machine. What compatible services understand differs; see dialect.
package openai

import (
	"context"
	"sync"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

type client struct {
	link *llm.Link
	sdk  sdk.Client

	mu     sync.Mutex
	spoken map[string]dialect // by model, once a request was understood
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
	// organisations, an administrator's key, headers.
	return &client{link: link, sdk: sdk.Client{Options: options}, spoken: map[string]dialect{}}, nil
}

// Ask streams the reply, because services and the proxies before them give up on
// connections that are silent for as long as a long reply takes.
func (c *client) Ask(ctx context.Context, r llm.Request) (llm.Reply, error) {
	d := c.dialect(r.Model)
	for calls := int64(1); ; calls++ {
		began := time.Now()
		body, err := c.send(ctx, r, d)
		if err == nil {
			c.learn(r.Model, d)
			return c.read(body, calls, time.Since(began))
		}
		if next, ok := d.after(err); ok && (r.Calls == 0 || calls < r.Calls) {
			d = next
			continue
		}
		return llm.Reply{}, counted(err, calls)
	}
}

func (c *client) send(ctx context.Context, r llm.Request, d dialect) (body []byte, err error) {
	if err := c.sdk.Post(ctx, "chat/completions", params(r, d), &body, d.options()...); err != nil {
		return nil, c.link.Failed(ctx, err)
	}
	return body, nil
}

func (c *client) dialect(model string) dialect {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d, ok := c.spoken[model]; ok {
		return d
	}
	return first(c.link.BaseURL)
}

func (c *client) learn(model string, d dialect) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spoken[model] = d
}

func params(r llm.Request, d dialect) sdk.ChatCompletionNewParams {
	p := sdk.ChatCompletionNewParams{Model: r.Model}
	if r.System != "" {
		p.Messages = append(p.Messages, sdk.SystemMessage(r.System))
	}
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			p.Messages = append(p.Messages, sdk.AssistantMessage(m.Text))
		} else {
			p.Messages = append(p.Messages, sdk.UserMessage(m.Text))
		}
	}
	if d.completionTokens {
		p.MaxCompletionTokens = param.NewOpt(r.MaxTokens)
	} else {
		p.MaxTokens = param.NewOpt(r.MaxTokens)
	}
	if r.Temperature != nil {
		p.Temperature = param.NewOpt(*r.Temperature)
	}
	if d.usage && d.stream {
		p.StreamOptions.IncludeUsage = param.NewOpt(true)
	}
	return p
}

// counted is an error after so many requests, all but the last of which were
// refused for a parameter, which costs nothing.
func counted(err error, calls int64) error {
	if e, ok := err.(*llm.Error); ok {
		e.Calls = calls
	}
	return err
}
