package control

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	evaluatecommand "github.com/cladehq/clade/internal/evaluate/command"
	"github.com/cladehq/clade/internal/git/gittest"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/ledger/bare"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/none"
	"github.com/cladehq/clade/internal/workspace"
	"github.com/cladehq/clade/internal/workspace/pool"
)

// landing is a house whose runs have ledgers, workspaces and gates.
func landing(t *testing.T) *house {
	h := newHouse(t)
	h.Cache = filepath.Join(h.dir, "cache")
	h.Parts.Ledger = func(ctx context.Context, dir string) (ledger.Ledger, error) { return bare.Open(ctx, dir) }
	h.Parts.Sandbox = func(context.Context, *clade.Spec, []string) (sandbox.Sandbox, error) { return none.New(none.Options{}) }
	h.Parts.Workspaces = func(cache string, l ledger.Ledger, s sandbox.Sandbox) (workspace.Provider, error) {
		return pool.New(pool.Options{Dir: cache, Ledger: l, Sandbox: s, Env: []string{"PATH=" + os.Getenv("PATH")}})
	}
	h.Parts.Evaluator = func(_ *clade.Spec, w workspace.Provider, t Tools) (evaluate.Evaluator, error) {
		return evaluatecommand.New(evaluatecommand.Options{Workspaces: w, Sandbox: t.Sandbox, Scratch: t.Scratch}), nil
	}
	return h
}

// evolved opens a run of an evolution of files in a repository, whose candidate
// makes these changes.
func (h *house) evolved(repo string, only []string, change map[string]string) *Run {
	h.t.Helper()
	spec := clade.Spec{Version: 1, Target: clade.Target{Path: "../../..", Kind: clade.TargetDir, Only: only},
		Gates:    []clade.Gate{{ID: "G1", Command: clade.Command{Run: `test "$(ls)" = "$(printf 'go.mod\nsrc')" && grep -q "uses $(cat go.mod)" src/a`}}},
		Measures: []clade.Measure{{ID: "m", Goal: clade.Maximize}}}
	settled, err := h.Settle(h.t.Context(), filepath.Join(repo, ".agents/evolutions/001-a/evolution.yaml"), &spec, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	r, err := h.Create(h.t.Context(), settled)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = r.Close() })
	led, err := r.Ledger(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	var base string
	if err := r.View(h.t.Context(), func(v clade.View) error { base = v.Life(clade.Base).Commit; return nil }); err != nil {
		h.t.Fatal(err)
	}
	draft := ledger.Draft{Parents: []string{base}, From: base}
	for p, text := range change {
		draft.Changes = append(draft.Changes, ledger.Change{Path: p, Mode: ledger.ModeFile, Data: []byte(text)})
	}
	made, err := led.Commit(h.t.Context(), draft)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := led.Sync(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	r.add(h.t, clade.Planned{Attempt: clade.Attempt{ID: 1, Makes: clade.MakesTree}}, clade.TryBegun{ID: 1, Try: 1},
		clade.Proposed{ID: 1, Try: 1, Commit: made.Commit, Tree: made.Tree})
	return r
}

// E11, E12, E13: a run of some files of a repository, as they are on disk, and
// how its candidate is landed: real gates see these files alone.
func TestLandingOfFiles(t *testing.T) {
	t.Parallel()
	under := func(dirs ...string) func(string) bool {
		return func(p string) bool {
			return slices.ContainsFunc(dirs, func(d string) bool { return strings.HasPrefix(p, d) })
		}
	}
	for _, c := range []struct {
		name   string
		change map[string]string
		o      Landing
		says   []string // of a refusal
		writes []string
	}{
		{"all of it", map[string]string{"src/a": "uses n\n", "go.mod": "n\n"}, Landing{}, nil, []string{"go.mod", "src/a"}},
		{"a part that stands alone", map[string]string{"src/a": "uses m, well\n", "go.mod": "m \n"}, Landing{Only: under("src/")}, nil, []string{"src/a"}},
		{"a part that does not", map[string]string{"src/a": "uses n\n", "go.mod": "n\n"}, Landing{Only: under("src/")}, []string{"fails its gates", "G1"}, nil},
		{"what is excluded", map[string]string{"src/a": "uses m!\n", "src/key": "9\n", "src/key2": "9\n"}, Landing{Only: under("src/"), Never: under("src/key")},
			[]string{"must never be touched", `"src/key", "src/key2"`}, nil},
		{"what is not of the target", map[string]string{"lib": "9\n", "src/a": "uses m!\n"}, Landing{}, []string{"no part of the target", `"lib"`}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := landing(t)
			repo := filepath.Join(h.dir, "repo")
			for p, text := range map[string]string{"src/a": "uses ?\n", "src/key": "k\n", "go.mod": "m\n", "lib": "mine\n", ".agents/evolutions/001-a/evolution.yaml": "id: 1\n"} {
				put(t, filepath.Join(repo, p), text)
			}
			gittest.Person(t, repo, "init", "-q")
			gittest.Person(t, repo, "add", "-A")
			gittest.Person(t, repo, "commit", "-qm", "base")
			put(t, filepath.Join(repo, "src/a"), "uses m\n") // the base is what is on disk
			r := h.evolved(repo, []string{"src/", "go.mod"}, c.change)
			status := gittest.Person(t, repo, "status", "--porcelain")
			err := r.Landing(t.Context(), c.o, func(l *Lander, recovered *clade.Applying) error {
				a, err := r.Apply(t.Context(), l, recovered, 1, Apply{})
				if err == nil && !slices.Equal([]string(a.Paths), c.writes) {
					t.Errorf("wrote %q", a.Paths)
				}
				return err
			})
			if len(c.says) > 0 {
				for _, word := range c.says {
					if clade.FaultOf(err) != clade.FaultConflict || !strings.Contains(err.Error(), word) {
						t.Errorf("%v does not say %s", err, word)
					}
				}
				if now := gittest.Person(t, repo, "status", "--porcelain"); now != status {
					t.Errorf("changed: %s", now)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range c.writes {
				if data, err := os.ReadFile(filepath.Join(repo, p)); err != nil || string(data) != c.change[p] {
					t.Errorf("%s is %q: %v", p, data, err)
				}
			}
			if bad, err := r.Check(t.Context()); err != nil || len(bad) > 0 {
				t.Errorf("%q, %v", bad, err)
			}
			commits, err := r.landings(t.Context())
			if want := 2 + (len(c.change) - len(c.writes)); err != nil || len(commits) != want {
				t.Errorf("%d commits of landings, not %d: %v", len(commits), want, err)
			}
			err = r.Landing(t.Context(), Landing{}, func(l *Lander, recovered *clade.Applying) error {
				_, err := r.Undo(t.Context(), l, recovered)
				return err
			})
			if now := gittest.Person(t, repo, "status", "--porcelain"); err != nil || now != status {
				t.Errorf("after undo: %s, %v", now, err)
			}
		})
	}
}
