// Package google asks models through Google's generateContent.
package google

import (
	"context"
	"fmt"
	"io"
	"log"
	"math"
	"time"

	"google.golang.org/genai"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

type client struct {
	link *llm.Link
	sdk  *genai.Client
}

// New makes a client for the service that m names. It sends nothing yet; the
// error is that of llm.Reach.
func New(m clade.Model, lookup func(name string) (string, bool), l llm.Limits) (llm.Client, error) {
	link, err := llm.Connect(m, lookup, l)
	if err != nil {
		return nil, err
	}
	key := link.Key
	if key == "" {
		key = "none" // the SDK wants one; a service that needs none ignores it
	}
	c, err := quietly(func() (*genai.Client, error) {
		return genai.NewClient(context.Background(), &genai.ClientConfig{
			APIKey:      key,
			Backend:     genai.BackendGeminiAPI,
			HTTPClient:  link.HTTP(),
			HTTPOptions: genai.HTTPOptions{BaseURL: link.BaseURL, APIVersion: "v1beta"},
		})
	})
	if err != nil {
		// The SDK's words would hold its configuration, and so the key.
		return nil, fmt.Errorf("model %s: the SDK refuses its configuration", m.Name)
	}
	return &client{link, c}, nil
}

// quietly keeps the SDK from writing to standard error that it takes its key
// from a variable: it does so even when it was given another.
func quietly(make func() (*genai.Client, error)) (*genai.Client, error) {
	to := log.Writer()
	log.SetOutput(io.Discard)
	defer log.SetOutput(to)
	return make()
}

// Ask streams the reply, because services and the proxies before them give up on
// connections that are silent for as long as a long reply takes.
func (c *client) Ask(ctx context.Context, r llm.Request) (llm.Reply, error) {
	began := time.Now()
	contents, config := params(r)
	var d draft
	for part, err := range c.sdk.Models.GenerateContentStream(ctx, r.Model, contents, config) {
		if err != nil {
			return llm.Reply{}, d.failed(ctx, c.link, err)
		}
		d.add(part)
	}
	if err := d.sound(c.link); err != nil {
		err.Usage = d.usage
		err.Usage.Reported = d.usage.Reported && err.Kind == llm.KindReply // else it is only the part until then
		return llm.Reply{}, err
	}
	return llm.Reply{Text: d.text.String(), Finish: d.ended(), Usage: d.usage, Calls: 1, Took: time.Since(began)}, nil
}

func params(r llm.Request) ([]*genai.Content, *genai.GenerateContentConfig) {
	config := &genai.GenerateContentConfig{MaxOutputTokens: int32(min(r.MaxTokens, math.MaxInt32))}
	if r.System != "" {
		config.SystemInstruction = genai.NewContentFromText(r.System, genai.RoleUser)
	}
	if r.Temperature != nil {
		config.Temperature = genai.Ptr(float32(*r.Temperature))
	}
	contents := make([]*genai.Content, len(r.Messages))
	for i, m := range r.Messages {
		role := genai.Role(genai.RoleUser)
		if m.Role == "assistant" {
			role = genai.RoleModel
		}
		contents[i] = genai.NewContentFromText(m.Text, role)
	}
	return contents, config
}
