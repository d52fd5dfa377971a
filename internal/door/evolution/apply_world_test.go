package evolution

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/evaluate/command"
	"github.com/cladehq/clade/internal/format/evolution"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/ledger/bare"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/none"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/store/sqlite"
	"github.com/cladehq/clade/internal/workspace"
	"github.com/cladehq/clade/internal/workspace/pool"
)

// A site is a repository with an evolution whose variants were measured by a run
// of clade: v1 did not beat the base, v2 is the winner.
type site struct {
	t    *testing.T
	dir  string
	door *Door
	run  *control.Run
	f    folder
	now  time.Time
	// told is what a person was told.
	told []string
}

// files are what a folder holds, by path: "x " before the content makes it
// executable, "-> " a link; "" is nothing.
type files map[string]string

const evolutionDir = evolution.Root + "/1-larger"

const largerYAML = `# kept by hand
evolution_id: 1
slug: larger
created_at: 2026-05-08T14:30:00Z
updated_at: 2026-05-08T14:30:00Z
objective: Make the number large for everybody.
scope: {kind: worktree, include: [src/, "logo.bin"], exclude: [src/tests/]}
budget: {max_variants: 2, parallel: 1}
gates:
  - {id: G1, description: there is no boom, cmd: "! test -e boom -o -e src/boom"}
rubric:
  - {id: R1, description: the number, direction: maximize, cmd: cat src/n}
variants:
  - id: v1
    generation: 1
    hypothesis: It could be two.
    status: evaluated
    gates: [{id: G1, passes: true}]
    rubric: [{id: R1, value: 1}]
  - id: v2
    generation: 2
    hypothesis: It could be nine.
    status: evaluated
    gates: [{id: G1, passes: true}]
    rubric: [{id: R1, value: 9}]
winner:
  variant_id: v2
  rationale: It is larger. # and that is all
`

const largerPage = "# Evolution — 1-larger\n\n## TL;DR\n\nmine\n\n## Brief\n\nMake it large.\n\n## Variants\n\n## Results\n"

// A setting says what a site is made of.
type setting struct {
	yaml   func(string) string // changes evolution.yaml
	place  string              // folder of the repository that holds .agents, "" for its root
	before files
	after  files // what v2 makes of it
	ended  clade.Stop
	winner clade.Status // of v2
	failed bool         // v2 did not pass its gate
	v1     files        // what v1 makes of it
}

func newSite(t *testing.T, set setting) *site {
	t.Helper()
	top := repository(t, nil).here
	s := &site{t: t, dir: filepath.Join(top, set.place), now: time.Date(2026, 5, 8, 16, 30, 0, 0, time.UTC)}
	s.f = folder{filepath.Join(s.dir, filepath.FromSlash(evolutionDir))}
	if set.before == nil {
		set.before = files{"src/n": "1\n"}
	}
	if set.after == nil {
		set.after = files{"src/n": "9\n"}
	}
	yaml := largerYAML
	if set.yaml != nil {
		yaml = set.yaml(yaml)
	}
	s.put(set.before)
	s.put(files{evolutionDir + "/evolution.yaml": yaml, evolutionDir + "/EVOLUTION.md": largerPage, ".gitignore": "/.agents/evolutions/*/variants/\n"})
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "base")
	s.door = &Door{c: s.control(t.TempDir()), here: s.dir, clock: func() time.Time { return s.now }}
	s.search(set)
	return s
}

