// Package sandbox declares how a command that is not trusted is run: with what
// it sees, its limits and its end. Each child is one way; the grade says what
// really held.
package sandbox

import (
	"context"
	"io"
	"time"
)

// Grades of isolation, strongest first.
const (
	GradeContainer  = "container"
	GradeBwrap      = "bwrap"
	GradeNamespaces = "namespaces"
	GradeLandlock   = "landlock"
	GradeNone       = "none"
)

// Grades lists them, strongest first.
var Grades = []string{GradeContainer, GradeBwrap, GradeNamespaces, GradeLandlock, GradeNone}

// A MountKind is how a mount is made.
type MountKind string

const (
	MountOverlay MountKind = "overlay" // Lower (topmost first), Upper, Work at Target
	MountBind    MountKind = "bind"    // Source at Target
	MountTmpfs   MountKind = "tmpfs"   // empty and writable, at most Size bytes
	MountHide    MountKind = "hide"    // an empty read-only file or folder over Target
)

// A Mount is made in order before the command starts. Paths are absolute; Target
// is as the command sees it, the others are the host's. A missing Target is made
// where the command may write; one that leads through a symlink is an error,
// except that what is not there needs no hiding.
//
// An overlay is mounted with "userxattr": opaque folders of Upper carry
// user.overlay.opaque, deleted files are character devices 0:0, and a renamed
// folder of Lower is copied. Several commands may use the same Upper and Work
// one after the other. Unseal Work before removing it.
type Mount struct {
	Kind     MountKind
	Target   string
	Source   string
	Lower    []string
	Upper    string
	Work     string
	ReadOnly bool
	Size     int64
}

// Limits bound a command. Zero means none, except that Output zero means 16 MiB.
type Limits struct {
	Wall      time.Duration
	Memory    int64 // bytes of the whole tree of processes, or of each where that cannot be had
	Processes int
	Output    int64 // bytes kept of each stream; more is counted and dropped
	// Disk is how many bytes the folders that the command may write may hold
	// together, each temporary one in memory, and any one file. Where mounts are
	// not made only files are bounded, and not everywhere.
	Disk int64
}

// A Command is what to run. The environment is exactly Env: nothing is inherited.
type Command struct {
	Args    []string
	Env     []string
	Dir     string // absolute, as the command sees it
	Stdin   io.Reader
	Mounts  []Mount // only where Mounts() is true
	Limits  Limits
	Network bool // false: loopback only
	// Gateways are TCP addresses on this machine's loopback ("127.0.0.1:4711")
	// that a command without Network reaches all the same, at the same address.
	Gateways []string
	// Writable are host folders that the command may write beside its mounts,
	// for sandboxes whose Mounts is false; see Lend.
	Writable []string
	// Readable are host paths that are shown read-only although they are hidden:
	// the program's own files.
	Readable []string
	// Exclusive commands have the machine to themselves: no other command of
	// clade, of any process, runs meanwhile (timing measures).
	Exclusive bool
	// Output, when not nil, also gets standard output and error as they come,
	// for logs. It must not block.
	Output io.Writer
	// Grace is how long after SIGTERM the rest is killed at the wall limit or
	// on cancel. Zero: at once.
	Grace time.Duration
}

// A Stream is what was kept of an output.
type Stream struct {
	Head, Tail []byte // Tail follows a gap when Size > len(Head)+len(Tail)
	Size       int64  // bytes written
}

// Truncated reports whether something was dropped.
func (s Stream) Truncated() bool { return s.Size > int64(len(s.Head)+len(s.Tail)) }

// Bytes is the whole stream, only when it is not truncated.
func (s Stream) Bytes() []byte { return append(append([]byte(nil), s.Head...), s.Tail...) }

// End is the end of the stream: all of it, unless something was dropped.
func (s Stream) End() []byte {
	if s.Truncated() {
		return s.Tail
	}
	return s.Bytes()
}

// A Result is how a command ended.
type Result struct {
	Exit           int    // exit status; −1 when Signal is set
	Signal         string // "killed", "segmentation fault", …; "" when it exited
	TimedOut       bool   // the wall limit ended it
	OutOfMemory    bool   // the memory limit ended it
	OutOfDisk      bool   // the disk limit ended it
	Cancelled      bool   // ctx ended it
	Wall, CPU      time.Duration
	PeakMemory     int64 // bytes, largest resident set seen; 0 unknown
	Stdout, Stderr Stream
	Strays         int    // processes that outlived the main one and were killed
	Grade          string // what held
}

// OK reports whether the command exited with status 0.
func (r *Result) OK() bool {
	return r.Exit == 0 && r.Signal == "" && !r.TimedOut && !r.OutOfMemory && !r.OutOfDisk && !r.Cancelled
}

// A Sandbox runs commands. It is safe for concurrent use. When Run returns
// nothing the command started is alive. An error means that the command could
// not be started or watched: infrastructure, never the command's own fault; a
// program that does not exist is a Result with exit 127 and a message on Stderr.
type Sandbox interface {
	Grade() string
	// Mounts reports whether Command.Mounts are made.
	Mounts() bool
	// Home is the writable folder that commands may use as HOME, and Work the
	// folder where a workspace is mounted, both as commands see them. They are
	// "" where Mounts is false.
	Home() string
	Work() string
	Run(ctx context.Context, c Command) (Result, error)
	Close() error
}
