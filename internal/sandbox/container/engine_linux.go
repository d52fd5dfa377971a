package container

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/proc"
)

// answerWait bounds a question to docker or podman.
const answerWait = 20 * time.Second

// label carries clade's mark.
const label = "clade.mark"

// Engine finds the docker or podman that works here, by its path, or says in
// the chain of ErrUnavailable why none does.
func Engine(ctx context.Context) (string, error) {
	var errs []error
	for _, name := range []string{"docker", "podman"} {
		program, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if _, err = ask(ctx, program, "ps", "--quiet"); err == nil {
			return program, nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", name, err))
	}
	if len(errs) == 0 {
		errs = append(errs, errors.New("neither docker nor podman is installed"))
	}
	return "", fmt.Errorf("%w: %w", ErrUnavailable, errors.Join(errs...))
}

// ask runs docker or podman and returns what it prints.
func ask(ctx context.Context, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &said, time.Second
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", filepath.Base(program), args[0], err, bytes.TrimSpace(said.Bytes()))
	}
	return out.String(), nil
}

// present refuses an image that is not there, before anything is spent.
func present(ctx context.Context, program, image string) error {
	if image == "" || strings.HasPrefix(image, "-") {
		return &clade.Problem{Fault: clade.FaultSpec, Text: fmt.Sprintf("%q is no container image", image), Hint: "sandbox.image names one"}
	}
	if _, err := ask(ctx, program, "image", "inspect", "--format", "{{.Id}}", image); err != nil {
		return &clade.Problem{Fault: clade.FaultEnvironment, Text: fmt.Sprintf("the container image %q is not here", image), Err: err,
			Hint: fmt.Sprintf("%s pull %s", filepath.Base(program), image)}
	}
	return nil
}

// sweep removes the containers of engines that are dead. Only inspect is asked
// for labels in the same way by docker and podman.
func sweep(ctx context.Context, program string) error {
	sweepSockets(os.TempDir())
	all, err := ask(ctx, program, "ps", "--all", "--quiet", "--filter", "label="+label)
	if err != nil {
		return err
	}
	var dead []string
	for id := range strings.FieldsSeq(all) {
		mark, err := ask(ctx, program, "container", "inspect", "--format", `{{index .Config.Labels "`+label+`"}}`, id)
		if err == nil && proc.Mark(strings.TrimSpace(mark)).Orphaned() { // one that cannot be looked at has gone
			dead = append(dead, id)
		}
	}
	if len(dead) == 0 {
		return nil
	}
	_, err = ask(ctx, program, append([]string{"rm", "--force"}, dead...)...)
	return err
}

// socketPrefix begins the name of a socket's folder; the number of its engine's
// process follows.
const socketPrefix = "clade-socket-"

// sweepSockets removes the folders of engines that died before a container
// answered. What cannot be removed is somebody else's.
func sweepSockets(dir string) {
	found, _ := filepath.Glob(filepath.Join(dir, socketPrefix+"*")) // a constant pattern
	for _, f := range found {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(f), socketPrefix), "-")
		pid, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		if _, err := proc.Of(pid); errors.Is(err, proc.ErrGone) {
			_ = os.RemoveAll(f)
		}
	}
}
