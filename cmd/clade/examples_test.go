package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestExamples runs the scripts of testdata/examples. Each finds a copy of the
// repository's examples in its folder, and in $NOGO a PATH without Go. The go
// that a script runs by hand has the cache of the go that runs this test: what
// clade runs never sees it. Else they work as those of TestScripts do.
func TestExamples(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:       filepath.Join("testdata", "examples"),
		Condition: condition,
		Setup: func(env *testscript.Env) error {
			if err := os.CopyFS(filepath.Join(env.WorkDir, "examples"), os.DirFS(filepath.Join("..", "..", "examples"))); err != nil {
				return err
			}
			if err := withoutGo(env); err != nil {
				return err
			}
			env.Setenv("GOCACHE", goCache(t))
			return setup(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"repo": repo, "commit": commit, "exits": exits, "jsonl": jsonl},
	})
}

// goCache is the build cache of the go on PATH, "" where there is none.
func goCache(t *testing.T) string {
	if _, err := exec.LookPath("go"); err != nil {
		return ""
	}
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	return strings.TrimSpace(string(out))
}

func withoutGo(env *testscript.Env) error {
	dir := filepath.Join(env.WorkDir, "nogo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"clade", "git", "sh", "awk"} {
		program, err := exec.LookPath(name)
		if err != nil {
			return err
		}
		if err := os.Symlink(program, filepath.Join(dir, filepath.Base(program))); err != nil {
			return err
		}
	}
	env.Setenv("NOGO", dir)
	return nil
}