// control works with real implementations, and isolates nothing.
func (s *site) control(state string) *control.Control {
	return control.New(control.Parts{
		Store:  func(dir string, _ bool) (store.Store, error) { return sqlite.New(dir) },
		Index:  func() (store.Index, error) { return sqlite.OpenIndex(filepath.Join(state, "index.db")) },
		Ledger: func(ctx context.Context, dir string) (ledger.Ledger, error) { return bare.Open(ctx, dir) },
		Sandbox: func(context.Context, *clade.Spec, []string) (sandbox.Sandbox, error) {
			return none.New(none.Options{})
		},
		Workspaces: func(cache string, l ledger.Ledger, b sandbox.Sandbox) (workspace.Provider, error) {
			return pool.New(pool.Options{Dir: cache, Ledger: l, Sandbox: b, Env: sandbox.Basics(os.LookupEnv)})
		},
		Evaluator: func(_ *clade.Spec, w workspace.Provider, t control.Tools) (evaluate.Evaluator, error) {
			return command.New(command.Options{Workspaces: w, Sandbox: t.Sandbox, Scratch: t.Scratch}), nil
		},
		State: filepath.Join(state, "state"), Cache: filepath.Join(state, "cache"),
	})
}

// search opens the run behind the evolution, and has it be over.
func (s *site) search(set setting) {
	t, name := s.t, s.f.file(evolution.FileEvolution)
	t.Helper()
	doc, err := s.f.read()
	must(t, err)
	spec := doc.Evolution.Spec(name)
	if sc := doc.Evolution.Scope; sc != nil && sc.Kind == evolution.ScopeFiles {
		spec.Target.Kind, spec.Target.Only = clade.TargetDir, sc.Include
	}
	resolved, err := s.door.c.Settle(t.Context(), name, spec, nil)
	must(t, err)
	s.run, err = s.door.c.Create(t.Context(), resolved)
	must(t, err)
	t.Cleanup(func() { must(t, s.run.Close()) })
	must(t, s.f.setLink(link{Run: s.run.Name, Base: resolved.From}))

	if set.winner == "" {
		set.winner = clade.StatusWinner
	}
	if set.v1 == nil {
		set.v1 = files{"src/n": "2\n"}
	}
	s.record(clade.Planned{Attempt: clade.Attempt{ID: 1, Makes: clade.MakesNumbers, Why: "baseline", After: []clade.Stage{{Subjects: []clade.ID{0}}}}},
		clade.TryBegun{ID: 1, Try: 1}, clade.TryEnded{Outcome: clade.Outcome{ID: 1, Try: 1, Evaluations: s.measured(0, 1)}},
		clade.Judged{Verdicts: []clade.Verdict{{ID: 1, Status: clade.StatusMeasured, Why: "measured"}}})
	s.variant(2, "v1", set.v1, s.measured(2, 1), clade.Verdict{Status: clade.StatusStable, Why: "ties with the base"})
	won := s.measured(3, 9)
	if set.failed {
		won[0].Samples[0].Value = 0
	}
	s.variant(3, "v2", set.after, won, clade.Verdict{Status: set.winner, Why: "so",
		Final: &clade.Final{Measure: "R1", Base: 1, Value: 9, Estimate: 8, P: 0.25, Alpha: 0.05, N: 2, Kind: "exact"}})
	if set.ended == clade.StopNone {
		set.ended = clade.StopCandidates
	}
	if set.ended != "open" {
		s.record(clade.Stopped{Cause: set.ended, Reason: "2 of 2 variants"})
	}
}

func (s *site) measured(id clade.ID, value float64) []clade.Evaluation {
	return []clade.Evaluation{{Subject: id, Samples: []clade.Sample{{Check: "G1", Gate: true, Value: 1, Replicate: 1}, {Check: "R1", Value: value, Replicate: 1}}}}
}

