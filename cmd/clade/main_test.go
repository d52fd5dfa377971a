package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cladehq/clade/internal/app"
	"github.com/cladehq/clade/internal/sandbox/namespace"
)

func TestMain(m *testing.M) {
	namespace.Main() // supervisors are this binary again
	testscript.Main(m, map[string]func(){"clade": func() { os.Exit(app.Main()) }})
}

// TestScripts runs the scripts of testdata/script over the real program: each
// is a person's session. A script has its own HOME, caches and state; the
// custom commands are
//
//	repo DIR        make DIR a git repository with everything in it committed
//	commit DIR MSG  commit everything in DIR
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: os.Getenv("CLADE_UPDATE") != "",
		Setup:         setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"repo":   repo,
			"commit": commit,
		},
	})
}

func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CACHE_HOME": filepath.Join(env.WorkDir, "cache"),
		"XDG_STATE_HOME": filepath.Join(env.WorkDir, "state"), "GIT_CONFIG_NOSYSTEM": "1",
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
