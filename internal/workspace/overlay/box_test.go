package overlay_test

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"

	"github.com/cladehq/clade/internal/sandbox"
)

// shellBox makes mounts with util-linux: enough of a sandbox to see what a
// provider's mounts do.
type shellBox struct{}

func (b shellBox) Grade() string { return sandbox.GradeNamespaces }
func (b shellBox) Mounts() bool  { return true }
func (b shellBox) Home() string  { return "/mnt" }
func (b shellBox) Work() string  { return "/srv" }
func (b shellBox) Close() error  { return nil }

func (b shellBox) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	script := &strings.Builder{}
	script.WriteString("set -e\n")
	for _, m := range c.Mounts {
		switch m.Kind {
		case sandbox.MountOverlay:
			script.WriteString("mount -t overlay overlay -o 'lowerdir=" + strings.Join(m.Lower, ":") + ",upperdir=" + m.Upper + ",workdir=" + m.Work + "' " + m.Target + "\n")
		case sandbox.MountBind:
			script.WriteString("mount --bind " + m.Source + " " + m.Target + "\n")
		case sandbox.MountHide:
			script.WriteString("if test -d '" + m.Target + "'; then mount -t tmpfs -o mode=0 none '" + m.Target + "'; else mount --bind /dev/null '" + m.Target + "'; fi\n")
		}
	}
	script.WriteString("cd " + c.Dir + "\nexec \"$@\"\n")
	args := append([]string{"-mpf", "--mount-proc", "sh", "-c", script.String(), "sh"}, c.Args...)
	cmd := exec.CommandContext(ctx, "unshare", args...)
	cmd.Env = c.Env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return sandbox.Result{}, err
	}
	return sandbox.Result{
		Exit: cmd.ProcessState.ExitCode(), Grade: b.Grade(),
		Stdout: sandbox.Stream{Head: out.Bytes(), Size: int64(out.Len())},
		Stderr: sandbox.Stream{Head: errs.Bytes(), Size: int64(errs.Len())},
	}, nil
}