func (s *site) variant(id clade.ID, name string, change files, measured []clade.Evaluation, v clade.Verdict, same ...clade.ID) {
	s.t.Helper()
	outcome := clade.Outcome{ID: id, Try: 1, Evaluations: measured}
	if len(same) > 0 {
		outcome.Same = same[0]
	}
	var base, prefix string
	must(s.t, s.run.View(s.t.Context(), func(v clade.View) error {
		base, prefix = v.Life(clade.Base).Commit, v.Head().Spec.Target.Prefix
		return nil
	}))
	var changes []ledger.Change
	for _, p := range slices.Sorted(maps.Keys(change)) {
		at := filepath.ToSlash(filepath.Join(prefix, p))
		if change[p] == "" {
			changes = append(changes, ledger.Change{Path: at, Delete: true})
			continue
		}
		mode, data := parsed(change[p])
		changes = append(changes, ledger.Change{Path: at, Mode: mode, Data: data})
	}
	given, err := s.run.Commit(s.t.Context(), base, changes, name)
	must(s.t, err)
	v.ID, outcome.Commit, outcome.Tree = id, given.Commit, given.Tree
	s.record(clade.Planned{Attempt: clade.Attempt{ID: id, Makes: clade.MakesTree, Name: name, Given: &given, Why: "adopted"}},
		clade.TryBegun{ID: id, Try: 1},
		clade.TryEnded{Outcome: outcome},
		clade.Judged{Verdicts: []clade.Verdict{v}})
}

func (s *site) record(events ...clade.Event) {
	s.t.Helper()
	must(s.t, s.run.Update(s.t.Context(), func(tx control.Tx) error { return tx.Append(events...) }))
}

func parsed(text string) (ledger.Mode, []byte) {
	if to, ok := strings.CutPrefix(text, "-> "); ok {
		return ledger.ModeSymlink, []byte(to)
	}
	if body, ok := strings.CutPrefix(text, "x "); ok {
		return ledger.ModeExec, []byte(body)
	}
	return ledger.ModeFile, []byte(text)
}

func (s *site) at(p string) string { return filepath.Join(s.dir, filepath.FromSlash(p)) }

func (s *site) put(all files) {
	s.t.Helper()
	for p, text := range all {
		at := s.at(p)
		must(s.t, os.MkdirAll(filepath.Dir(at), 0o755))
		must(s.t, os.RemoveAll(at))
		switch mode, data := parsed(text); {
		case text == "":
		case mode == ledger.ModeSymlink:
			must(s.t, os.Symlink(string(data), at))
		case mode == ledger.ModeExec:
			must(s.t, os.WriteFile(at, data, 0o755))
		default:
			must(s.t, os.WriteFile(at, data, 0o644))
		}
	}
}

// holds checks what the folder has at some paths.
func (s *site) holds(want files) {
	s.t.Helper()
	for p, text := range want {
		if got := s.get(p); got != text {
			s.t.Errorf("%s is %q, want %q", p, got, text)
		}
	}
}

func (s *site) get(p string) string {
	s.t.Helper()
	info, err := os.Lstat(s.at(p))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(s.at(p))
		must(s.t, err)
		return "-> " + to
	}
	must(s.t, err)
	data, err := os.ReadFile(s.at(p))
	must(s.t, err)
	if info.Mode()&0o111 != 0 {
		return "x " + string(data)
	}
	return string(data)
}

func (s *site) git(args ...string) string {
	s.t.Helper()
	c := exec.Command("git", append([]string{"-C", s.dir, "-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "core.hooksPath=/dev/null"}, args...)...)
	out, err := c.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// yaml and page are the evolution's files now.
func (s *site) yaml() string { return s.get(evolutionDir + "/evolution.yaml") }
func (s *site) page() string { return s.get(evolutionDir + "/EVOLUTION.md") }

func (s *site) evolution() *evolution.Evolution {
	s.t.Helper()
	doc, err := s.f.read()
	must(s.t, err)
	return doc.Evolution
}

func (s *site) options() ApplyOptions {
	return ApplyOptions{Hooks: Hooks{Tell: func(text string) { s.told = append(s.told, text) }}}
}

func (s *site) apply(change ...func(*ApplyOptions)) (*Applied, error) {
	o := s.options()
	for _, c := range change {
		c(&o)
	}
	return s.door.Apply(s.t.Context(), "1", o)
}

func (s *site) mustApply() *Applied {
	s.t.Helper()
	a, err := s.apply()
	must(s.t, err)
	return a
}

func (s *site) undo() (*Applied, error) {
	return s.door.Undo(s.t.Context(), "larger", s.options().Hooks)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
