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
	// grace is how long a command may take to end once its time is over.
	grace = 500 * time.Millisecond
	// maxFile bounds a file that a measure reads.
	maxFile = 16 << 20
	// maxDetail is how much output is kept with a sample, and maxLog how much
	// is given to the log, in bytes.
	maxDetail = 2 << 10
	maxLog    = 64 << 10
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
	hide   sandbox.Secrets
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
	c := s.command(q.cmd)
	c.Exclusive, c.Grace = q.exclusive, grace
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
	r.hide = sandbox.SecretsOf(q.cmd, s.Lookup)
	r.text = r.Excerpt(maxDetail, r.hide)
	s.log(q.name, &r)
	if err := s.interrupted(ctx, q, r); err != nil {
		return r, err
	}
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
	case r.Signal == "killed" && !r.TimedOut && !r.OutOfMemory && !r.OutOfDisk:
		return fmt.Errorf("%s was killed from outside its limits: %s", q.name, r.text)
	}
	return nil
}

// command has the same environment in a search and in a final.
func (s *stage) command(c clade.Command) sandbox.Command {
	return sandbox.Prepare(c, s.job.Spec.Limits, append(sandbox.Basics(s.Lookup), "TZ=UTC"), s.Lookup)
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
		s.job.Log(name, r.Excerpt(maxLog, r.hide))
	}
}

// fate says in a few words how a command that did not succeed ended, "" if it
// did succeed.
func (r *ran) fate() string { return r.Failure(r.limits) }

// notFound reports whether the command's program does not exist.
func (r *ran) notFound() bool {
	return r.Exit == 127 && r.Signal == "" && !r.TimedOut && !r.OutOfMemory && !r.OutOfDisk
}

// beyond reports whether the command ran into one of its limits.
func (r *ran) beyond() bool { return r.TimedOut || r.OutOfMemory || r.OutOfDisk }

// detail joins what happened with the end of the output.
func detail(what, text string) string {
	if text == "" {
		return what
	}
	return what + "\n" + text
}
