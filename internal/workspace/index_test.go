package workspace

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade/internal/ledger"
)

// TestIndexSplicesAsEncoded compares an index made of another one's parts with
// the same index encoded at once.
func TestIndexSplicesAsEncoded(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	entry := func(p string) indexed {
		return indexed{at: time.Unix(1, int64(rng.IntN(9))), Entry: ledger.Entry{
			Path: p, Mode: ledger.ModeFile, Size: int64(rng.IntN(9)), Blob: fmt.Sprintf("%040x", rng.Uint64())}}
	}
	byPath := func(m map[string]indexed) []indexed {
		var list []indexed
		for _, p := range slices.Sorted(maps.Keys(m)) {
			list = append(list, m[p])
		}
		return list
	}
	for range 200 {
		all, differ := map[string]indexed{}, map[string]indexed{}
		pick := func() string { return strings.Repeat("n", rng.IntN(12)) + string(rune('a'+rng.IntN(8))) }
		for range rng.IntN(10) {
			p := pick()
			all[p] = entry(p)
		}
		base, err := newIndex(byPath(all))
		if err != nil {
			t.Fatal(err)
		}
		for range rng.IntN(6) {
			p := pick()
			if rng.IntN(2) == 0 {
				differ[p] = indexed{Entry: ledger.Entry{Path: p}}
				delete(all, p)
			} else {
				all[p] = entry(p)
				differ[p] = all[p]
			}
		}
		want, err := newIndex(byPath(all))
		if err != nil {
			t.Fatal(err)
		}
		got, err := base.splice(byPath(differ))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want.raw) {
			t.Fatalf("%d entries, %d differences: not the same bytes", len(all), len(differ))
		}
	}
}

func TestIndexRefusesOtherObjectNames(t *testing.T) {
	t.Parallel()
	for _, e := range []ledger.Entry{{Path: "a", Mode: "100644", Blob: strings.Repeat("a", 64)}, {Path: "a", Mode: "x", Blob: strings.Repeat("a", 40)}} {
		if _, err := newIndex([]indexed{{Entry: e}}); err == nil {
			t.Errorf("%+v is taken", e)
		}
	}
}
