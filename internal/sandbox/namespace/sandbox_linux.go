package namespace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cladehq/clade/internal/sandbox"
)

// A Sandbox runs commands in namespaces. It keeps one supervisor for each
// command that ever ran beside others.
type Sandbox struct {
	setup  setup
	sights view            // all of Options
	view   view            // sights, reduced
	binds  []sandbox.Mount // of the view, in each command's own folders
	resolv []sandbox.Mount // what /etc/resolv.conf leads to, for the network
	nest   *nest
	groups *groups // nil where no cgroup can be made

	mu     sync.Mutex
	free   []*slot
	all    map[*slot]bool
	closed bool
}

var _ sandbox.Sandbox = (*Sandbox)(nil)

// New starts the first supervisor. It fails with ErrUnavailable where
// namespaces cannot be used.
func New(o Options) (*Sandbox, error) {
	s := &Sandbox{
		sights: newView(o.Hide, o.Show),
		all:    map[*slot]bool{},
	}
	s.view = s.sights.reduced()
	s.binds = s.view.inFresh()
	s.setup = setup{Sights: s.view.still(), Root: os.Geteuid() == 0, Scratch: o.Scratch}
	if s.setup.Scratch <= 0 {
		s.setup.Scratch = halfOfMemory()
	}
	if p, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && belowFresh(p) {
		s.resolv = []sandbox.Mount{{Kind: sandbox.MountBind, Source: p, Target: p, ReadOnly: true}}
	}
	s.nest = newNest()
	s.groups = findGroups()
	s.setup.Groups = s.groups != nil
	first, err := s.hatch()
	if err != nil {
		s.nest.close()
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	s.free = append(s.free, first)
	return s, nil
}

// Grade is GradeNamespaces.
func (*Sandbox) Grade() string { return sandbox.GradeNamespaces }

// Mounts is true.
func (*Sandbox) Mounts() bool { return true }

// Home is a folder in memory unless something is mounted there.
func (*Sandbox) Home() string { return homeDir }

// Work is a folder in memory unless something is mounted there.
func (*Sandbox) Work() string { return workDir }

// Held says how Limits are held here: "cgroup" for the whole tree of
// processes, or "rlimit" for each process (and, of processes, not at all for
// root).
func (s *Sandbox) Held() (memory, processes string) {
	memory, processes = "rlimit", "rlimit"
	if s.groups.has("memory") {
		memory = "cgroup"
	}
	if s.groups.has("pids") {
		processes = "cgroup"
	}
	return memory, processes
}

// Close kills what runs and ends all supervisors.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	s.closed = true
	var slots []*slot
	for sl := range s.all {
		slots = append(slots, sl)
	}
	s.free, s.all = nil, map[*slot]bool{}
	s.mu.Unlock()
	var errs []error
	for _, sl := range slots {
		errs = append(errs, sl.close())
	}
	s.nest.close()
	return errors.Join(errs...)
}

// Run runs one command. Memory of the whole tree is bounded where a cgroup can
// be made, see Held.
func (s *Sandbox) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	if len(c.Args) == 0 {
		return sandbox.Result{}, errors.New("running a command: no arguments")
	}
	if err := sandbox.CheckGateways(c.Gateways); err != nil {
		return sandbox.Result{}, fmt.Errorf("running %s: %w", c.Args[0], err)
	}
	if ctx.Err() != nil {
		return sandbox.Result{Exit: -1, Cancelled: true, Grade: s.Grade()}, nil
	}
	sl, err := s.take()
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("running %s: %w", c.Args[0], err)
	}
	r, err := s.runIn(ctx, sl, c)
	if err != nil {
		err = fmt.Errorf("running %s: %w", c.Args[0], err)
	}
	return r, errors.Join(err, s.give(sl))
}

func (s *Sandbox) runIn(ctx context.Context, sl *slot, c sandbox.Command) (sandbox.Result, error) {
	oom, err := sl.group.limit(c.Limits)
	if err != nil {
		return sandbox.Result{}, err
	}
	pipes, err := sandbox.OpenPlumbing(c)
	if err != nil {
		return sandbox.Result{}, err
	}
	begun := time.Now()
	if err := sl.begin(s.request(c), pipes); err != nil {
		pipes.Abort()
		return sandbox.Result{}, err
	}
	pipes.Started()
	var e *ended
	done := make(chan struct{})
	go func() {
		e, err = sl.await(c.Gateways)
		close(done)
	}()
	disk := sandbox.WatchDisk(written(c.Mounts), c.Limits.Disk, func() { sl.signal(true) })
	w := sandbox.WatchOver(ctx, c, done, func() { sl.signal(false) }, func() { sl.signal(true) })
	wall, full := time.Since(begun), disk.Stop()
	stdout, stderr := pipes.Finish(finishWait)
	if err != nil {
		return sandbox.Result{}, err
	}
	if e.Err != "" {
		return sandbox.Result{}, errors.New(e.Err)
	}
	r := s.result(c, e)
	if e.Failed == "" {
		r.Stdout, r.Stderr = stdout, stderr
	}
	r.Wall, r.TimedOut, r.Cancelled = wall, w.TimedOut, w.Cancelled
	r.OutOfMemory = r.Exit != 0 && oom()
	r.OutOfDisk = r.Exit != 0 && (full || r.Signal == unix.SIGXFSZ.String())
	return r, nil
}

