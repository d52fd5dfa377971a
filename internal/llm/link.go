package llm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/cladehq/clade"
)

// Limits bound one request to a service. Zero fields are the defaults.
type Limits struct {
	// Connect is how long it may take until there is a connection; 0: 15 s.
	Connect time.Duration
	// Silence is how long the service may send nothing, before its reply or
	// within it; 0: 5 minutes.
	Silence time.Duration
	// Whole is how long all of it may take; 0: 30 minutes.
	Whole time.Duration
	// Bytes is the most that is read of a reply; 0: 16 MiB.
	Bytes int64
}

func (l Limits) filled() Limits {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&l.Connect, 15*time.Second)
	set(&l.Silence, 5*time.Minute)
	set(&l.Whole, 30*time.Minute)
	if l.Bytes == 0 {
		l.Bytes = 16 << 20
	}
	return l
}

// A Link is the way of a client to one service, whatever SDK it uses: it keeps
// the limits, tells failures apart and keeps the key out of texts. It is safe for
// concurrent use.
type Link struct {
	Endpoint
	limits Limits
	http   *http.Client
}

// Connect finds out how a model is reached, and sends nothing yet. Errors are
// those of Reach.
func Connect(m clade.Model, lookup func(name string) (string, bool), l Limits) (*Link, error) {
	at, err := Reach(m, lookup)
	if err != nil {
		return nil, err
	}
	link := &Link{Endpoint: at, limits: l.filled()}
	link.http = &http.Client{Transport: &exchange{link, link.limits.transport()}}
	return link, nil
}

// HTTP is what the SDK sends requests with. A response that it gives is whole,
// in memory, of status 2xx, text in UTF-8 and no page for people; everything
// else is an *Error, or the context's. Redirects are not followed, since they
// would carry the key elsewhere.
func (l *Link) HTTP() *http.Client { return l.http }

// transport keeps connections for as many attempts at once as there may be.
func (l Limits) transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: l.Connect, KeepAlive: 30 * time.Second}).DialContext
	t.TLSHandshakeTimeout = l.Connect
	t.MaxIdleConnsPerHost = 64
	// A connection that a sleeping laptop lost is noticed by a ping.
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second}
	return t
}

// Failed is the *Error, or the context's error, within one that an SDK gave. One
// that is neither is about a reply that the SDK could not read.
func (l *Link) Failed(ctx context.Context, err error) error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return l.Nonsense("%v", err)
}

// Nonsense is the error for a reply that makes no sense. What it used is unknown.
func (l *Link) Nonsense(format string, args ...any) *Error {
	return &Error{Kind: KindReply, Calls: 1, Text: l.text(fmt.Sprintf(format, args...))}
}

// Cut is the error for a reply that ended before it was whole.
func (l *Link) Cut() *Error {
	return &Error{Kind: KindNetwork, Calls: 1, Text: "the reply was cut off before its end"}
}

// textMost bounds what is told of a failure, characters.
const textMost = 400

// text makes a service's words fit to be shown: on one line, bounded, and
// without the key, should the service repeat it.
func (l *Link) text(s string) string {
	if l.Key != "" {
		s = strings.ReplaceAll(s, l.Key, "(key)")
	}
	return clade.Line(s, textMost)
}
