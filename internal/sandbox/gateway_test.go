package sandbox_test

import (
	"errors"
	"io"
	"net"
	"testing"

	"github.com/cladehq/clade/internal/sandbox"
)

func TestCheckGateways(t *testing.T) {
	t.Parallel()
	for a, ok := range map[string]bool{
		"127.0.0.1:4711": true, "127.8.0.1:1": true, "[::1]:65535": true,
		"localhost:4711": false, "127.0.0.1": false, "127.0.0.1:0": false, "127.0.0.1:65536": false, "": false,
		"10.0.0.1:80": false, "0.0.0.0:80": false, "[::]:80": false, "[::ffff:127.0.0.1]:80": false, "[::1%lo]:80": false,
		"169.254.169.254:80": false,
	} {
		if err := sandbox.CheckGateways([]string{a}); (err == nil) != ok {
			t.Errorf("%q: %v", a, err)
		}
	}
	if sandbox.CheckGateways(make([]string, sandbox.MaxGateways+1)) == nil {
		t.Error("any number is possible")
	}
}

func listener(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// The end of what one side says is no end of what the other does, and closing
// the relay ends a connection that says nothing.
func TestRelay(t *testing.T) {
	t.Parallel()
	server, inside := listener(t), listener(t)
	r := sandbox.NewRelay(inside, server.Addr().String())
	client, err := net.Dial("tcp", inside.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	peer, err := server.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = peer.Close() }()
	if _, err := client.Write([]byte("ask")); err != nil {
		t.Fatal(err)
	}
	_ = client.(*net.TCPConn).CloseWrite()
	if got, err := io.ReadAll(peer); string(got) != "ask" || err != nil {
		t.Errorf("the server read %q, %v", got, err)
	}
	if _, err := peer.Write([]byte("answer")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 6)
	if _, err := io.ReadFull(client, got); string(got) != "answer" || err != nil {
		t.Errorf("the client read %q, %v", got, err)
	}
	r.Close()
	if n, err := client.Read(got); n != 0 || err == nil {
		t.Errorf("after Close: %d, %v", n, err)
	}
	if c, err := net.Dial("tcp", inside.Addr().String()); err == nil {
		_ = c.Close()
		t.Error("a closed relay accepts")
	}
}

// A gateway that is not there is a broken connection, not an empty answer.
func TestRelayToNowhere(t *testing.T) {
	t.Parallel()
	gone := listener(t)
	_ = gone.Close()
	inside := listener(t)
	r := sandbox.NewRelay(inside, gone.Addr().String())
	defer r.Close()
	client, err := net.Dial("tcp", inside.Addr().String())
	if err != nil {
		return // refused before the dial was over
	}
	defer func() { _ = client.Close() }()
	if _, err := client.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("read: %v", err)
	}
}
