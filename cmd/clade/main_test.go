package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cladehq/clade/internal/app"
	"github.com/cladehq/clade/internal/sandbox/namespace"
)

func TestMain(m *testing.M) {
	namespace.Main() // supervisors are this binary again
	testscript.Main(m, map[string]func(){"clade": func() { os.Exit(app.Main()) }, "asker": asker})
}

// TestScripts runs the scripts of testdata/script over the real program: each
// is a person's session. A script has its own HOME, caches and state; the
// custom commands are
//
//	fixture NAME DIR     make DIR a copy of testdata/fixture/NAME
//	repo DIR             make DIR a git repository with everything in it committed
//	commit DIR MSG       commit everything in DIR
//	git ARG...           run git
//	exits CODE COMMAND…  run a command that ends with this exit code
//	jsonl FILE           every line of FILE is one JSON object
//	await FILE           wait until FILE, or a file that matches, is there
//	mount DIR            make DIR a file system of its own until the script ends
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: os.Getenv("CLADE_UPDATE") != "",
		Setup:         setup,
		Condition:     condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"fixture": fixture, "repo": repo, "commit": commit, "git": gitCmd,
			"exits": exits, "jsonl": jsonl, "await": await, "mount": mount,
		},
	})
}

// condition knows [namespaces], where commands can be isolated, [root], and
// [mounts], where file systems may be mounted.
func condition(name string) (bool, error) {
	switch name {
	case "namespaces":
		return namespace.Probe(context.Background()) == nil, nil
	case "root":
		return os.Geteuid() == 0, nil
	case "mounts":
		dir, err := os.MkdirTemp("", "mount-")
		if err != nil {
			return false, err
		}
		defer os.Remove(dir)
		if exec.Command("mount", "-t", "tmpfs", "clade-test", dir).Run() != nil {
			return false, nil
		}
		return true, exec.Command("umount", dir).Run()
	}
	return false, fmt.Errorf("no condition %q", name)
}

func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CACHE_HOME": filepath.Join(env.WorkDir, "cache"), "FIXTURES": filepath.Join(here, "testdata", "fixture"),
		"XDG_STATE_HOME": filepath.Join(env.WorkDir, "state"), "HELD": env.WorkDir, "GIT_CONFIG_NOSYSTEM": "1", "NO_COLOR": "1",
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@localhost", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@localhost",
	} {
		env.Setenv(name, value)
	}
	return nil
}

func git(ts *testscript.TestScript, dir string, args ...string) {
	c := exec.Command("git", append([]string{"-C", ts.MkAbs(dir)}, args...)...)
	for _, name := range []string{"HOME", "GIT_CONFIG_NOSYSTEM", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "PATH"} {
		c.Env = append(c.Env, name+"="+ts.Getenv(name))
	}
	if out, err := c.CombinedOutput(); err != nil {
		ts.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func fixture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fixture NAME DIR")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(filepath.Join(ts.Getenv("FIXTURES"), args[0]))))
}

func repo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: repo DIR")
	}
	git(ts, args[0], "init", "-q", "-b", "main")
	git(ts, args[0], "add", "-A")
	git(ts, args[0], "commit", "-q", "-m", "start")
}

func commit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: commit DIR MSG")
	}
	git(ts, args[0], "add", "-A")
	git(ts, args[0], "commit", "-q", "-m", args[1])
}

func gitCmd(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec("git", args...)
	if (err != nil) != neg {
		ts.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func mount(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: mount DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(exec.Command("mount", "-t", "tmpfs", "-o", "size=64m", "clade-test", dir).Run())
	ts.Defer(func() { _ = exec.Command("umount", "-l", dir).Run() })
}

func jsonl(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: jsonl FILE")
	}
	text := strings.TrimSuffix(ts.ReadFile(args[0]), "\n")
	for i, line := range strings.Split(text, "\n") {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			ts.Fatalf("line %d is no JSON object: %v\n%s", i+1, err, line)
		}
	}
}

// await waits for a file that some process of the script makes. The wait is for
// the process, not for a time; the bound only turns a hang into a failure.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await FILE")
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if found, err := filepath.Glob(ts.MkAbs(args[0])); err == nil && len(found) > 0 {
			return
		}
	}
	ts.Fatalf("%s did not come", args[0])
}
