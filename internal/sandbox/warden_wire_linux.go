package sandbox

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A word is what engine and warden say to each other.
type word string

const (
	wordHello     word = "hello"     // to the engine, with the warden's pidfd
	wordJob       word = "job"       // to the warden, with the command's streams
	wordGates     word = "gates"     // to the engine, with a listening socket for each gateway, in order
	wordTerminate word = "terminate" // to the warden
	wordKill      word = "kill"      // to the warden
	wordReport    word = "report"    // to the engine, the last
)

type message struct {
	Word   word
	Job    job
	Report report
}

// A job is one command.
type job struct {
	Args, Env []string
	Dir       string
	Gateways  []string
	Limits    Limits // those that single processes can be held to
}

// A report is how a command ended, or what kept it from starting.
type report struct {
	Err    string        // infrastructure: nothing was run
	Failed string        // the command's own fault: what could not be had
	Errno  syscall.Errno // why, with Failed
	Status syscall.WaitStatus
	Strays int
	CPU    time.Duration
	Peak   int64 // bytes
	OOM    bool  // the sandbox's own memory limit killed something
}

// streams is how many descriptors a command begins with.
const streams = 3

// maxPassed is the most descriptors that a message carries.
const maxPassed = max(streams, MaxGateways)

// maxMessage bounds a message, bytes: arguments and environment are at most
// some megabytes in Linux.
const maxMessage = 64 << 20

// A wire carries messages with descriptors over a stream socket. Messages are
// received by one goroutine at a time.
type wire struct {
	conn    *net.UnixConn
	sending sync.Mutex
}

// send writes one frame: its length, which carries the descriptors, and a gob.
func (w *wire) send(m message, fds ...int) error {
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(m); err != nil {
		return err
	}
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	w.sending.Lock()
	defer w.sending.Unlock()
	head := binary.LittleEndian.AppendUint32(nil, uint32(body.Len()))
	if _, _, err := w.conn.WriteMsgUnix(head, oob, nil); err != nil {
		return err
	}
	_, err := w.conn.Write(body.Bytes())
	return err
}

// receive reads one frame. The descriptors are close-on-exec and the caller's,
// also with an error.
func (w *wire) receive() (m message, fds []int, err error) {
	head, oob := make([]byte, 4), make([]byte, unix.CmsgSpace(4*maxPassed))
	n, oobn, _, _, err := w.conn.ReadMsgUnix(head, oob)
	if err == nil && n == 0 {
		err = io.EOF
	}
	if err != nil {
		return m, nil, err
	}
	if fds, err = passed(oob[:oobn]); err != nil {
		return m, nil, err
	}
	if _, err := io.ReadFull(w.conn, head[n:]); err != nil {
		return m, fds, err
	}
	size := binary.LittleEndian.Uint32(head)
	if size > maxMessage {
		return m, fds, fmt.Errorf("a message of %d bytes", size)
	}
	var body bytes.Buffer
	if _, err := io.CopyN(&body, w.conn, int64(size)); err != nil {
		return m, fds, err
	}
	return m, fds, gob.NewDecoder(&body).Decode(&m)
}

// passed are the descriptors that came with a message.
func passed(oob []byte) (fds []int, err error) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	for i := range messages {
		got, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			return nil, errors.Join(err, closeAll(fds))
		}
		fds = append(fds, got...)
	}
	return fds, nil
}

func closeAll(fds []int) error {
	var errs []error
	for _, fd := range fds {
		errs = append(errs, unix.Close(fd))
	}
	return errors.Join(errs...)
}

// wireOf takes over a connected socket.
func wireOf(f *os.File) (*wire, error) {
	c, err := net.FileConn(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	conn, ok := c.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errors.New("not a unix socket"), c.Close())
	}
	return &wire{conn: conn}, nil
}
