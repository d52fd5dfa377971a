// Package cassette records what a service answered, and answers from the
// recording, so that tests need no service and cost nothing.
//
// A cassette is a file of JSON lines, one for each question in the order of the
// answers. A question is known by the digest of its request; one that was asked
// several times has several answers, which come again in their order.
package cassette

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

// An entry is one line. It has a reply or an error.
type entry struct {
	Digest  string      `json:"digest"`
	Request llm.Request `json:"request"`
	Reply   *llm.Reply  `json:"reply,omitempty"`
	Error   *failure    `json:"error,omitempty"`
}

// A failure is an llm.Error without its cause.
type failure struct {
	Kind       llm.Kind       `json:"kind"`
	Status     int            `json:"status,omitempty"`
	RetryAfter clade.Duration `json:"retry_after,omitempty"`
	Usage      llm.Usage      `json:"usage"`
	Calls      int64          `json:"calls,omitempty"`
	Text       string         `json:"text"`
}

// digest is what a request is known by.
func digest(r llm.Request) string {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err) // a request is strings and finite numbers
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Record is a client that passes questions on and writes what is answered to a
// new file, which replaces any other. Secrets are values, such as keys, that are
// blotted out wherever they occur. What a killed process leaves is a whole
// cassette of the answers so far, but for a last line that a replay leaves out.
func Record(next llm.Client, path string, secrets ...string) (*Recorder, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cassette: %w", err)
	}
	var blots []string
	for _, s := range secrets {
		if s != "" {
			quoted, _ := json.Marshal(s) // as it would stand in the file
			blots = append(blots, strings.Trim(string(quoted), `"`), "(secret)")
		}
	}
	return &Recorder{next: next, f: f, blot: strings.NewReplacer(blots...)}, nil
}

// A Recorder is a client that records. Close it.
type Recorder struct {
	next llm.Client
	blot *strings.Replacer

	mu sync.Mutex
	f  *os.File
}

// Ask passes a question on. An answer that cannot be recorded is an error.
func (c *Recorder) Ask(ctx context.Context, r llm.Request) (llm.Reply, error) {
	reply, err := c.next.Ask(ctx, r)
	e := entry{Digest: digest(r), Request: r, Reply: &reply}
	if err != nil {
		var said *llm.Error
		if !errors.As(err, &said) || ctx.Err() != nil {
			return reply, err // the caller's doing, not the service's
		}
		e.Reply = nil
		e.Error = &failure{said.Kind, said.Status, clade.Duration(said.RetryAfter), said.Usage, said.Calls, said.Text}
	}
	if failed := c.write(e); failed != nil {
		return llm.Reply{}, fmt.Errorf("cassette: %w", failed)
	}
	return reply, err
}

func (c *Recorder) write(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = c.f.WriteString(c.blot.Replace(string(line)) + "\n")
	return err
}

// Close ends the recording.
func (c *Recorder) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.f.Close(); err != nil {
		return fmt.Errorf("cassette: %w", err)
	}
	return nil
}

// Replay is a client that answers from a file, and asks nobody. A question that
// the file does not know, or not as often, is an *llm.Error of KindRequest.
func Replay(path string) (llm.Client, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cassette: %w", err)
	}
	p := &player{path: path, left: map[string][]entry{}}
	lines := bufio.NewScanner(bytes.NewReader(b[:bytes.LastIndexByte(b, '\n')+1]))
	lines.Buffer(nil, len(b)+1)
	for n := 1; lines.Scan(); n++ {
		e, err := read(lines.Bytes())
		if err != nil {
			return nil, &clade.Problem{Fault: clade.FaultSpec, Text: "this is no line of a cassette", Where: fmt.Sprintf("%s:%d", path, n), Hint: "record it anew", Err: err}
		}
		p.left[e.Digest] = append(p.left[e.Digest], e)
	}
	return p, nil
}

// read reads one line.
func read(line []byte) (e entry, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return e, err
	}
	if (e.Reply == nil) == (e.Error == nil) {
		return e, errors.New("it needs either a reply or an error")
	}
	return e, nil
}

type player struct {
	path string

	mu   sync.Mutex
	left map[string][]entry
}

func (p *player) Ask(ctx context.Context, r llm.Request) (llm.Reply, error) {
	if err := ctx.Err(); err != nil {
		return llm.Reply{}, err
	}
	e, ok := p.take(digest(r))
	if !ok {
		return llm.Reply{}, &llm.Error{Kind: llm.KindRequest, Usage: llm.Usage{Reported: true},
			Text: fmt.Sprintf("%s has no further answer to this request; record it anew", p.path)}
	}
	if f := e.Error; f != nil {
		return llm.Reply{}, &llm.Error{Kind: f.Kind, Status: f.Status, RetryAfter: time.Duration(f.RetryAfter), Usage: f.Usage, Calls: f.Calls, Text: f.Text}
	}
	return *e.Reply, nil
}

func (p *player) take(digest string) (e entry, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.left[digest]
	if len(all) == 0 {
		return e, false
	}
	p.left[digest] = all[1:]
	return all[0], true
}
