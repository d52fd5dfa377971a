package sandbox

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"
)

// MaxGateways is how many gateways one command may have.
const MaxGateways = 8

// CheckGateways refuses what is no address of this machine's loopback: a gateway
// must not be a way to anywhere else.
func CheckGateways(addresses []string) error {
	if len(addresses) > MaxGateways {
		return fmt.Errorf("%d gateways, at most %d are possible", len(addresses), MaxGateways)
	}
	for _, a := range addresses {
		at, err := netip.ParseAddrPort(a)
		if err != nil {
			return fmt.Errorf("gateway %q is not an address with a port: %w", a, err)
		}
		if !at.Addr().IsLoopback() || at.Addr().Is4In6() || at.Addr().Zone() != "" || at.Port() == 0 {
			return fmt.Errorf("gateway %q is not a port of this machine's loopback", a)
		}
	}
	return nil
}

// relayConnections is how many connections a Relay carries at once. More wait
// to be accepted.
const relayConnections = 256

// A Relay carries the connections that a command makes to a gateway inside its
// own network on to the gateway itself.
type Relay struct {
	from net.Listener
	to   string
	ctx  context.Context // ends with the relay
	stop context.CancelFunc
	busy sync.WaitGroup
}

// NewRelay begins to carry what from accepts to an address of this machine's
// loopback. It owns from.
func NewRelay(from net.Listener, to string) *Relay {
	r := &Relay{from: from, to: to}
	r.ctx, r.stop = context.WithCancel(context.Background())
	r.busy.Go(r.serve)
	return r
}

// Close ends every connection. When it returns nothing of the relay is left.
func (r *Relay) Close() {
	r.stop()
	_ = r.from.Close()
	r.busy.Wait()
}

func (r *Relay) serve() {
	slots := make(chan struct{}, relayConnections)
	for {
		select {
		case slots <- struct{}{}:
		case <-r.ctx.Done():
			return
		}
		c, err := r.from.Accept()
		if err != nil {
			<-slots
			if !r.pause() {
				return
			}
			continue
		}
		r.busy.Go(func() {
			defer func() { <-slots }()
			r.carry(c)
		})
	}
}

// pause waits before it is accepted again, when this process has no descriptor
// left, and reports whether the relay goes on.
func (r *Relay) pause() bool {
	t := time.NewTimer(10 * time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.ctx.Done():
		return false
	}
}

// carry copies both ways. The end of one way is passed on and leaves the other
// open; a failure ends both.
func (r *Relay) carry(in net.Conn) {
	defer func() { _ = in.Close() }()
	out, err := (&net.Dialer{}).DialContext(r.ctx, "tcp", r.to)
	if err != nil {
		reset(in)
		return
	}
	defer func() { _ = out.Close() }()
	defer context.AfterFunc(r.ctx, func() { cut(in, out) })()
	var back sync.WaitGroup
	back.Go(func() { pass(in, out) })
	pass(out, in)
	back.Wait()
}

// pass copies until from ends. The kernel's own copying would keep pipes open
// for later.
func pass(to, from net.Conn) {
	_, err := io.Copy(struct{ io.Writer }{to}, struct{ io.Reader }{from})
	if end, ok := to.(interface{ CloseWrite() error }); ok && err == nil && end.CloseWrite() == nil {
		return
	}
	cut(to, from)
}

func cut(conns ...net.Conn) {
	for _, c := range conns {
		_ = c.Close()
	}
}

// reset makes closing a connection a failure to whoever is at the other end.
func reset(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
}
