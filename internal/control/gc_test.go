package control

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/workspace"
)

// swept counts sweeps.
type swept struct {
	workspace.Provider
	times int
}

func (s *swept) Close() error { return nil }

func (s *swept) Sweep(context.Context, workspace.Sweeping) (int64, error) {
	s.times++
	return 7, nil
}

// collecting is a house whose collections sweep no real cache and prune nothing.
func collecting(t *testing.T) (h *house, cache *swept, pruned *[]string) {
	h, cache, pruned = newHouse(t), &swept{}, new([]string)
	h.Cache = filepath.Join(h.dir, "cache")
	h.Parts.Workspaces = func(string, ledger.Ledger, sandbox.Sandbox) (workspace.Provider, error) { return cache, nil }
	h.Parts.Sandbox = func(context.Context, *clade.Spec, []string) (sandbox.Sandbox, error) {
		return nil, &clade.Problem{Fault: clade.FaultEnvironment, Text: "no containers here"}
	}
	h.Parts.Prune = func(_ context.Context, dir string, _ func() (map[string]string, error)) (int64, error) {
		*pruned = append(*pruned, dir)
		return 11, nil
	}
	return h, cache, pruned
}

// F23: a run that cannot be read keeps nothing else from being collected, and
// keeps its own ledger whole.
func TestF23CollectsAroundADamagedRun(t *testing.T) {
	t.Parallel()
	h, cache, pruned := collecting(t)
	damaged, gone, ill := h.run("a-aaaaa", "a", 9), h.run("b-bbbbb", "b", 2), h.run("c-ccccc", "a", 3)
	for _, r := range []*Run{damaged, gone, ill} {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(damaged.Dir(), "run.db*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if err := os.WriteFile(f, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []*Run{gone, ill} {
		if err := os.RemoveAll(r.Dir()); err != nil {
			t.Fatal(err)
		}
	}
	got, err := h.GC(t.Context(), Collection{})
	if clade.FaultOf(err) != clade.FaultCorrupt || !strings.Contains(err.Error(), "run a-aaaaa") {
		t.Fatalf("error %v", err)
	}
	slices.Sort(got.Forgotten)
	if !slices.Equal(got.Forgotten, []string{"b-bbbbb", "c-ccccc"}) || cache.times != 1 || got.Bytes != 11+7 {
		t.Errorf("%d sweeps, %+v", cache.times, got)
	}
	if want := []string{filepath.Join(gone.State, ledgerName)}; !slices.Equal(*pruned, want) {
		t.Errorf("pruned %q, want %q", *pruned, want)
	}
}

// An index that cannot be read is reported; what dead processes left goes.
func TestCollectsWithoutAnIndex(t *testing.T) {
	t.Parallel()
	h, cache, _ := collecting(t)
	fault := errors.New("no index")
	h.Parts.Index = func() (store.Index, error) { return nil, fault }
	if got, err := h.GC(t.Context(), Collection{}); !errors.Is(err, fault) || cache.times != 1 || got == nil || got.Bytes != 7 {
		t.Errorf("%+v, %v, %d sweeps", got, err, cache.times)
	}
}

// F10: containers of dead processes go, of which opening containers takes care;
// where that fails it is said, unless there are none here.
func TestF10CollectsContainers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ opened, want error }{
		"no containers": {&clade.Problem{Fault: clade.FaultEnvironment}, nil},
		"no image":      {&clade.Problem{Fault: clade.FaultSpec}, nil},
		"cannot":        {context.DeadlineExceeded, context.DeadlineExceeded},
	} {
		h, _, _ := collecting(t)
		var asked []string
		h.Parts.Sandbox = func(_ context.Context, s *clade.Spec, _ []string) (sandbox.Sandbox, error) {
			asked = append(asked, s.Sandbox.Use)
			return nil, test.opened
		}
		if _, err := h.GC(t.Context(), Collection{}); !errors.Is(err, test.want) || len(asked) != 1 || asked[0] != sandbox.GradeContainer {
			t.Errorf("%s: %v, asked for %q", name, err, asked)
		}
		if _, err := h.GC(t.Context(), Collection{Dry: true}); err != nil || len(asked) != 1 {
			t.Errorf("%s, dry: %v, asked for %q", name, err, asked)
		}
	}
}
