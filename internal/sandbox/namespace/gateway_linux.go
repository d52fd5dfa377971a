package namespace

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"

	"github.com/cladehq/clade/internal/sandbox"
)

// A command's gateways listen in its network before it begins. The supervisor
// opens the sockets there and hands them to the engine, which is in the
// machine's network and accepts from them.

// waiting is how many connections may wait to be accepted.
const waiting = 256

// openGates listens at addresses in this thread's network and sends the engine
// the sockets.
func (s *supervisor) openGates(addresses []string) (err error) {
	if len(addresses) == 0 {
		return nil
	}
	var fds []int
	defer func() { err = errors.Join(err, closeAll(fds)) }()
	for _, a := range addresses {
		fd, err := listenAt(a)
		if err != nil {
			return fmt.Errorf("opening gateway %s: %w", a, err)
		}
		fds = append(fds, fd)
	}
	return s.wire.send(message{Gates: &gates{}}, fds...)
}

func listenAt(address string) (int, error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return 0, err
	}
	family, to := unix.AF_INET, unix.Sockaddr(nil)
	if at.Addr().Is4() {
		to = &unix.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()}
	} else {
		family, to = unix.AF_INET6, &unix.SockaddrInet6{Port: int(at.Port()), Addr: at.Addr().As16()}
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return 0, err
	}
	if err := errors.Join(unix.Bind(fd, to), unix.Listen(fd, waiting)); err != nil {
		return 0, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// relay begins to accept from the sockets of gateways. It owns the sockets.
func relay(fds []int, gateways []string) (relays []*sandbox.Relay, err error) {
	if len(fds) != len(gateways) {
		return nil, errors.Join(fmt.Errorf("%d sockets for %d gateways", len(fds), len(gateways)), closeAll(fds))
	}
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), gateways[i])
		l, lerr := net.FileListener(f)
		if err = errors.Join(err, lerr, f.Close()); lerr == nil {
			relays = append(relays, sandbox.NewRelay(l, gateways[i]))
		}
	}
	return relays, err
}
