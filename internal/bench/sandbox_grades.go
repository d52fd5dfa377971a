package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/sandbox"
)

// sandboxLimit is what a sandbox may cost a command, milliseconds.
const sandboxLimit = 15

// grades times the program that does nothing in every grade of isolation that
// works on this machine, with all that a run hides and shows.
func (b *bench) grades(ctx context.Context) (rows []Row, err error) {
	for _, grade := range sandbox.Grades {
		row, err := b.grade(ctx, grade)
		switch {
		case clade.FaultOf(err) == clade.FaultEnvironment:
			b.step(fmt.Sprintf("left out: isolation by %s: %v", grade, err))
		case err != nil:
			return nil, fmt.Errorf("isolation by %s: %w", grade, err)
		default:
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func (b *bench) grade(ctx context.Context, grade string) (row Row, err error) {
	spec := &clade.Spec{Sandbox: clade.Sandbox{Use: grade}}
	if grade == sandbox.GradeContainer {
		image, remove, err := bareImage(ctx)
		if err != nil {
			return Row{}, err
		}
		defer remove()
		spec.Sandbox.Image, spec.Sandbox.Read = image, programs
	}
	box, err := b.parts.Sandbox(ctx, spec, nil)
	if err != nil {
		return Row{}, err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	t, err := b.idle(ctx, box)
	if err != nil {
		return Row{}, err
	}
	row = Row{Name: "true, by " + grade, Value: t.median(), Unit: "ms", N: len(t.ms)}
	switch grade {
	case sandbox.GradeContainer:
		row.Note = "no target: nearly all of it is docker's or podman's own"
		return row, nil
	case sandbox.GradeBwrap:
		row.Note = "no target: two programs start for each command; auto takes it where namespaces cannot be had otherwise"
		return row, nil
	}
	return row.atMost(sandboxLimit), nil
}

// idle times commands that do nothing, in a folder that is lent to them. The
// first pays for what later ones find.
func (b *bench) idle(ctx context.Context, box sandbox.Sandbox) (t timer, err error) {
	dir := filepath.Join(b.dir, "lent")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return t, err
	}
	c := sandbox.Command{Args: []string{"true"}, Env: []string{"PATH=/usr/bin:/bin"}}
	c.Dir = sandbox.Lend(box, &c, dir, "lent")
	run := func() error {
		r, err := box.Run(ctx, c)
		if err == nil && !r.OK() {
			err = fmt.Errorf("true ended with exit status %d %s: %s", r.Exit, r.Signal, r.Stderr.End())
		}
		return err
	}
	if err := run(); err != nil {
		return t, &clade.Problem{Fault: clade.FaultEnvironment, Text: "nothing can be run", Err: err}
	}
	for range 2 * b.sizes.runs {
		if err := t.time(run); err != nil {
			return t, err
		}
	}
	return t, nil
}
