package meter

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

// errSilent is why a request ends to which the service does not reply.
var errSilent = errors.New("the service is silent")

// send passes the request on and its reply back.
func (x *exchange) send(body []byte) {
	// Whatever way this ends, a hold that nothing else settled was spent.
	defer func() {
		if x.hold != nil {
			x.s.charge(x.hold, nil)
		}
	}()
	silence := x.s.gateway.o.Silence
	if !x.ask.stream {
		silence *= 2
	}
	clock := time.AfterFunc(silence, func() { x.stop(errSilent) })
	defer clock.Stop()
	var sent atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }}
	req, err := x.request(httptrace.WithClientTrace(x.ctx, trace), body)
	if err != nil {
		x.fail(http.StatusBadRequest, "the request cannot be passed on")
		return
	}
	res, err := x.s.gateway.o.Transport.RoundTrip(req)
	if err != nil {
		x.unanswered(err, sent.Load(), silence)
		return
	}
	defer res.Body.Close()
	src := &heard{res.Body, func() { clock.Reset(silence) }}
	plain, err := unpacked(res, src)
	switch {
	case err != nil:
		x.broke(llm.KindReply, err.Error())
		x.fail(http.StatusBadGateway, err.Error())
	case res.StatusCode < 200 || res.StatusCode > 299:
		x.passRefusal(res, plain)
	default:
		x.pass(res, plain, silence)
	}
}

// heard tells when something arrives.
type heard struct {
	io.Reader
	tell func()
}

func (h *heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if n > 0 {
		h.tell()
	}
	return n, err
}

// unpacked is the body of a response without its compression.
func unpacked(res *http.Response, body io.Reader) (io.Reader, error) {
	switch strings.ToLower(res.Header.Get("Content-Encoding")) {
	case "", "identity":
		return body, nil
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(body)
		if errors.Is(err, io.EOF) {
			return bytes.NewReader(nil), nil
		}
		if err != nil {
			return nil, errors.New("the reply is no gzip, though it says so")
		}
		return z, nil
	}
	return nil, errors.New("the reply is compressed in a way that nobody asked for")
}

// kept are the headers of a client that its request keeps; all others are its
// own business, or would sign it in as somebody.
var kept = []string{"Accept", "Content-Type", "User-Agent", "Anthropic-Version", "Anthropic-Beta", "Openai-Beta", "X-Goog-Api-Client"}

