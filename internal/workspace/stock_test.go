package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

func TestStock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := NewStock(filepath.Join(dir, "stock"))
	tree := filepath.Join(dir, "tree")
	build := func() {
		t.Helper()
		if err := s.MkdirAll(filepath.Join(tree, "a", "b")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(tree, "a", "b", "f"), []byte("x"), 0o444); err != nil {
			t.Fatal(err)
		}
	}
	build()
	if err := s.Empty(tree); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(tree); err != nil || len(entries) > 0 {
		t.Fatalf("left: %v, %v", entries, err)
	}
	if len(s.free) != 2 {
		t.Fatalf("%d folders are kept, want 2", len(s.free))
	}
	build() // what is there has nothing of before
	if len(s.free) != 0 {
		t.Errorf("%d folders are kept still", len(s.free))
	}
	for dir, want := range map[string]int{tree: 1, filepath.Join(tree, "a"): 1, filepath.Join(tree, "a", "b"): 1} {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != want {
			t.Errorf("%s holds %v, %v", dir, entries, err)
		}
	}
	file := filepath.Join(tree, "a", "b", "f")
	if s.MkdirAll(filepath.Join(file, "c")) == nil {
		t.Error("a folder was made in a file")
	}
	var none *Stock
	if err := none.MkdirAll(filepath.Join(dir, "x", "y")); err != nil {
		t.Error(err)
	}
}
