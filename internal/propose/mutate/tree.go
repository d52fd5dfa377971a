package mutate

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/propose"
)

// A tree is the files of a commit that may be edited, ascending by path.
type tree struct {
	read    propose.Reader
	files   []ledger.Entry
	skipped int
}

// trees remembers the last few listings: a parent is used again and again, and
// matching globs against every path of a large repository takes its time.
type trees struct {
	mu   sync.Mutex
	kept []keptTree // the last used at the end
}

type keptTree struct {
	key  string
	tree tree
}

const treesKept = 8

func (t *trees) open(ctx context.Context, r propose.Request, commit string) (tree, error) {
	key := strings.Join([]string{commit, r.Spec.Target.Prefix, fmt.Sprintf("%q%q", r.Spec.Allow, r.Spec.Frozen)}, "\x00")
	if found, ok := t.find(key); ok {
		found.read = r.Read
		return found, nil
	}
	entries, err := r.Read.List(ctx, commit)
	if err != nil {
		return tree{}, fmt.Errorf("listing %s: %w", commit, err)
	}
	made := tree{}
	for _, e := range entries {
		switch {
		case !regular(e.Mode) || !propose.Editable(r.Spec, e.Path) || isDataset(r.Spec, e.Path):
		case e.Size > largest || e.Path != strings.ToValidUTF8(e.Path, ""):
			made.skipped++
		default:
			made.files = append(made.files, e)
		}
	}
	slices.SortFunc(made.files, func(a, b ledger.Entry) int { return strings.Compare(a.Path, b.Path) })
	t.keep(key, made)
	made.read = r.Read
	return made, nil
}

// isDataset reports whether a path is the run's cases, which nobody edits.
func isDataset(spec *clade.Spec, p string) bool {
	return spec.Dataset != nil && spec.Dataset.File != "" && path.Join(spec.Target.Prefix, spec.Dataset.File) == p
}

func regular(m ledger.Mode) bool { return m == ledger.ModeFile || m == ledger.ModeExec }

func (t *trees) find(key string) (tree, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, k := range t.kept {
		if k.key == key {
			t.kept = append(slices.Delete(t.kept, i, i+1), k)
			return k.tree, true
		}
	}
	return tree{}, false
}

func (t *trees) keep(key string, made tree) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.kept) == treesKept {
		t.kept = slices.Delete(t.kept, 0, 1)
	}
	t.kept = append(t.kept, keptTree{key, made})
}

func (t tree) entry(p string) (ledger.Entry, bool) {
	i, ok := slices.BinarySearchFunc(t.files, p, func(e ledger.Entry, p string) int { return strings.Compare(e.Path, p) })
	if !ok {
		return ledger.Entry{}, false
	}
	return t.files[i], true
}

// source reads a file; nil when it is no text that mutate edits.
func (t tree) source(ctx context.Context, e ledger.Entry) (*source, error) {
	data, err := t.read.Read(ctx, e.Blob)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", e.Path, err)
	}
	if !editable(data) {
		return nil, nil
	}
	return read(e.Path, data), nil
}
