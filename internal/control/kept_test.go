package control

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/ledger/bare"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/none"
	"github.com/cladehq/clade/internal/workspace"
	"github.com/cladehq/clade/internal/workspace/pool"
)

// keeping is a run of a plain folder, over a real ledger and real workspaces.
func keeping(t *testing.T) *Run {
	h := newHouse(t)
	h.Cache = filepath.Join(h.dir, "cache")
	h.Parts.Ledger = func(ctx context.Context, dir string) (ledger.Ledger, error) { return bare.Open(ctx, dir) }
	h.Parts.Sandbox = func(context.Context, *clade.Spec, []string) (sandbox.Sandbox, error) { return none.New(none.Options{}) }
	h.Parts.Workspaces = func(cache string, l ledger.Ledger, s sandbox.Sandbox) (workspace.Provider, error) {
		return pool.New(pool.Options{Dir: cache, Ledger: l, Sandbox: s, Env: []string{"PATH=" + os.Getenv("PATH")}})
	}
	target := filepath.Join(h.dir, "target")
	for name, data := range map[string]string{".env": "KEY=1", "code": "1", "held.csv": "e\n1\n2\n3\n4\n5\n6\n"} {
		put(t, filepath.Join(target, name), data)
	}
	state := filepath.Join(target, stateName)
	led, err := bare.Open(t.Context(), filepath.Join(state, ledgerName))
	if err != nil {
		t.Fatal(err)
	}
	defer led.Close() //nolint:errcheck // it was only written to
	base, err := led.Import(t.Context(), ledger.Source{Dir: target, Only: []string{"code", "held.csv"}})
	if err != nil {
		t.Fatal(err)
	}
	st, err := h.Store(state, true)
	if err != nil {
		t.Fatal(err)
	}
	log, err := st.Create(t.Context(), clade.Opened{Run: "a-aaaaa", Digest: "d", Base: base.Commit, Tree: base.Tree, Where: target, Spec: clade.Spec{
		Target: clade.Target{Kind: clade.TargetDir}, Carry: []string{".env"}, Setup: &clade.Command{Run: "mkdir mods && echo m >mods/m"},
		Dataset: &clade.Dataset{File: "held.csv", Expected: "e"}, Measures: []clade.Measure{{ID: "m", Goal: clade.Maximize}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	r := &Run{Name: "a-aaaaa", State: state, c: h.Control, store: st, log: log}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func put(t *testing.T, name, data string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(data), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// below lists the files below dir.
func below(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, filepath.ToSlash(p[len(dir)+1:]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestKept makes a folder, edits in it as a person does, and collects that by
// another call, as another process would.
func TestKept(t *testing.T) {
	t.Parallel()
	r := keeping(t)
	var base string
	if err := r.View(t.Context(), func(v clade.View) error { base = v.Life(clade.Base).Commit; return nil }); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "variants", "v1", "workspace")
	var steps []string
	keep := func(fn func(*Kept) error) error {
		return r.Kept(t.Context(), func(s string) { steps = append(steps, s) }, fn)
	}
	make := func(k *Kept) error { return k.Make(t.Context(), base, dir) }
	if err := keep(make); err != nil {
		t.Fatal(err)
	}
	if got, want := below(t, dir), []string{".env", "code", "mods/m"}; !slices.Equal(got, want) {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
	if len(steps) == 0 {
		t.Error("nobody was told of a step")
	}
	if err := keep(make); clade.FaultOf(err) != clade.FaultConflict {
		t.Errorf("made over a folder: %v", err)
	}

	put(t, filepath.Join(dir, "code"), "2")
	put(t, filepath.Join(dir, "mods", "m"), "mine")
	put(t, filepath.Join(dir, "held.csv"), "a guess")
	changes := func() (list []ledger.Change, err error) {
		err = r.Kept(t.Context(), nil, func(k *Kept) (err error) {
			list, err = k.Changes(t.Context(), base, dir)
			return err
		})
		return list, err
	}
	got, err := changes()
	if err != nil || len(got) != 1 || got[0].Path != "code" || string(got[0].Data) != "2" {
		t.Errorf("changes %v, %v", got, err)
	}
	put(t, filepath.Join(dir, "sub", ".git", "config"), "")
	if got, err := changes(); clade.FaultOf(err) != clade.FaultConflict || !errors.Is(err, workspace.ErrNestedGit) || got != nil {
		t.Errorf("a repository in it: %v, %v", got, err)
	}
	if err := os.Remove(dir + workspace.MarkSuffix); err != nil {
		t.Fatal(err)
	}
	if got, err := changes(); clade.FaultOf(err) != clade.FaultNotFound || !errors.Is(err, workspace.ErrUnmarked) || got != nil {
		t.Errorf("without its marker: %v, %v", got, err)
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	r := keeping(t)
	var base string
	if err := r.View(t.Context(), func(v clade.View) error { base = v.Life(clade.Base).Commit; return nil }); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "v1")
	some := func(p string) bool { return p != "held.csv" }
	if err := r.Export(t.Context(), base, dir, some); err != nil {
		t.Fatal(err)
	}
	if got, want := below(t, dir), []string{"code"}; !slices.Equal(got, want) {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
	if err := r.Export(t.Context(), base, dir, nil); clade.FaultOf(err) != clade.FaultConflict {
		t.Errorf("written over a folder: %v", err)
	}
}