// finishWait bounds the wait for output of processes that are dead already.
const finishWait = 5 * time.Second

func (s *Sandbox) request(c sandbox.Command) *run {
	r := &run{Args: c.Args, Env: c.Env, Dir: c.Dir, Network: c.Network, Disk: c.Limits.Disk}
	if r.Dir == "" {
		r.Dir = "/"
	}
	sights := s.seen(c.Readable)
	if c.Network {
		sights = append(slices.Clip(sights), s.resolv...)
	} else {
		r.Gateways = c.Gateways
	}
	r.Mounts = around(sights, c.Mounts)
	if c.Limits.Memory > 0 && !s.groups.has("memory") {
		r.Data = uint64(c.Limits.Memory)
	}
	if c.Limits.Processes > 0 && !s.groups.has("pids") {
		// The user namespace is the supervisor's: nobody else's tasks count.
		r.Tasks = uint64(c.Limits.Processes) + supervisorTasks
	}
	return r
}

// written are the machine's folders that mounts let a command write.
func written(mounts []sandbox.Mount) (folders []string) {
	for _, m := range mounts {
		switch {
		case m.ReadOnly:
		case m.Kind == sandbox.MountOverlay && m.Upper != "":
			folders = append(folders, m.Upper)
		case m.Kind == sandbox.MountBind:
			folders = append(folders, m.Source)
		}
	}
	return folders
}

// around puts a command's mounts around its sights: one that takes the place of
// a temporary folder would cover them.
func around(sights, mounts []sandbox.Mount) (all []sandbox.Mount) {
	var rest []sandbox.Mount
	for _, m := range mounts {
		if slices.Contains(fresh, m.Target) {
			all = append(all, m)
		} else {
			rest = append(rest, m)
		}
	}
	return slices.Concat(all, sights, rest)
}

// seen are the mounts that make what a command sees of the machine, beyond what
// every command does.
func (s *Sandbox) seen(readable []string) []sandbox.Mount {
	if len(readable) == 0 {
		return s.binds
	}
	v := s.sights.with(readable).reduced()
	return append(v.inFresh(), v.beyond(s.view)...)
}

// halfOfMemory is what a tmpfs holds unless it is told otherwise, bytes.
func halfOfMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 1 << 30
	}
	return int64(info.Totalram) * int64(info.Unit) / 2
}

// supervisorTasks is room for the threads of a supervisor and PID 1.
const supervisorTasks = 24

func (s *Sandbox) result(c sandbox.Command, e *ended) sandbox.Result {
	if e.Failed != "" {
		what := c.Args[0]
		if e.Failed != "execute" {
			what = e.Failed
		}
		return sandbox.Unstarted(s.Grade(), what, e.Errno)
	}
	r := sandbox.Result{CPU: e.CPU, PeakMemory: e.MaxRSS, Strays: e.Strays, Grade: s.Grade()}
	switch {
	case e.Killed:
		r.Exit, r.Signal = -1, unix.SIGKILL.String()
	case e.Status.Signaled():
		r.Exit, r.Signal = -1, e.Status.Signal().String()
	default:
		r.Exit = e.Status.ExitStatus()
	}
	return r
}

// take gives a supervisor that nobody uses, or a new one.
func (s *Sandbox) take() (*slot, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, os.ErrClosed
	}
	if n := len(s.free); n > 0 {
		sl := s.free[n-1]
		s.free = s.free[:n-1]
		s.mu.Unlock()
		return sl, nil
	}
	s.mu.Unlock()
	return s.hatch()
}

// hatch starts a supervisor and counts it.
func (s *Sandbox) hatch() (*slot, error) {
	sl, err := s.nest.start(s.setup, s.groups)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.Join(os.ErrClosed, sl.close())
	}
	s.all[sl] = true
	return sl, nil
}

// give puts a supervisor back; one that failed is replaced by the next take.
func (s *Sandbox) give(sl *slot) error {
	s.mu.Lock()
	if !s.all[sl] { // closed meanwhile
		s.mu.Unlock()
		return nil
	}
	if !sl.broken {
		s.free = append(s.free, sl)
		s.mu.Unlock()
		return nil
	}
	delete(s.all, sl)
	s.mu.Unlock()
	return sl.close()
}
