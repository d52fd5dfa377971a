//go:build ignore

// Guards shows that the tests of faults have teeth: for each row of
// guards.txtar it disables one guard in an overlay of the sources and runs that
// row's test, which must then fail. Run it as go run scripts/guards.go from the
// module's root; arguments name the rows to run. Who has just seen every test pass
// says so by GUARDS_TESTED=1, and is spared that they are run once more before.
//
// A file of the archive is named
//
//	ROW | package | pattern of the test | source file
//
// and holds the text of the source that is the guard, a line "=>", and what
// replaces it. The text must occur in the source exactly once.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/sync/errgroup"
)

const table = "scripts/guards.txtar"

// limit bounds one test.
const limit = 3 * time.Minute

// A guard is one row.
type guard struct {
	row, pkg, run, file string
	text, without       string
}

func main() {
	guards, err := read(os.Args[1:])
	if err == nil {
		err = run(guards)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "guards:", err)
		os.Exit(1)
	}
}

func read(rows []string) (out []guard, err error) {
	archive, err := txtar.ParseFile(table)
	if err != nil {
		return nil, err
	}
	for _, f := range archive.Files {
		part := strings.Split(f.Name, " | ")
		text, without, ok := strings.Cut(string(f.Data), "\n=>\n")
		if len(part) != 4 || !ok {
			return nil, fmt.Errorf("%s: %q is no row", table, f.Name)
		}
		if len(rows) == 0 || slices.Contains(rows, part[0]) {
			out = append(out, guard{part[0], part[1], part[2], part[3], text, strings.TrimSuffix(without, "\n")})
		}
	}
	return out, nil
}

func run(guards []guard) error {
	if os.Getenv("GUARDS_TESTED") == "" {
		if err := green(guards); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "guards-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var (
		mu  sync.Mutex
		bad []string
		at  errgroup.Group
	)
	at.SetLimit(runtime.NumCPU()) // linking a test takes one processor most of its time
	for i, g := range guards {
		at.Go(func() error {
			began, verdict := time.Now(), "red"
			err := g.red(filepath.Join(dir, fmt.Sprint(i)))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				verdict, bad = err.Error(), append(bad, g.row)
			}
			fmt.Printf("%-12s %-46s %-44s %4.0fs  %s\n", g.row, g.file, g.run, time.Since(began).Seconds(), verdict)
			return nil
		})
	}
	_ = at.Wait() // what is wrong is in bad
	if len(bad) > 0 {
		return fmt.Errorf("%d of %d guards are not held by their tests: %s", len(bad), len(guards), strings.Join(bad, ", "))
	}
	fmt.Printf("each of %d guards is held by its test\n", len(guards))
	return nil
}

// green wants every test to pass as things are, or a failure would mean nothing.
func green(guards []guard) error {
	patterns := map[string][]string{}
	var order []string
	for _, g := range guards {
		if patterns[g.pkg] == nil {
			order = append(order, g.pkg)
		}
		patterns[g.pkg] = append(patterns[g.pkg], g.run)
	}
	var all errgroup.Group
	all.SetLimit(runtime.NumCPU())
	for _, pkg := range order {
		all.Go(func() error {
			out, err := test(nil, pkg, strings.Join(patterns[pkg], "|"))
			if err != nil || strings.Contains(out, "no tests to run") {
				return fmt.Errorf("%s does not pass with its guards: %w\n%s", pkg, err, out)
			}
			return nil
		})
	}
	return all.Wait()
}

// red disables the guard and wants its test to fail, not to be unbuildable.
func (g guard) red(dir string) error {
	source, err := os.ReadFile(g.file)
	if err != nil {
		return err
	}
	if n := strings.Count(string(source), g.text); n != 1 {
		return fmt.Errorf("the guard's text occurs %d times: amend %s", n, table)
	}
	overlay, err := g.overlay(dir, strings.Replace(string(source), g.text, g.without, 1))
	if err != nil {
		return err
	}
	// In GOFLAGS, so that a program which the test builds has it too.
	out, err := test([]string{"GOFLAGS=" + strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay)}, g.pkg, g.run)
	switch {
	case err == nil:
		return errors.New("STILL GREEN")
	case strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]") || strings.Contains(out, "go build:"):
		return fmt.Errorf("cannot be built without it:\n%s", out)
	case !strings.Contains(out, "--- FAIL") && !strings.Contains(out, "panic:"):
		return fmt.Errorf("no test failed:\n%s", out)
	}
	return nil
}

// overlay writes the changed source and the file that tells go of it.
func (g guard) overlay(dir, text string) (string, error) {
	original, err := filepath.Abs(g.file)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	changed := filepath.Join(dir, filepath.Base(g.file))
	body, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, errors.Join(os.WriteFile(changed, []byte(text), 0o644), os.WriteFile(overlay, body, 0o644))
}

func test(env []string, pkg, pattern string) (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-vet=off", "-timeout", "150s", "-run", pattern, pkg)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