// request is what the service is sent.
func (x *exchange) request(ctx context.Context, body []byte) (*http.Request, error) {
	at := x.s.link.BaseURL + x.to.path
	if q := query(x.r.URL.Query()); q != "" {
		at += "?" + q
	}
	req, err := http.NewRequestWithContext(ctx, x.r.Method, at, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for _, name := range kept {
		if v := x.r.Header.Values(name); len(v) > 0 {
			req.Header[name] = v
		}
	}
	// What arrives in pieces must not wait in a compressor.
	req.Header.Set("Accept-Encoding", "gzip")
	if x.ask.stream {
		req.Header.Set("Accept-Encoding", "identity")
	}
	key := x.s.link.Key
	if key == "" {
		return req, nil
	}
	switch x.s.model.Provider {
	case clade.ProviderAnthropic:
		req.Header.Set("X-Api-Key", key)
	case clade.ProviderGoogle:
		req.Header.Set("X-Goog-Api-Key", key)
	default:
		req.Header.Set("Authorization", "Bearer "+key)
	}
	return req, nil
}

// query keeps the parameters that say how to reply.
func query(q url.Values) string {
	out := url.Values{}
	for _, name := range []string{"alt", "beta", "api-version", "pageSize", "pageToken", "limit", "after_id", "before_id"} {
		if v, ok := q[name]; ok {
			out[name] = v
		}
	}
	return out.Encode()
}

// unanswered ends a request that got no reply.
func (x *exchange) unanswered(err error, sent bool, silence time.Duration) {
	if x.hold != nil && !sent {
		x.s.unsent(x.hold)
	}
	switch cause := context.Cause(x.ctx); {
	case errors.Is(cause, errSilent):
		text := fmt.Sprintf("the service sent nothing for %v", silence)
		x.broke(llm.KindNetwork, text)
		x.fail(http.StatusGatewayTimeout, text)
	case x.ctx.Err() != nil: // the client, or its session, has gone
		if sent {
			x.broke(llm.KindNetwork, "the service had not replied when the client gave up")
		}
	default:
		text := x.s.link.Nonsense("the service cannot be reached: %v", err).Text
		x.broke(llm.KindNetwork, text)
		x.fail(http.StatusBadGateway, text)
	}
}

// broke keeps a failure that the service did not report itself.
func (x *exchange) broke(kind llm.Kind, text string) {
	if x.hold != nil {
		e := x.s.link.Nonsense("%s", text)
		e.Kind = kind
		x.s.went(e)
	}
}

// refusalMost is the most that is passed on of a reply that is no success.
const refusalMost = 64 << 10

// passRefusal passes on a reply that is no success, without the key if the
// service repeats it.
func (x *exchange) passRefusal(res *http.Response, body io.Reader) {
	data, _ := io.ReadAll(io.LimitReader(body, refusalMost)) // as much as came
	e := x.s.link.Refused(res.StatusCode, res.Header, data)
	x.refused(e)
	status := res.StatusCode
	if status < 400 {
		x.fail(http.StatusBadGateway, e.Text) // a redirect, which would carry the key elsewhere
		return
	}
	x.headers(res)
	if key := x.s.link.Key; key != "" {
		data = bytes.ReplaceAll(data, []byte(key), []byte("(key)"))
	}
	x.w.WriteHeader(status)
	_, _ = x.w.Write(data)
}

// told are the headers of a service that its client gets.
var told = []string{"Content-Type", "Cache-Control", "Retry-After", "Retry-After-Ms", "X-Should-Retry", "Request-Id", "X-Request-Id"}

func (x *exchange) headers(res *http.Response) {
	for _, name := range told {
		if v := res.Header.Get(name); v != "" && (x.s.link.Key == "" || !strings.Contains(v, x.s.link.Key)) {
			x.w.Header().Set(name, v)
		}
	}
}

// wholeMost is the largest reply in one piece that is read for its usage.
const wholeMost = 16 << 20

// pass passes a reply on as it comes, and settles by what it said.
func (x *exchange) pass(res *http.Response, body io.Reader, silence time.Duration) {
	if x.hold != nil {
		x.s.replied(x.hold)
	}
	x.headers(res)
	x.w.WriteHeader(res.StatusCode)
	if x.hold == nil {
		_, _ = io.Copy(x.w, io.LimitReader(body, wholeMost))
		return
	}
	control := http.NewResponseController(x.w)
	lines := strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")
	var read reader
	if lines {
		read = &events{tally: &x.tally, wire: x.to.wire, hide: x.ask.untold}
	} else {
		read = &document{tally: &x.tally, wire: x.to.wire}
	}
	chunk := make([]byte, 32<<10)
	var err error
	for err == nil {
		var n int
		n, err = body.Read(chunk)
		out := read.read(chunk[:n])
		if err == io.EOF {
			out = append(out, read.end()...)
		}
		if len(out) > 0 {
			if _, werr := x.w.Write(out); werr != nil {
				x.stop(werr)
			} else if lines {
				_ = control.Flush()
			}
		}
	}
	x.settle(err, silence)
}

// settle ends a reply that has been passed on.
func (x *exchange) settle(err error, silence time.Duration) {
	t := &x.tally
	var said *llm.Error
	if t.error != nil {
		if said = x.s.link.Complaint(t.error); said == nil {
			said = x.s.link.Nonsense("the service reported a failure within its reply")
		}
	}
	switch {
	case said != nil && said.Outright() && !t.answered && t.usage == (llm.Usage{}):
		x.s.free(x.hold)
	case t.usage.Reported && t.done:
		x.s.known.add(sample{body: x.content, setting: x.setting, tokens: t.usage.Tokens() - t.usage.Output})
		x.s.charge(x.hold, &t.usage)
	default:
		x.s.charge(x.hold, nil)
	}
	switch {
	case said != nil:
		x.s.went(said)
	case err != io.EOF && !t.done:
		x.cut(silence)
	case !t.answered:
		x.s.went(x.s.link.Nonsense("the reply has no choices"))
	case !t.done:
		x.cut(silence)
	default:
		x.s.went(nil)
	}
}

// cut ends a reply that stopped in the middle, for the client too: it must not
// take half a reply for one.
func (x *exchange) cut(silence time.Duration) {
	switch cause := context.Cause(x.ctx); {
	case errors.Is(cause, errSilent):
		x.broke(llm.KindNetwork, fmt.Sprintf("the service sent nothing for %v in the middle of its reply", silence))
	case x.ctx.Err() != nil:
		return // the client has gone
	default:
		x.s.went(x.s.link.Cut())
	}
	panic(http.ErrAbortHandler)
}
