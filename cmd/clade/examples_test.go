package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestExamples runs the scripts of testdata/examples. Each finds a copy of the
// repository's examples in its folder, and in $NOGO a PATH without Go; else they
// work as those of TestScripts do.
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
			return setup(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"repo": repo, "commit": commit, "exits": exits, "jsonl": jsonl},
	})
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
