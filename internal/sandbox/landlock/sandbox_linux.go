package landlock

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"

	"github.com/cladehq/clade/internal/sandbox"
)

// harmless are the devices that commands may use.
var harmless = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/pts", "/dev/ptmx"}

// A Sandbox runs commands side by side; it holds nothing between them.
type Sandbox struct {
	version int
	files   []string // that may be read
	guard   *sandbox.Guard
}

var _ sandbox.Sandbox = (*Sandbox)(nil)

// New looks at the machine's files once: what appears later in a folder that has
// something hidden in it cannot be read. It fails with ErrUnavailable where the
// kernel has no Landlock.
func New(o Options) (*Sandbox, error) {
	version, err := abi()
	switch {
	case errors.Is(err, unix.ENOSYS):
		return nil, fmt.Errorf("%w: the kernel was built without it, or is older than 5.13", ErrUnavailable)
	case errors.Is(err, unix.EOPNOTSUPP):
		return nil, fmt.Errorf("%w: it was switched off when the machine started", ErrUnavailable)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	s := &Sandbox{version: version, files: opened(os.DirFS("/"), o.Hide, o.Show)}
	if o.Guard {
		s.guard = new(sandbox.Guard)
	}
	return s, nil
}

// Probe runs a command once and says, in the chain of ErrUnavailable, why that
// does not work here.
func Probe(ctx context.Context) error {
	s, err := New(Options{})
	if err != nil {
		return err
	}
	r, err := s.Run(ctx, sandbox.Command{Args: []string{"true"}, Env: []string{"PATH=" + os.Getenv("PATH") + ":/bin:/usr/bin"}, Dir: "/"})
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	case !r.OK():
		return fmt.Errorf("%w: true ended with %d %s: %s", ErrUnavailable, r.Exit, r.Signal, r.Stderr.End())
	}
	return nil
}

// Lacks says what this kernel's Landlock does not hold that later ones do.
func Lacks() []string {
	version, err := abi()
	if err != nil {
		return nil
	}
	return lacks(version)
}

// Grade is GradeLandlock.
func (*Sandbox) Grade() string { return sandbox.GradeLandlock }

// Mounts is false.
func (*Sandbox) Mounts() bool { return false }

// Home is "".
func (*Sandbox) Home() string { return "" }

// Work is "".
func (*Sandbox) Work() string { return "" }

// Close ends the guard.
func (s *Sandbox) Close() error {
	if s.guard == nil {
		return nil
	}
	return s.guard.Close()
}

// Run runs one command as sandbox.Direct does, confined. Of a command without
// network TCP is cut, but for the ports of its gateways.
func (s *Sandbox) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	if err := sandbox.CheckGateways(c.Gateways); err != nil {
		return sandbox.Result{}, fmt.Errorf("running a command: %w", err)
	}
	rules, err := s.rules(c)
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("running a command: %w", err)
	}
	defer func() { _ = rules.Close() }()
	d := sandbox.Direct{Grade: sandbox.GradeLandlock, Guard: s.guard, Fork: func(start func() error) error {
		return onThread(func() error {
			if err := confine(rules); err != nil {
				return err
			}
			return start()
		})
	}}
	return d.Run(ctx, c)
}

// rules is what a command may do.
func (s *Sandbox) rules(c sandbox.Command) (*os.File, error) {
	rules, err := newRuleset(s.version, c.Network)
	if err != nil {
		return nil, err
	}
	if err := s.fill(rules, c); err != nil {
		return nil, errors.Join(err, rules.Close())
	}
	return rules, nil
}

func (s *Sandbox) fill(rules *os.File, c sandbox.Command) error {
	may := known(s.version)
	for _, group := range []struct {
		paths  []string
		access uint64
	}{
		{s.files, may.read},
		{c.Readable, may.read},
		{harmless, may.read | may.writeFile | may.device},
		{c.Writable, may.read | may.writeFile | may.writeDir},
	} {
		for _, p := range group.paths {
			if err := allow(rules, p, group.access); err != nil {
				return err
			}
		}
	}
	if c.Network || s.version < 4 {
		return nil
	}
	for _, g := range c.Gateways {
		at, err := netip.ParseAddrPort(g)
		if err != nil {
			return err
		}
		if err := allowPort(rules, at.Port()); err != nil {
			return err
		}
	}
	return nil
}
