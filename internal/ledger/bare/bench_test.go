package bare_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/ledger/bare"
)

// forest makes a base of n files in folders of 20, of about 700 bytes each.
func forest(b *testing.B, l *bare.Ledger, n int) ledger.Made {
	b.Helper()
	d := ledger.Draft{Message: "base"}
	for i := range n {
		d.Changes = append(d.Changes, ledger.Change{Path: leaf(i), Mode: ledger.ModeFile,
			Data: fmt.Appendf(nil, "%0700d\n", i)})
	}
	m, err := l.Commit(b.Context(), d)
	if err != nil {
		b.Fatal(err)
	}
	if err := l.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	return m
}

func leaf(i int) string { return fmt.Sprintf("m%d/p%d/f%d.go", i/1000, i/20%50, i) }

func each(b *testing.B, f func(*testing.B, *bare.Ledger, ledger.Made, int)) {
	for _, n := range []int{2_000, 50_000} {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			l, err := bare.Open(b.Context(), filepath.Join(b.TempDir(), "ledger"))
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			base := forest(b, l, n)
			b.ResetTimer()
			f(b, l, base, n)
		})
	}
}

func edit(b *testing.B, l *bare.Ledger, parent string, i, n int) ledger.Made {
	m, err := l.Commit(b.Context(), ledger.Draft{Parents: []string{parent}, From: parent, Message: "edit",
		Changes: []ledger.Change{{Path: leaf(i * 7919 % n), Mode: ledger.ModeFile, Data: fmt.Appendf(nil, "edit %d\n", i)}}})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// Commit makes one small edit a time, each on top of the last.
func BenchmarkCommit(b *testing.B) {
	each(b, func(b *testing.B, l *bare.Ledger, base ledger.Made, n int) {
		parent := base.Commit
		for i := range b.N {
			parent = edit(b, l, parent, i, n).Commit
		}
	})
}

// CommitSync is Commit with a Sync after every 100.
func BenchmarkCommitSync(b *testing.B) {
	each(b, func(b *testing.B, l *bare.Ledger, base ledger.Made, n int) {
		parent := base.Commit
		for i := range b.N {
			parent = edit(b, l, parent, i, n).Commit
			if i%100 == 99 {
				if err := l.Sync(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// CommitList commits a small edit and lists it.
func BenchmarkCommitList(b *testing.B) {
	each(b, func(b *testing.B, l *bare.Ledger, base ledger.Made, n int) {
		for i := range b.N {
			m := edit(b, l, base.Commit, i, n)
			if list, err := l.List(b.Context(), m.Commit); err != nil || len(list) != n {
				b.Fatal(len(list), err)
			}
		}
	})
}

// ListWarm lists the same commit again.
func BenchmarkListWarm(b *testing.B) {
	each(b, func(b *testing.B, l *bare.Ledger, base ledger.Made, n int) {
		if _, err := l.List(b.Context(), base.Commit); err != nil {
			b.Fatal(err)
		}
		b.ResetTimer()
		for range b.N {
			if _, err := l.List(b.Context(), base.Commit); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// ListCold opens the ledger and lists a commit.
func BenchmarkListCold(b *testing.B) {
	each(b, func(b *testing.B, l *bare.Ledger, base ledger.Made, n int) {
		for range b.N {
			fresh, err := bare.Open(b.Context(), l.Dir())
			if err != nil {
				b.Fatal(err)
			}
			if _, err := fresh.List(b.Context(), base.Commit); err != nil {
				b.Fatal(err)
			}
			fresh.Close()
		}
	})
}

// Import copies the base out of another repository.
func BenchmarkImport(b *testing.B) {
	each(b, func(b *testing.B, l *bare.Ledger, base ledger.Made, n int) {
		if err := l.Name(b.Context(), map[string]string{"refs/clade/base": base.Commit}); err != nil {
			b.Fatal(err)
		}
		for range b.N {
			b.StopTimer()
			fresh, err := bare.Open(b.Context(), filepath.Join(b.TempDir(), "ledger"))
			if err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			if _, err := fresh.Import(b.Context(), ledger.Source{Git: l.Dir(), Rev: base.Commit}); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			fresh.Close()
			b.StartTimer()
		}
	})
}

// Pack writes a base's own repository.
func BenchmarkPack(b *testing.B) {
	each(b, func(b *testing.B, l *bare.Ledger, base ledger.Made, n int) {
		for range b.N {
			if err := l.Pack(b.Context(), base.Commit, filepath.Join(b.TempDir(), "pack")); err != nil {
				b.Fatal(err)
			}
		}
	})
}
