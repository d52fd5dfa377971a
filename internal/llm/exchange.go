package llm

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"regexp"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/cladehq/clade"
)

// exchange sends a request and reads its whole reply under the link's limits.
// No SDK sees a reply that stops in the middle: what they make of one differs,
// and some write about it to standard error.
//
// It gives an error for a response that is no success, which a RoundTripper
// should leave to its caller: it is the one place where the three SDKs meet.
type exchange struct {
	link *Link
	base http.RoundTripper
}

var (
	errSilent = errors.New("silent")
	errSlow   = errors.New("slow")
	errLarge  = errors.New("large")
)

// refusalMost is the most that is read of a reply that is no success, bytes.
const refusalMost = 64 << 10

func (x *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	l := x.link
	ctx, stop := context.WithCancelCause(req.Context())
	defer stop(nil)
	whole := time.AfterFunc(l.limits.Whole, func() { stop(errSlow) })
	defer whole.Stop()
	silence := time.AfterFunc(l.limits.Connect+l.limits.Silence, func() { stop(errSilent) })
	defer silence.Stop()
	heard := func() { silence.Reset(l.limits.Silence) }

	var connected atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		connected.Store(true)
		heard()
	}}
	res, err := x.base.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, trace)))
	if err != nil {
		return nil, x.broken(req.Context(), ctx, err, connected.Load())
	}
	defer res.Body.Close()
	if res.StatusCode < 200 || res.StatusCode > 299 {
		body, _ := readMost(res.Body, refusalMost, heard)
		return nil, l.refusal(res.StatusCode, res.Header, body)
	}
	body, err := readMost(res.Body, l.limits.Bytes, heard)
	switch {
	case errors.Is(err, errLarge):
		return nil, l.Nonsense("the reply is larger than %s", clade.Bytes(l.limits.Bytes))
	case err != nil:
		return nil, x.broken(req.Context(), ctx, err, true)
	}
	if err := l.sound(body); err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, nil
}

// readMost reads at most n bytes and calls heard whenever some arrive.
func readMost(r io.Reader, n int64, heard func()) ([]byte, error) {
	var b bytes.Buffer
	chunk := make([]byte, 32<<10)
	for {
		got, err := r.Read(chunk)
		if got > 0 {
			heard()
		}
		if over := int64(b.Len()) + int64(got) - n; over > 0 {
			b.Write(chunk[:int64(got)-over])
			return b.Bytes(), errLarge
		}
		b.Write(chunk[:got])
		if err == io.EOF {
			return b.Bytes(), nil
		}
		if err != nil {
			return b.Bytes(), err
		}
	}
}

// broken is the error for a request without a reply. What a service did with a
// request that reached it is unknown.
func (x *exchange) broken(outer, inner context.Context, err error, connected bool) error {
	if outer.Err() != nil {
		return outer.Err()
	}
	e := &Error{Kind: KindNetwork, Usage: Usage{Reported: !connected}, Calls: 1, Err: err}
	var untrusted *tls.CertificateVerificationError
	switch cause := context.Cause(inner); {
	case errors.Is(cause, errSilent):
		e.Text, e.Err = fmt.Sprintf("the service sent nothing for %v", x.link.limits.Silence), nil
	case errors.Is(cause, errSlow):
		e.Text, e.Err = fmt.Sprintf("the service did not finish within %v", x.link.limits.Whole), nil
	case errors.As(err, &untrusted):
		e.Kind, e.Text = KindAccess, x.link.text(err.Error())
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Text = x.link.Cut().Text
	default:
		e.Text = x.link.text(err.Error())
	}
	return e
}

var title = regexp.MustCompile(`(?is)<title[^>]*>([^<]*)`)

// sound refuses what no client could read. Text that is not UTF-8 is refused
// rather than mended: a file made from it would be damaged without a word.
func (l *Link) sound(body []byte) error {
	start := bytes.TrimSpace(body)
	switch {
	case len(start) == 0:
		return l.Nonsense("the reply is empty")
	case start[0] == '<':
		said := ""
		if m := title.FindSubmatch(start); m != nil {
			said = fmt.Sprintf(" (%s)", bytes.TrimSpace(m[1]))
		}
		return l.Nonsense("the reply is a page for people%s; is the address right?", said)
	case !utf8.Valid(body):
		return l.Nonsense("the reply is not text in UTF-8")
	}
	return nil
}
