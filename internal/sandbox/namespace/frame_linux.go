package namespace

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

	"github.com/cladehq/clade/internal/sandbox"
	"golang.org/x/sys/unix"
)

// A message is what engine and supervisor say to each other. One field is set.
type message struct {
	Setup  *setup  // to the supervisor, once
	Run    *run    // to the supervisor, with three file descriptors
	Signal *signal // to the supervisor while a command runs
	Gates  *gates  // to the engine, before a command that has gateways begins
	Ended  *ended  // to the engine, for Setup and each Run
}

// A setup is what the supervisor builds its root from.
type setup struct {
	Sights  []sight
	Root    bool // the engine is root: the command is root of its user namespace
	Groups  bool // cgroups hold limits
	Scratch int64
}

// A run is one command.
type run struct {
	Args, Env []string
	Dir       string
	Mounts    []sandbox.Mount
	Network   bool
	Gateways  []string
	Disk      int64  // RLIMIT_FSIZE, and the size of each temporary folder, 0: none
	Data      uint64 // RLIMIT_DATA, 0: none
	Tasks     uint64 // RLIMIT_NPROC, 0: none
}

// Gates come with a listening socket of the command's network for each gateway,
// in order.
type gates struct{}

// A signal ends the running command.
type signal struct{ Kill bool }

// An ended is how a command ended, or what kept it from starting.
type ended struct {
	Err    string        // infrastructure: nothing was run
	Failed string        // the command's own fault: what could not be had
	Errno  syscall.Errno // why, with Failed
	Killed bool          // PID 1 was killed with everything
	Status syscall.WaitStatus
	Strays int
	CPU    time.Duration
	MaxRSS int64 // bytes
}

// A wire carries messages with file descriptors over a stream socket. Messages
// are received by one goroutine at a time.
type wire struct {
	conn *net.UnixConn
	dec  *gob.Decoder
	in   bytes.Buffer

	sending sync.Mutex
	enc     *gob.Encoder
	out     bytes.Buffer
}

func newWire(f *os.File) (*wire, error) {
	c, err := net.FileConn(f)
	_ = f.Close()
	if err != nil {
		return nil, fmt.Errorf("opening a supervisor's socket: %w", err)
	}
	w := &wire{conn: c.(*net.UnixConn)}
	w.enc, w.dec = gob.NewEncoder(&w.out), gob.NewDecoder(&w.in)
	return w, nil
}

// send writes one frame: its length, which carries the descriptors, and a gob.
func (w *wire) send(m message, fds ...int) error {
	w.sending.Lock()
	defer w.sending.Unlock()
	w.out.Reset()
	if err := w.enc.Encode(m); err != nil {
		return err
	}
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	head := binary.LittleEndian.AppendUint32(nil, uint32(w.out.Len()))
	if _, _, err := w.conn.WriteMsgUnix(head, oob, nil); err != nil {
		return err
	}
	_, err := w.conn.Write(w.out.Bytes())
	return err
}

// maxDescriptors is the most that a message carries.
const maxDescriptors = max(streams, sandbox.MaxGateways)

// streams is how many descriptors a command begins with.
const streams = 3

// receive reads one frame. The descriptors are close-on-exec and the caller's.
func (w *wire) receive() (m message, fds []int, err error) {
	head := make([]byte, 4)
	oob := make([]byte, unix.CmsgSpace(4*maxDescriptors))
	n, oobn, _, _, err := w.conn.ReadMsgUnix(head, oob)
	if err != nil {
		return m, nil, err
	}
	if n == 0 {
		return m, nil, io.EOF
	}
	if fds, err = descriptors(oob[:oobn]); err != nil {
		return m, nil, err
	}
	if _, err := io.ReadFull(w.conn, head[n:]); err != nil {
		return m, fds, err
	}
	w.in.Reset()
	if _, err := io.CopyN(&w.in, w.conn, int64(binary.LittleEndian.Uint32(head))); err != nil {
		return m, fds, err
	}
	return m, fds, w.dec.Decode(&m)
}

func descriptors(oob []byte) ([]int, error) {
	msgs, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	var fds []int
	for i := range msgs {
		got, err := unix.ParseUnixRights(&msgs[i])
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
