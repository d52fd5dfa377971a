package sandbox

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// frame is a message as it is sent.
func frame(t testing.TB, m message) []byte {
	t.Helper()
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(m); err != nil {
		t.Fatal(err)
	}
	return append(binary.LittleEndian.AppendUint32(nil, uint32(body.Len())), body.Bytes()...)
}

// FuzzWire: whatever the other end says, receiving ends, with messages or with
// an error, and never takes more than it was sent.
func FuzzWire(f *testing.F) {
	job := frame(f, message{Word: wordJob, Job: job{Args: []string{"sh"}, Env: []string{"A=b"}, Dir: "/", Limits: Limits{Wall: time.Second}}})
	report := frame(f, message{Word: wordReport, Report: report{Failed: "sh", Errno: unix.ENOENT, Strays: 3}})
	f.Add([]byte{})
	f.Add(job)
	f.Add(append(append([]byte(nil), job...), report...))
	f.Add(job[:len(job)/2])                     // cut short
	f.Add(report[:3])                           // not even a length
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 1, 2}) // longer than any message
	f.Add([]byte{0, 0, 0, 4, 1, 2})             // longer than what follows
	f.Add([]byte{3, 0, 0, 0, 0xf8, 0x7f, 0xff}) // a gob that announces much
	f.Fuzz(func(t *testing.T, said []byte) {
		w, other := wires(t)
		go func() {
			_, _ = other.Write(said) // a receiver that has failed does not read
			_ = other.Close()
		}()
		for taken := 0; ; {
			m, fds, err := w.receive()
			if len(fds) > 0 {
				t.Fatalf("%d descriptors were never sent", len(fds))
			}
			if err != nil {
				break
			}
			// A gob is never shorter than the words in it.
			if taken += 4 + len(m.Word); taken > len(said) {
				t.Fatalf("%d bytes became %q", len(said), m.Word)
			}
		}
		_ = w.conn.Close()
		_, _ = io.Copy(io.Discard, other) // the writer has ended
	})
}

// wires are both ends of a connection.
func wires(t *testing.T) (*wire, net.Conn) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	w, err := wireOf(os.NewFile(uintptr(fds[0]), "one"))
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fds[1]), "other")
	defer func() { _ = f.Close() }()
	c, err := net.FileConn(f)
	if err != nil {
		t.Fatal(err)
	}
	return w, c
}
