package sandboxtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/cladehq/clade/internal/sandbox"
)

// clientVar makes a test program a client of a server; see Main.
const clientVar = "SANDBOXTEST_CLIENT"

// Main turns the test program into a client, and does not return, when the
// suite started it as one.
func Main() {
	if what := os.Getenv(clientVar); what != "" {
		if err := be(what); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// be is a client: "dial ADDRESS", "flood ADDRESS" or "echo ADDRESS CONNECTIONS
// BYTES".
func be(what string) error {
	var do, address string
	var connections, size int
	_, _ = fmt.Sscan(what, &do, &address, &connections, &size) // the last two are echo's
	if do == "echo" {
		errs := make([]error, connections)
		var all sync.WaitGroup
		for i := range connections {
			all.Go(func() { errs[i] = echo(address, bytes.Repeat([]byte{byte(i)}, size)) })
		}
		all.Wait()
		return errors.Join(errs...)
	}
	c, err := net.Dial("tcp", address)
	for chunk := make([]byte, 1<<16); do == "flood" && err == nil; {
		_, err = c.Write(chunk)
	}
	return err
}

// echo says something, ends its half, and wants the same back.
func echo(address string, say []byte) error {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	wrote := make(chan error)
	go func() {
		_, err := c.Write(say)
		wrote <- errors.Join(err, c.(*net.TCPConn).CloseWrite())
	}()
	got, err := io.ReadAll(c)
	if err = errors.Join(err, <-wrote); err == nil && !bytes.Equal(got, say) {
		err = fmt.Errorf("%d bytes came back of %d", len(got), len(say))
	}
	return err
}

// client is a command that is this program as a client.
func client(t *testing.T, f fixture, what string) sandbox.Command {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := shell(t, "")
	c.Env = append(c.Env, clientVar+"="+what)
	if f.Mounts() {
		c.Mounts = []sandbox.Mount{{Kind: sandbox.MountBind, Source: exe, Target: "/clade/client", ReadOnly: true}}
		exe = "/clade/client"
	} else {
		c.Readable = []string{exe}
	}
	c.Args = []string{exe, "-test.run=^$"} // should Main not be called, nothing runs
	return c
}

// serve lets a server of the machine's loopback have each connection, and
// returns its address. It is over when the test is.
func serve(t *testing.T, each func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer func() { _ = c.Close() }()
				each(c)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return l.Addr().String()
}

// repeat is an echo server, which answers when all is said.
func repeat(c net.Conn) {
	var said bytes.Buffer
	if _, err := io.Copy(&said, c); err == nil {
		_, _ = said.WriteTo(c)
	}
}

func echoes(address string, connections, size int) string {
	return "echo " + address + " " + strconv.Itoa(connections) + " " + strconv.Itoa(size)
}
