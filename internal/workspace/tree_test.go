package workspace

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
)

func file(p string) ledger.Entry { return ledger.Entry{Path: p, Mode: ledger.ModeFile, Blob: "b-" + p} }

func paths(es []ledger.Entry) []string {
	var ps []string
	for _, e := range es {
		ps = append(ps, e.Path)
	}
	return ps
}

func TestTreeLooksThroughDifferences(t *testing.T) {
	t.Parallel()
	tree := newTree([]ledger.Entry{file("z"), file("a"), file("d/x"), file("d/y"), file("d.c"), file("e/f/g")}).
		With(map[string]ledger.Entry{"d/x": {}, "d/y": {}, "d/n/new": file("d/n/new"), "e/f/g": {}, "e/f": file("e/f")})
	if got, want := paths(tree.Below("")), []string{"a", "d.c", "d/n/new", "e/f", "z"}; !slices.Equal(got, want) {
		t.Errorf("Below: %q, want %q", got, want)
	}
	for dir, want := range map[string]bool{"": true, "d": true, "d/n": true, "e": true, "e/f": false, "a": false, "q": false} {
		if tree.IsDir(dir) != want {
			t.Errorf("IsDir(%q) = %v", dir, !want)
		}
	}
	if _, ok := tree.Lookup("d/x"); ok {
		t.Error("a deleted file is found")
	}
	var names []string
	for _, c := range tree.children("") {
		names = append(names, c.sortName())
	}
	if want := []string{"a", "d.c", "d/", "e/", "z"}; !slices.Equal(names, want) {
		t.Errorf("children: %q, want %q", names, want)
	}
}

// TestTreeAgreesWithAMap compares every question with the same one asked of a
// plain map, over random trees.
func TestTreeAgreesWithAMap(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		model := map[string]ledger.Entry{}
		pick := func() string {
			parts := make([]string, 1+rng.IntN(3))
			for i := range parts {
				parts[i] = string(rune('a' + rng.IntN(3)))
			}
			return strings.Join(parts, "/")
		}
		put := func(p string) { // as a file system would: the newer of file and folder stays
			for q := range model {
				if below(q, p) || below(p, q) {
					delete(model, q)
				}
			}
			model[p] = file(p)
		}
		for range rng.IntN(12) {
			put(pick())
		}
		base := maps.Clone(model)
		for range rng.IntN(6) {
			if p := pick(); rng.IntN(2) == 0 {
				delete(model, p)
			} else {
				put(p)
			}
		}
		over := map[string]ledger.Entry{}
		for p := range base {
			if _, ok := model[p]; !ok {
				over[p] = ledger.Entry{}
			}
		}
		for p, e := range model {
			if _, ok := base[p]; !ok {
				over[p] = e
			}
		}
		tree := newTree(slices.Collect(maps.Values(base))).With(over)
		if got, want := paths(tree.Below("")), slices.Sorted(maps.Keys(model)); !slices.Equal(got, want) {
			t.Fatalf("base %q over %q: %q, want %q", slices.Sorted(maps.Keys(base)), tree.keys, got, want)
		}
		for range 10 {
			dir := pick()
			want := false
			kids := map[string]bool{}
			for p := range model {
				if p != dir && below(p, dir) {
					want = true
					name, _, deep := strings.Cut(p[len(dir)+1:], "/")
					kids[fmt.Sprint(name, deep)] = true
				}
			}
			if tree.IsDir(dir) != want {
				t.Fatalf("IsDir(%q) = %v in %q", dir, !want, slices.Sorted(maps.Keys(model)))
			}
			if got := len(tree.children(dir)); got != len(kids) {
				t.Fatalf("children(%q): %d, want %d", dir, got, len(kids))
			}
		}
	}
}
