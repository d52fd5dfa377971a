package control

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// C18, H13: what commands wrote into the target itself is told, by name.
func TestH13OutsideWritesAreSeen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b/c", "b/d", ".git/config", ".git/objects/xx", ".clade/state"} {
		put(name, "1")
	}
	o := &outside{dir: dir}
	o.was, _ = o.stamps()
	if got := o.changed(); len(got) > 0 {
		t.Fatalf("%q changed, but nothing did", got)
	}
	put("a", "22")           // larger
	put("b/new", "1")        // added
	put(".git/config", "22") // a hook of the person's git
	put(".git/objects/yy", "1")
	put(".clade/state", "22")
	if err := os.Remove(filepath.Join(dir, "b/d")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, "b/c"), time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if got, want := o.changed(), []string{".git/config", "a", "b/c", "b/d", "b/new"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	f := &outside{dir: dir, flat: true}
	f.was, _ = f.stamps()
	put("b/new", "333")
	put("beside", "1")
	if got, want := f.changed(), []string{"beside"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
