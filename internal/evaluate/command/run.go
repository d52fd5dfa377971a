package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
)

const (
	// defaultWall is the limit of a command for which neither it nor the spec
	// has one: nothing runs without a limit.
	defaultWall = 10 * time.Minute
	// grace is how long a command may take to end once its time is over.
	grace = 500 * time.Millisecond
	// maxFile bounds a file that a measure reads.
	maxFile = 16 << 20
)

// A request is one run of one command in a scope of its own.
type request struct {
	name      string // for the log
	cmd       clade.Command
	stdin     []byte
	exclusive bool
	files     []string // read afterwards, relative to the target
	result    bool     // give it a file for its result
}

// A ran command is how it ended and what it left.
type ran struct {
	sandbox.Result
	limits sandbox.Limits
	text   string // the end of its output, for people
	hide   secrets
	files  map[string]readFile
	result evaluate.Result
	noGood error // why there is no result
}

type readFile struct {
	data []byte
	err  error
}

// run performs a request. An error is infrastructure or ctx's; everything the
// command did is in the ran.
func (s *stage) run(ctx context.Context, ws workspace.Workspace, q request) (r ran, err error) {
	scope, err := ws.Scope(ctx)
	if err != nil {
		return r, fmt.Errorf("open scope: %w", err)
	}
	defer func() { err = errors.Join(err, scope.Close()) }()
	r.files = s.filesBefore(scope, q.files)
	c := sandbox.Command{
		Args: q.cmd.Args(), Env: s.environment(q.cmd), Limits: s.limits(q.cmd),
		Network: q.cmd.Network, Exclusive: q.exclusive, Grace: grace,
	}
	if q.stdin != nil {
		c.Stdin = bytes.NewReader(q.stdin)
	}
	scope.Enter(&c, path.Join(s.job.Spec.Target.Prefix, q.cmd.Dir))
	var ch *channel
	if q.result {
		if ch, err = s.channel(&c); err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, ch.remove()) }()
	}
	r.limits = c.Limits
	if r.Result, err = s.Sandbox.Run(ctx, c); err != nil {
		return r, fmt.Errorf("run %s: %w", q.name, err)
	}
	if err := s.interrupted(ctx, q, r); err != nil {
		return r, err
	}
	r.hide = s.secrets(q.cmd)
	r.text = excerpt(r.Result, maxDetail, r.hide)
	s.log(q.name, &r)
	if ch != nil {
		r.result, r.noGood = ch.read()
	}
	s.filesAfter(scope, r.files)
	return r, nil
}

// interrupted tells ends that are nobody's fault but the machine's.
func (s *stage) interrupted(ctx context.Context, q request, r ran) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case r.Cancelled:
		return context.Canceled
	case r.Signal == "killed" && !r.TimedOut && !r.OutOfMemory:
		return fmt.Errorf("%s was killed from outside its limits: %s", q.name, excerpt(r.Result, maxDetail, s.secrets(q.cmd)))
	}
	return nil
}

func (s *stage) limits(c clade.Command) sandbox.Limits {
	l := s.job.Spec.Limits
	wall := time.Duration(c.Timeout)
	if wall <= 0 {
		wall = time.Duration(l.Wall)
	}
	if wall <= 0 {
		wall = defaultWall
	}
	return sandbox.Limits{Wall: wall, Memory: int64(l.Memory), Processes: l.Processes, Output: int64(l.Output)}
}

// filesBefore marks the files that exist before the command runs: what they say
// is no measurement.
func (s *stage) filesBefore(scope workspace.Scope, names []string) map[string]readFile {
	files := make(map[string]readFile, len(names))
	for _, name := range names {
		var f readFile
		if _, err := scope.ReadFile(path.Join(s.job.Spec.Target.Prefix, name), 1); !errors.Is(err, fs.ErrNotExist) {
			f.err = fmt.Errorf("%s is there before the command runs, so its number could be an old one; remove it from the target or have the command print the number", name)
		}
		files[name] = f
	}
	return files
}

func (s *stage) filesAfter(scope workspace.Scope, files map[string]readFile) {
	for name, f := range files {
		if f.err == nil {
			f.data, f.err = scope.ReadFile(path.Join(s.job.Spec.Target.Prefix, name), maxFile)
			files[name] = f
		}
	}
}

func (s *stage) log(name string, r *ran) {
	if s.job.Log != nil {
		s.job.Log(name, excerpt(r.Result, maxLog, r.hide))
	}
}

// fate says in a few words how a command that did not succeed ended, "" if it
// did succeed.
func (r *ran) fate() string {
	switch {
	case r.OK():
		return ""
	case r.TimedOut:
		return fmt.Sprintf("did not end within %v", r.limits.Wall)
	case r.OutOfMemory:
		return fmt.Sprintf("needed more than %v of memory", clade.Bytes(r.limits.Memory))
	case r.Signal != "":
		return "ended by a signal: " + r.Signal
	}
	return fmt.Sprintf("exit status %d", r.Exit)
}

// notFound reports whether the command's program does not exist.
func (r *ran) notFound() bool {
	return r.Exit == 127 && r.Signal == "" && !r.TimedOut && !r.OutOfMemory
}

// beyond reports whether the command ran into one of its limits.
func (r *ran) beyond() bool { return r.TimedOut || r.OutOfMemory }

// detail joins what happened with the end of the output.
func detail(what, text string) string {
	if text == "" {
		return what
	}
	return what + "\n" + text
}
