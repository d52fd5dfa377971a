package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/bwrap"
	"github.com/cladehq/clade/internal/sandbox/container"
	"github.com/cladehq/clade/internal/sandbox/landlock"
	"github.com/cladehq/clade/internal/sandbox/namespace"
	"github.com/cladehq/clade/internal/sandbox/none"
)

// A way is how commands can be isolated.
type way struct {
	grade string
	// probe says why it does not work here.
	probe func(context.Context) error
	open  func(context.Context, *clade.Spec, sandbox.Sight) (sandbox.Sandbox, error)
	// weaker says what it does not give.
	weaker func() []string
}

// ways are in the order in which they are tried. Containers need an image, so
// they are tried for a spec that names one. Namespaces come before bubblewrap,
// which holds no more and costs more.
func ways() []way {
	return []way{
		{sandbox.GradeContainer, func(ctx context.Context) error {
			_, err := container.Engine(ctx)
			return err
		}, func(ctx context.Context, spec *clade.Spec, _ sandbox.Sight) (sandbox.Sandbox, error) {
			return container.New(ctx, container.Options{Image: spec.Sandbox.Image, Show: spec.Sandbox.Read})
		}, func() []string { return nil }},
		{sandbox.GradeNamespaces, namespace.Probe, func(_ context.Context, _ *clade.Spec, s sandbox.Sight) (sandbox.Sandbox, error) {
			return namespace.New(namespace.Options{Hide: s.Hidden, Show: s.Shown})
		}, func() []string { return nil }},
		{sandbox.GradeBwrap, bwrap.Probe, func(_ context.Context, _ *clade.Spec, s sandbox.Sight) (sandbox.Sandbox, error) {
			return bwrap.New(bwrap.Options{Hide: s.Hidden, Show: s.Shown})
		}, func() []string {
			return []string{"memory is limited for each process, and processes not at all for root"}
		}},
		{sandbox.GradeLandlock, landlock.Probe, func(_ context.Context, _ *clade.Spec, s sandbox.Sight) (sandbox.Sandbox, error) {
			return landlock.New(landlock.Options{Hide: s.Hidden, Show: s.Shown, Guard: true})
		}, func() []string {
			return append([]string{"commands see your processes, can change modes and times of your files, and use UDP and unix sockets", strays()}, landlock.Lacks()...)
		}},
		{sandbox.GradeNone, func(context.Context) error { return nil }, func(context.Context, *clade.Spec, sandbox.Sight) (sandbox.Sandbox, error) {
			return none.New(none.Options{Guard: true})
		}, func() []string {
			return []string{"commands can read your files, write outside their workspace and use the network", strays()}
		}},
	}
}

// strays says how what outlives a command is found where no namespace holds it.
func strays() string {
	switch runtime.GOOS {
	case "linux":
		return "what a command leaves is found by its process group and a mark in its environment, which it can clear"
	case "windows":
		return "what a command leaves is killed with its job object"
	}
	return "what a command leaves is found by its process group only, which it can leave"
}

// tried says whether a way is tried for a spec: the one that it wants, or all
// that it does not rule out.
func (w way) tried(spec *clade.Spec) bool {
	if use := spec.Sandbox.Use; use != "" && use != "auto" {
		return w.grade == use
	}
	return w.grade != sandbox.GradeContainer || spec.Sandbox.Image != ""
}

// pick opens the first way that works here and that the spec asks for. passed
// says why those before it do not.
func (d dirs) pick(ctx context.Context, spec *clade.Spec, hide []string) (box sandbox.Sandbox, passed []string, err error) {
	forced := spec.Sandbox.Use != "" && spec.Sandbox.Use != "auto"
	for _, w := range ways() {
		if !w.tried(spec) {
			continue
		}
		err := w.probe(ctx)
		if err == nil {
			box, err = w.open(ctx, spec, sight(spec, hide))
		}
		var p *clade.Problem
		switch {
		case err == nil:
			return box, passed, nil
		case errors.As(err, &p):
			return nil, nil, err // a person must mend it
		case forced:
			return nil, nil, &clade.Problem{Fault: clade.FaultEnvironment, Text: fmt.Sprintf("the spec wants isolation by %s, which does not work here", w.grade),
				Err: err, Hint: "sandbox.use: auto takes what works"}
		}
		passed = append(passed, fmt.Sprintf("%s: %v", w.grade, err))
	}
	return nil, nil, &clade.Problem{Fault: clade.FaultSpec, Text: fmt.Sprintf("no isolation is called %q", spec.Sandbox.Use)}
}

// sandbox picks the strongest isolation that works here and that the spec asks
// for, and refuses one below its floor.
func (d dirs) sandbox(ctx context.Context, spec *clade.Spec, hide []string) (sandbox.Sandbox, error) {
	box, _, err := d.floored(ctx, spec, hide)
	return box, err
}

func (d dirs) floored(ctx context.Context, spec *clade.Spec, hide []string) (sandbox.Sandbox, []string, error) {
	box, passed, err := d.pick(ctx, spec, hide)
	if err != nil {
		return nil, nil, err
	}
	if floor := spec.Sandbox.Floor; floor != "" && slices.Index(sandbox.Grades, box.Grade()) > slices.Index(sandbox.Grades, floor) {
		return nil, nil, errors.Join(&clade.Problem{Fault: clade.FaultEnvironment,
			Text: fmt.Sprintf("the spec wants isolation of at least %q, but only %q works here", floor, box.Grade()), Hint: "clade doctor says why"}, box.Close())
	}
	return sandbox.Exclusive(box, filepath.Join(d.cache, "machine.lock")), passed, nil
}

// isolation says how commands of a spec would be isolated.
func (d dirs) isolation(ctx context.Context, spec *clade.Spec, hide []string) (control.Isolation, error) {
	box, passed, err := d.floored(ctx, spec, hide)
	if err != nil {
		return control.Isolation{}, err
	}
	defer box.Close()
	i := control.Isolation{Grade: box.Grade()}
	for _, w := range ways() {
		if w.grade == i.Grade {
			i.Weaker = w.weaker()
		}
	}
	if len(i.Weaker) > 0 {
		for _, p := range passed {
			i.Weaker = append(i.Weaker, "not "+p)
		}
	}
	if i.Grade != sandbox.GradeNone && i.Grade != sandbox.GradeContainer {
		files := sight(spec, hide)
		i.Files = &files
	}
	return i, nil
}

// sight is what commands of a spec see of this machine, where it can be chosen.
// hide are folders that they never see.
func sight(spec *clade.Spec, hide []string) sandbox.Sight {
	home, _ := os.UserHomeDir() // "" is nobody's
	m := sandbox.Machine{Home: home, Lookup: os.LookupEnv, Files: os.DirFS("/")}
	return m.Sight(hide, spec.Sandbox.Read, spec.Sandbox.Home == "show")
}
