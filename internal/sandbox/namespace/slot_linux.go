package namespace

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/cladehq/clade/internal/sandbox"
)

// A nest starts supervisors from one thread that lives as long as they do: the
// kernel kills them when the thread that started them ends.
type nest struct {
	work chan func()
	quit chan struct{}
	once sync.Once
	gone sync.WaitGroup
}

func newNest() *nest {
	n := &nest{work: make(chan func()), quit: make(chan struct{})}
	n.gone.Add(1)
	go func() {
		defer n.gone.Done()
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		for {
			select {
			case f := <-n.work:
				f()
			case <-n.quit:
				return
			}
		}
	}()
	return n
}

func (n *nest) close() {
	n.once.Do(func() { close(n.quit) })
	n.gone.Wait()
}

// A slot is one supervisor, as the engine sees it.
type slot struct {
	cmd    *exec.Cmd
	wire   *wire
	said   *sandbox.Capture // its standard error
	group  *group
	broken bool
	dead   chan struct{} // closed when it has ended
}

// start starts a supervisor and waits until it is ready.
func (n *nest) start(s setup, g *groups) (*slot, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("opening a socket: %w", err)
	}
	w, err := newWire(os.NewFile(uintptr(fds[0]), "supervisor"))
	theirs := os.NewFile(uintptr(fds[1]), "engine")
	defer func() { _ = theirs.Close() }()
	if err != nil {
		return nil, err
	}
	sl := &slot{wire: w, said: sandbox.NewCapture(64 << 10), dead: make(chan struct{})}
	sl.cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{"clade", SupervisorArg}, Dir: "/",
		Env: []string{}, ExtraFiles: []*os.File{theirs}, Stderr: sl.said,
		SysProcAttr: attributes(s.Root),
	}
	if err := n.spawn(sl.cmd); err != nil {
		_ = w.conn.Close()
		return nil, fmt.Errorf("starting a supervisor in new namespaces: %w%s", err, hint(err))
	}
	go func() {
		_ = sl.cmd.Wait() // what it said is the error
		close(sl.dead)
	}()
	if sl.group, err = g.make(sl.cmd.Process.Pid); err == nil {
		err = sl.setUp(&s)
	}
	if err != nil {
		return nil, errors.Join(err, sl.close())
	}
	return sl, nil
}

func (n *nest) spawn(cmd *exec.Cmd) error {
	answer := make(chan error)
	select {
	case n.work <- func() { answer <- cmd.Start() }:
		return <-answer
	case <-n.quit:
		return os.ErrClosed
	}
}

// attributes put a supervisor into a user namespace that maps what this process
// has, and give it all power there.
func attributes(root bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP,
		Pdeathsig:  syscall.SIGKILL,
		Setsid:     true,
	}
	if root {
		a.UidMappings, a.GidMappings = identity("/proc/self/uid_map"), identity("/proc/self/gid_map")
		a.GidMappingsEnableSetgroups = true
		return a
	}
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		a.AmbientCaps = append(a.AmbientCaps, c)
	}
	return a
}

// identity maps every id that is mapped here to itself.
func identity(file string) []syscall.SysProcIDMap {
	var maps []syscall.SysProcIDMap
	b, err := os.ReadFile(file)
	for line := range strings.Lines(string(b)) {
		var inside, outside, size int
		if _, serr := fmt.Sscan(line, &inside, &outside, &size); serr == nil {
			maps = append(maps, syscall.SysProcIDMap{ContainerID: inside, HostID: inside, Size: size})
		}
	}
	if err != nil || len(maps) == 0 {
		return []syscall.SysProcIDMap{{Size: 1}}
	}
	return maps
}

func hint(err error) string {
	switch {
	case errors.Is(err, unix.EPERM):
		return " (user namespaces are forbidden: by the container, by kernel.apparmor_restrict_unprivileged_userns or kernel.unprivileged_userns_clone)"
	case errors.Is(err, unix.ENOSPC):
		return " (user.max_user_namespaces or another limit in /proc/sys/user is reached)"
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		return " (the kernel was built without them)"
	}
	return ""
}

func (s *slot) setUp(with *setup) error {
	if err := s.send(message{Setup: with}); err != nil {
		return err
	}
	e, err := s.await(nil)
	if err == nil && e.Err != "" {
		err = errors.New(e.Err)
	}
	return err
}

func (s *slot) send(m message, fds ...int) error {
	if err := s.wire.send(m, fds...); err != nil {
		return s.lost(err)
	}
	return nil
}

// begin hands a command over.
func (s *slot) begin(r *run, pipes *sandbox.Plumbing) error {
	fds := make([]int, len(pipes.Child))
	for i, f := range pipes.Child {
		fds[i] = int(f.Fd()) // this also makes them block, as commands expect
	}
	err := s.send(message{Run: r}, fds...)
	runtime.KeepAlive(pipes)
	if err != nil {
		s.broken = true
	}
	return err
}

// await waits for the end of a command, and until then carries what it has to
// say to its gateways.
func (s *slot) await(gateways []string) (*ended, error) {
	var relays []*sandbox.Relay
	defer func() {
		for _, r := range relays {
			r.Close()
		}
	}()
	for {
		m, fds, err := s.wire.receive()
		switch {
		case err == nil && m.Gates != nil && relays == nil:
			if relays, err = relay(fds, gateways); err == nil {
				continue
			}
		case err == nil && m.Ended != nil && len(fds) == 0:
			return m.Ended, nil
		case err == nil:
			err = errors.Join(errors.New("an unexpected message"), closeAll(fds))
		}
		s.broken = true
		return nil, s.lost(err)
	}
}

// signal ends the running command. A supervisor that cannot be told is killed,
// and its command with it.
func (s *slot) signal(kill bool) {
	if s.send(message{Signal: &signal{Kill: kill}}) != nil {
		_ = s.cmd.Process.Kill()
	}
}

// lost explains why a supervisor does not answer.
func (s *slot) lost(err error) error {
	_ = s.wire.conn.Close() // it ends when its socket does
	<-s.dead
	st := s.said.Stream()
	said := strings.TrimSpace(string(st.Head) + string(st.Tail))
	return fmt.Errorf("the supervisor is gone (%v): %w: %s", s.cmd.ProcessState, err, said)
}

// close ends the supervisor, what it runs, and its cgroup.
func (s *slot) close() error {
	_ = s.wire.conn.Close()
	_ = s.cmd.Process.Kill()
	<-s.dead
	return s.group.remove()
}
