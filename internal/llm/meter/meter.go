// Package meter is the gateway through which commands reach models: an HTTP
// server of this process, on loopback. Each session has a port and a key of its
// own, so that a sandbox which lets a command reach one port lets it into its own
// session only, whatever keys it has come by; the gateway puts the real key in,
// passes on what a model is asked by and nothing else, counts what replies used,
// and holds every session to its cap.
//
// A request is passed on only when the cap bears the most it can cost:
//
//   - Its input is at most as many tokens as its body has bytes, since no
//     tokeniser makes a token of less than a byte, with an allowance for what
//     services add of their own; see estimate.go for what is known better.
//   - Its output is at most what the request itself allows the model, which is
//     lowered to what the cap still bears. Below a useful minimum the request is
//     refused, in words by which coding agents give up.
//
// The most is reserved before the request is sent and settled after, so that
// requests side by side share one cap. A reply that does not say what it used,
// or is cut, costs its reservation.
package meter

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

// Options say how a gateway works. The zero value is what a run wants.
type Options struct {
	// Lookup reads a variable of the user's environment; nil: os.LookupEnv.
	Lookup func(name string) (string, bool)
	// Silence is how long a service may send nothing before a request is given
	// up; it may think twice as long over a reply that is not streamed. 0: 5
	// minutes.
	Silence time.Duration
	// Transport sends requests to services; nil: one that honours the proxy
	// variables. It must not decompress.
	Transport http.RoundTripper
}

const defaultSilence = 5 * time.Minute

// gateway implements llm.Gateway.
type gateway struct {
	o      Options
	server *http.Server
	served sync.WaitGroup // listeners

	mu       sync.Mutex
	closed   bool
	sessions map[string]*session // by path segment
}

// New makes a gateway. It tries a port first: where nothing can be listened on,
// that is said before anything is paid.
func New(o Options) (llm.Gateway, error) {
	if o.Lookup == nil {
		o.Lookup = os.LookupEnv
	}
	if o.Silence <= 0 {
		o.Silence = defaultSilence
	}
	if o.Transport == nil {
		o.Transport = transport()
	}
	probe, err := listen()
	if err != nil {
		return nil, err
	}
	_ = probe.Close()
	g := &gateway{o: o, sessions: map[string]*session{}}
	g.server = &http.Server{
		Handler: g, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: log.New(io.Discard, "", 0), // what clients do wrong is no news, and may hold what they sent
	}
	return g, nil
}

// listen takes a free port of loopback.
func listen() (net.Listener, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, &clade.Problem{Fault: clade.FaultEnvironment, Text: "cannot listen on the loopback address, over which agents reach their models", Err: err}
	}
	return ln, nil
}

// transport asks for no compression of its own: replies are read on their way.
func transport() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t = t.Clone()
	t.DisableCompression = true
	t.MaxIdleConnsPerHost = 32
	return t
}

// Open implements llm.Gateway.
func (g *gateway) Open(m clade.Model, most llm.Cap) (llm.Session, error) {
	link, err := llm.Connect(m, g.o.Lookup, llm.Limits{})
	if err != nil {
		return nil, err
	}
	if most.Microdollars > 0 && m.Price == nil {
		return nil, &llm.Error{Kind: llm.KindBudget, Text: fmt.Sprintf("model %s has no price: what it costs cannot be held to $%s", m.Name, most.Microdollars)}
	}
	ln, err := listen()
	if err != nil {
		return nil, err
	}
	s := newSession(g, m, link, most, ln)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		_ = ln.Close()
		return nil, errors.New("open a model session: the gateway is closed")
	}
	g.sessions[s.segment] = s
	g.served.Go(func() { _ = g.server.Serve(ln) }) // ends when the session does
	return s, nil
}

// find returns the open session of a path segment, if the request came in at its
// port.
func (g *gateway) find(r *http.Request, segment string) *session {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.sessions[segment]
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); s == nil || !ok || at.String() != s.Address() {
		return nil
	}
	return s
}

func (g *gateway) forget(s *session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.sessions, s.segment)
}

// Close ends every session and the server.
func (g *gateway) Close() error {
	g.mu.Lock()
	g.closed = true
	open := make([]*session, 0, len(g.sessions))
	for _, s := range g.sessions {
		open = append(open, s)
	}
	g.mu.Unlock()
	for _, s := range open {
		s.Close()
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	if g.server.Shutdown(ctx) != nil { // a client that does not let go
		_ = g.server.Close()
	}
	g.served.Wait()
	if t, ok := g.o.Transport.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
	return nil
}

// secret is a name that nobody guesses: 130 bits.
func secret() string { return rand.Text() }
