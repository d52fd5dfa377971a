package cassette

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

const key = "sk-\"planted\"-5" // with characters that JSON quotes

// service counts its answers, and fails every third time.
type service struct {
	mu    sync.Mutex
	asked int
}

func (s *service) Ask(_ context.Context, r llm.Request) (llm.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.asked%3 == 0 {
		return llm.Reply{}, &llm.Error{Kind: llm.KindRate, Status: 429, RetryAfter: 7 * time.Second, Usage: llm.Usage{Reported: true}, Calls: 1, Text: "slow, " + key}
	}
	return llm.Reply{Text: r.System + " to " + r.Messages[0].Text, Finish: llm.FinishStop, Usage: llm.Usage{Input: int64(s.asked), Reported: true}, Calls: 1}, nil
}

func question(text string) llm.Request {
	return llm.Request{Model: "m", System: "said by " + key, Messages: []llm.Message{{Role: "user", Text: text}}, MaxTokens: 9}
}

func TestReplaysWhatWasRecorded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cassette.jsonl")
	c, err := Record(&service{}, path, key, "")
	if err != nil {
		t.Fatal(err)
	}
	asked := []string{"one", "two", "one", "one"}
	var replies []llm.Reply
	for _, text := range asked {
		reply, _ := c.Ask(t.Context(), question(text))
		reply.Text = strings.ReplaceAll(reply.Text, key, "(secret)")
		replies = append(replies, reply)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil || bytes.Contains(file, []byte("planted")) || bytes.Count(file, []byte("\n")) != 4 {
		t.Errorf("%v: %s", err, file)
	}

	p, err := Replay(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range asked {
		got, err := p.Ask(t.Context(), question(text))
		if i == 2 {
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != llm.KindRate || e.Status != 429 || e.RetryAfter != 7*time.Second || e.Calls != 1 || e.Text != "slow, (secret)" {
				t.Errorf("%+v", err)
			}
			continue
		}
		if err != nil || got != replies[i] {
			t.Errorf("%d: %+v, %v; want %+v", i, got, err, replies[i])
		}
	}
	for _, unknown := range []string{"one", "three"} {
		var e *llm.Error
		if _, err := p.Ask(t.Context(), question(unknown)); !errors.As(err, &e) || e.Kind != llm.KindRequest || e.Calls != 0 {
			t.Errorf("%s: %v", unknown, err)
		}
	}
}

// Whatever a request is, a small difference makes it another.
func TestDigest(t *testing.T) {
	t.Parallel()
	warm := 0.5
	seen := map[string]bool{}
	for _, change := range []func(*llm.Request){
		func(*llm.Request) {},
		func(r *llm.Request) { r.Model = "n" },
		func(r *llm.Request) { r.System = "" },
		func(r *llm.Request) { r.MaxTokens++ },
		func(r *llm.Request) { r.Temperature = &warm },
		func(r *llm.Request) { r.Messages = append(r.Messages, llm.Message{Role: "assistant"}) },
	} {
		r := question("one")
		change(&r)
		seen[digest(r)] = true
	}
	if len(seen) != 6 {
		t.Errorf("%d digests of 6 requests", len(seen))
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cassette.jsonl")
	c, err := Record(&service{}, path)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() { _, _ = c.Ask(t.Context(), question("one")) })
	}
	all.Wait()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := Replay(path)
	if err != nil {
		t.Fatal(err)
	}
	answers := 0
	for range 30 {
		if _, err := p.Ask(t.Context(), question("one")); err == nil {
			answers++
		}
	}
	if answers != 20 { // every third failed
		t.Errorf("%d answers", answers)
	}
}

// What was interrupted is not the service's answer.
func TestInterruptedIsNotRecorded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cassette.jsonl")
	ctx, cancel := context.WithCancel(t.Context())
	c, err := Record(interrupted{cancel}, path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Ask(ctx, question("one")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if file, err := os.ReadFile(path); err != nil || len(file) != 0 {
		t.Errorf("%v: %s", err, file)
	}
}

type interrupted struct{ cancel func() }

func (i interrupted) Ask(ctx context.Context, _ llm.Request) (llm.Reply, error) {
	i.cancel()
	return llm.Reply{}, &llm.Error{Kind: llm.KindNetwork, Err: ctx.Err()}
}

func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	const whole = `{"digest":"d","request":{"model":"m","messages":null,"max_tokens":1},"reply":{"text":"a","finish":"stop","usage":{"input":1,"output":1},"calls":1}}` + "\n"
	for name, c := range map[string]struct{ file, where string }{
		"empty":             {"", ""},
		"half a last line":  {whole + `{"digest":"e","req`, ""},
		"half a first line": {`{"digest":"e","req`, ""},
		"no JSON":           {whole + "nonsense\n" + whole, ":2"},
		"neither":           {`{"digest":"d"}` + "\n", ":1"},
		"both":              {strings.Replace(whole, `"reply"`, `"error":{"kind":"rate"},"reply"`, 1), ":1"},
		"unknown key":       {`{"digest":"d","answer":1}` + "\n", ":1"},
	} {
		path := filepath.Join(t.TempDir(), "cassette.jsonl")
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Replay(path)
		var p *clade.Problem
		if c.where == "" && err != nil || c.where != "" && (!errors.As(err, &p) || p.Where != path+c.where) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Replay(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Record(&service{}, filepath.Join(t.TempDir(), "no", "folder")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"digest":"d","request":{},"error":{"kind":"rate","retry_after":"1s"}}`))
	f.Add([]byte(`{"digest":"d","request":{},"reply":{}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if e, err := read(line); err == nil && (e.Reply == nil) == (e.Error == nil) {
			t.Errorf("%+v", e)
		}
	})
}
