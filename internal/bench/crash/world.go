package crash

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/crash"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/store/sqlite"
)

// A world is one user with one repository, HOME, caches and state of its own.
type world struct {
	dir     string
	program string
	traced  bool
	pids    []int // of the clades that ran here
}

func (w *world) repo() string  { return filepath.Join(w.dir, "repo") }
func (w *world) trace() string { return filepath.Join(w.dir, "trace") }
func (w *world) cache() string { return filepath.Join(w.dir, "cache") }

// newWorld makes a world in dir, which must not exist, with a variant's files
// committed.
func newWorld(ctx context.Context, program, dir string, v *variant) (*world, error) {
	w := &world{dir: dir, program: program, traced: v.traced}
	for name, text := range v.files {
		if err := write(filepath.Join(w.repo(), name), text); err != nil {
			return nil, err
		}
	}
	for name, text := range map[string]string{"actor.sh": actor, "trace": "", "home/.keep": ""} {
		if err := write(filepath.Join(dir, name), text); err != nil {
			return nil, err
		}
	}
	if v.prepare != "" {
		cmd := exec.CommandContext(ctx, "sh", "-c", v.prepare)
		cmd.Dir = w.repo()
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", v.prepare, err, out)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "start"}} {
		if _, err := w.git(ctx, args...); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func write(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

func (w *world) env() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(w.dir, "home"), "TMPDIR=" + os.TempDir(),
		"XDG_CACHE_HOME=" + w.cache(), "XDG_STATE_HOME=" + filepath.Join(w.dir, "state"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost",
		"ACTOR=" + filepath.Join(w.dir, "actor.sh"), "ACTOR_TRACE=" + w.trace(),
	}
}

func (w *world) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", w.repo()}, args...)...)
	cmd.Env = w.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// An end is how one clade ended.
type end struct {
	killed bool
	exit   int
	out    string // standard output
	err    string // standard error
}

// clade runs the program in the repository. at is a crash plan or "".
func (w *world) clade(ctx context.Context, at string, more []string, args ...string) (end, error) {
	cmd := exec.CommandContext(ctx, w.program, args...)
	cmd.Dir = w.repo()
	cmd.Env = append(w.env(), more...)
	if at != "" {
		cmd.Env = append(cmd.Env, crash.Variable+"="+at)
	}
	var out, errs bytes.Buffer
	// Files, not pipes: what outlives its clade must not be waited for.
	stdout, stderr, err := w.outputs()
	if err != nil {
		return end{}, err
	}
	defer stdout.Close()
	defer stderr.Close()
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		return end{}, err
	}
	w.pids = append(w.pids, cmd.Process.Pid)
	err = cmd.Wait()
	for f, b := range map[*os.File]*bytes.Buffer{stdout: &out, stderr: &errs} {
		if data, rerr := os.ReadFile(f.Name()); rerr == nil {
			b.Write(data)
		}
	}
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		return end{}, err
	}
	return end{killed: cmd.ProcessState.ExitCode() == -1, exit: cmd.ProcessState.ExitCode(), out: out.String(), err: errs.String()}, ctx.Err()
}

func (w *world) outputs() (stdout, stderr *os.File, err error) {
	if stdout, err = os.CreateTemp(w.dir, "stdout-"); err != nil {
		return nil, nil, err
	}
	stderr, err = os.CreateTemp(w.dir, "stderr-")
	return stdout, stderr, err
}

// state is the folder of the runs.
func (w *world) state() string { return filepath.Join(w.repo(), ".clade") }

// run is the name of the only run, "" when there is none.
func (w *world) run(ctx context.Context) (string, error) {
	st, err := sqlite.New(w.state())
	if err != nil {
		return "", err
	}
	runs, err := st.List(ctx)
	switch {
	case err != nil || len(runs) == 0:
		return "", err
	case len(runs) > 1:
		return "", fmt.Errorf("there are %d runs: %s", len(runs), strings.Join(runs, ", "))
	}
	return runs[0], nil
}

// log opens the run's log as another process does.
func (w *world) log(ctx context.Context, fn func(store.Store, string, store.Log) error) error {
	name, err := w.run(ctx)
	if err != nil || name == "" {
		return errors.Join(err, errNoRun)
	}
	st, err := sqlite.New(w.state())
	if err != nil {
		return err
	}
	l, err := st.Open(ctx, name, false)
	if err != nil {
		return err
	}
	return errors.Join(fn(st, name, l), l.Close())
}

var errNoRun = errors.New("there is no run")

// records reads the whole log; none when there is no run.
func (w *world) records(ctx context.Context) (out []clade.Record, err error) {
	err = w.log(ctx, func(_ store.Store, _ string, l store.Log) error {
		return l.Read(ctx, 0, func(r clade.Record) error { out = append(out, r); return nil })
	})
	if errors.Is(err, errNoRun) {
		err = nil
	}
	return out, err
}

// files digests every file of the user's repository, .git and all, but for
// .clade: names, modes and bytes.
func (w *world) files() (map[string]string, error) {
	out := map[string]string{}
	root := w.repo()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if rel == ".clade" {
			return filepath.SkipDir
		}
		out[rel], err = fingerprint(path, d)
		return err
	})
	return out, err
}

func fingerprint(path string, d fs.DirEntry) (string, error) {
	info, err := d.Info()
	if err != nil {
		return "", err
	}
	var data []byte
	switch {
	case d.Type()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		return info.Mode().String() + " → " + target, err
	case d.Type().IsRegular():
		if data, err = os.ReadFile(path); err != nil {
			return "", err
		}
	}
	sum := sha256.Sum256(data)
	return info.Mode().String() + " " + hex.EncodeToString(sum[:8]), nil
}

// different names what differs between two sets of files.
func different(a, b map[string]string) (out []string) {
	for name := range a {
		if a[name] != b[name] {
			out = append(out, fmt.Sprintf("%q (%s, then %s)", name, a[name], b[name]))
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			out = append(out, fmt.Sprintf("%q (new, %s)", name, b[name]))
		}
	}
	slices.Sort(out)
	return out
}
