package meter

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cladehq/clade/internal/llm"
)

// requestMost is the largest request that is passed on, bytes.
const requestMost = 32 << 20

// largeFrom is the size, in bytes, from which a session's requests are passed on
// one at a time: what they take of memory is bounded.
const largeFrom = 4 << 20

// ServeHTTP answers a session's client. One that does not know a session and its
// key learns nothing and moves nothing.
func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rest, ok := strings.CutPrefix(r.URL.Path, prefix)
	segment, path, _ := strings.Cut(rest, "/")
	s := g.find(r, segment)
	if !ok || s == nil || !s.admits(presented(r)) {
		write(w, http.StatusUnauthorized, openai{}.failure(http.StatusUnauthorized, "clade: no such session, or not its key"))
		return
	}
	to, ok := s.find(r.Method, path)
	if !ok {
		write(w, http.StatusForbidden, openai{}.failure(http.StatusForbidden, "clade: only what a model is asked by is passed on"))
		return
	}
	// The end of the session ends the client's part too, however slow it is.
	ctx, stop := context.WithCancelCause(r.Context())
	defer stop(nil)
	control := http.NewResponseController(w)
	defer context.AfterFunc(s.ctx, func() {
		stop(errClosed)
		_ = control.SetReadDeadline(time.Unix(1, 0))
		_ = control.SetWriteDeadline(time.Unix(1, 0))
	})()
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return
	}
	x := &exchange{s: s, w: w, r: r, to: to, ctx: ctx, stop: stop}
	defer x.small()
	if r.ContentLength < 0 || r.ContentLength > largeFrom {
		select {
		case s.large <- struct{}{}:
			x.large = true
		case <-ctx.Done():
			return
		}
	}
	x.serve()
}

// presented is the key that a client shows, wherever its provider has it.
func presented(r *http.Request) string {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return bearer
	}
	for _, name := range []string{"X-Api-Key", "X-Goog-Api-Key", "Api-Key"} {
		if key := r.Header.Get(name); key != "" {
			return key
		}
	}
	return r.URL.Query().Get("key")
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	if status < 500 {
		w.Header().Set("X-Should-Retry", "false")
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that has gone needs no answer
}

// An exchange is one request of a client and its reply.
type exchange struct {
	s    *session
	w    http.ResponseWriter
	r    *http.Request
	to   route
	ctx  context.Context
	stop context.CancelCauseFunc

	large   bool // it is the session's one large request, or may turn out so
	ask     ask
	content []byte // the request before its reply was bounded
	setting string
	hold    *hold // nil: it costs nothing
	tally   tally
}

func (x *exchange) serve() {
	body, status, err := x.body()
	if err != nil {
		x.fail(status, err.Error())
		return
	}
	if len(body) <= largeFrom {
		x.small()
	}
	if x.to.wire == nil {
		x.send(body)
		return
	}
	o, err := parse(body)
	if err != nil {
		x.fail(http.StatusBadRequest, "the request cannot be read: "+err.Error())
		return
	}
	most := x.s.model.MaxTokens
	if most <= 0 {
		most = defaultReply
	}
	x.ask = x.to.wire.shape(o, most)
	x.ask.stream = x.ask.stream || x.to.stream
	if o.get("model") != nil { // Google has it in the path
		o.setJSON("model", x.s.model.Model)
	}
	x.content, x.setting = o.bytes(), setting(o)
	x.hold, err = x.s.reserve(x.ctx, x.s.known.bound(x.content, x.setting), x.ask.wanted)
	switch {
	case errors.Is(err, errSpent):
		write(x.w, http.StatusBadRequest, x.to.wire.refusal("clade: what is left of this attempt's budget does not bear the request"))
		return
	case err != nil:
		return // nobody waits any more
	}
	x.to.wire.limit(o, x.official(), x.hold.output)
	x.send(o.bytes())
}

// small lets another large request in.
func (x *exchange) small() {
	if x.large {
		<-x.s.large
		x.large = false
	}
}

// defaultReply is Model.MaxTokens where it says nothing.
const defaultReply = 32_000

// official reports whether the service is OpenAI's own.
func (x *exchange) official() bool {
	u, err := url.Parse(x.s.link.BaseURL)
	return err == nil && (strings.HasSuffix(u.Hostname(), ".openai.com") || strings.HasSuffix(u.Hostname(), ".azure.com"))
}

// body reads the request, with its model in place of the one asked for.
func (x *exchange) body() (body []byte, status int, err error) {
	if x.r.Method == http.MethodGet {
		return nil, 0, nil
	}
	in := io.Reader(x.r.Body)
	switch x.r.Header.Get("Content-Encoding") {
	case "", "identity":
	case "gzip":
		if in, err = gzip.NewReader(io.LimitReader(in, requestMost)); err != nil {
			return nil, http.StatusBadRequest, errors.New("the request is no gzip")
		}
	default:
		return nil, http.StatusUnsupportedMediaType, errors.New("the request is compressed in a way that clade does not read; send it plain")
	}
	var whole bytes.Buffer
	whole.Grow(int(max(0, min(x.r.ContentLength, requestMost))) + bytes.MinRead)
	_, err = whole.ReadFrom(io.LimitReader(in, requestMost+1))
	switch body = whole.Bytes(); {
	case err != nil:
		return nil, http.StatusBadRequest, errors.New("the request ended before it was whole")
	case len(body) > requestMost:
		return nil, http.StatusRequestEntityTooLarge, errors.New("the request is larger than 32 MiB")
	case x.to.model:
		o, err := parse(body)
		if err != nil {
			return nil, http.StatusBadRequest, errors.New("the request cannot be read: " + err.Error())
		}
		o.setJSON("model", x.s.model.Model)
		return o.bytes(), 0, nil
	}
	return body, 0, nil
}

// fail answers in the form of the service.
func (x *exchange) fail(status int, text string) {
	form := openai{}.failure
	if x.to.wire != nil {
		form = x.to.wire.failure
	}
	write(x.w, status, form(status, "clade: "+text))
}

// refused takes note of a request that the service refused.
func (x *exchange) refused(e *llm.Error) {
	if x.hold == nil {
		return
	}
	if e.Usage.Reported {
		x.s.free(x.hold)
	} else {
		x.s.charge(x.hold, nil)
	}
	x.s.went(e)
}
