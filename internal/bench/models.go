package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/llm"
	"github.com/cladehq/clade/internal/propose"
)

// models measures what clade adds to a model's own time: in a step of reflect,
// and to a question that an agent asks through the gateway. The model is a server
// of this process that answers at once.
func (b *bench) models(ctx context.Context) (rows []Row, err error) {
	stop, url, err := instantModel()
	if err != nil {
		return nil, err
	}
	defer stop()
	spec := instantSpec(url)
	gateway, err := b.parts.Gateway(spec)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, gateway.Close()) }()
	session, err := gateway.Open(spec.Models[0], llm.Cap{})
	if err != nil {
		return nil, err
	}
	defer session.Close()
	operators, err := b.parts.Operators(spec, control.Tools{Gateway: gateway})
	if err != nil {
		return nil, err
	}
	var plain, metered, step timer
	for n := range 10 * b.sizes.runs {
		if err := plain.time(func() error { return question(ctx, url+"/v1", "") }); err != nil {
			return nil, err
		}
		if err := metered.time(func() error { return question(ctx, session.BaseURL()+"/v1", session.Key()) }); err != nil {
			return nil, err
		}
		if err := step.time(func() error { return rewritten(ctx, spec, operators["reflect"], n) }); err != nil {
			return nil, err
		}
	}
	return []Row{
		{Name: "a question to a model that answers at once", Value: plain.median(), Unit: "ms", N: len(plain.ms)},
		{Name: "what the gateway adds to it", Value: metered.median() - plain.median(), Unit: "ms", N: len(metered.ms),
			Note: "one more connection on this machine, the key put in, the most it can cost held, what it used counted"},
		Row{Name: "what a step of reflect adds to it", Value: step.median() - plain.median(), Unit: "ms", N: len(step.ms),
			Note: "the prompt written, the reply parsed, checked and applied, in memory"}.atMost(5),
	}, nil
}

func instantSpec(url string) *clade.Spec {
	return &clade.Spec{
		Objective: "Cost nothing.",
		Models:    []clade.Model{{Name: "instant", Provider: clade.ProviderOpenAI, Model: "instant", BaseURL: url, Price: &clade.Price{}}},
		Operators: []clade.Operator{{Use: "reflect", Name: "reflect", Model: "instant"}},
	}
}

// instantAnswer rewrites the one file there is.
const instantAnswer = "It costs less.\n### FILE f.txt\n```\nless\n```\nSummary: less\n"

// instantModel serves OpenAI's chat completions on a loopback address.
func instantModel() (stop func(), url string, err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	said, err := json.Marshal(map[string]any{"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "instant",
		"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"role": "assistant", "content": instantAnswer}, "finish_reason": "stop"}},
		"usage":   map[string]any{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}})
	if err != nil {
		return nil, "", err
	}
	srv := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", said)
	})}
	go func() { _ = srv.Serve(ln) }()
	return func() { _ = srv.Close() }, "http://" + ln.Addr().String(), nil
}

// question asks once, as an agent does.
func question(ctx context.Context, base, key string) error {
	body := `{"model": "instant", "stream": true, "stream_options": {"include_usage": true}, "max_tokens": 1024, "messages": [{"role": "user", "content": "hello"}]}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/chat/completions", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end
	got, err := io.ReadAll(resp.Body)
	if err == nil && (resp.StatusCode != http.StatusOK || !bytes.Contains(got, []byte("[DONE]"))) {
		err = fmt.Errorf("a question got %s: %s", resp.Status, got)
	}
	return err
}

// rewritten has reflect propose once.
func rewritten(ctx context.Context, spec *clade.Spec, op propose.Operator, n int) error {
	p, err := op.Propose(ctx, propose.Request{Spec: spec, Try: 1, Read: oneFile{},
		Attempt: &clade.Attempt{ID: clade.ID(n + 1), Makes: clade.MakesTree, Brief: "Make it cost less."}, Parents: []propose.Parent{{Commit: "base"}}})
	if err == nil && len(p.Changes) != 1 {
		err = fmt.Errorf("reflect proposed nothing: %s", p.Detail)
	}
	return err
}

// oneFile is a tree with one file of a thousand lines.
type oneFile struct{}

var _ propose.Reader = oneFile{}

func (oneFile) text() []byte { return bytes.Repeat([]byte("a line of the file\n"), 1000) }

// List implements propose.Reader.
func (f oneFile) List(context.Context, string) ([]ledger.Entry, error) {
	return []ledger.Entry{{Path: "f.txt", Mode: ledger.ModeFile, Blob: "blob", Size: int64(len(f.text()))}}, nil
}

// Read implements propose.Reader.
func (f oneFile) Read(context.Context, string) ([]byte, error) { return f.text(), nil }
