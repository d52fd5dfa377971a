//go:build linux

package overlay

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cladehq/clade/internal/workspace"
)

// A scope's folder is used again only if no command can have left anything.
func TestRenew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(upper string) error
		again bool
	}{
		"untouched": {func(string) error { return nil }, true},
		"files, folders that cannot be read and deletions": {func(upper string) error {
			if err := os.MkdirAll(filepath.Join(upper, "a", "b"), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(upper, "a", "b", "c"), []byte("x"), 0o400); err != nil {
				return err
			}
			if err := whiteout(filepath.Join(upper, "gone")); err != nil {
				return err
			}
			return os.Chmod(filepath.Join(upper, "a"), 0)
		}, true},
		"the kernel's note": {func(upper string) error { return unix.Setxattr(upper, "user.overlay.impure", []byte("y"), 0) }, true},
		"other mode":        {func(upper string) error { return os.Chmod(upper, 0o777) }, false},
		"sticky":            {func(upper string) error { return os.Chmod(upper, 0o755|os.ModeSticky) }, false},
		"attribute":         {func(upper string) error { return unix.Setxattr(upper, "user.mine", []byte("y"), 0) }, false},
		"replaced by a link": {func(upper string) error {
			if err := os.Remove(upper); err != nil {
				return err
			}
			return os.Symlink(filepath.Dir(upper), upper)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &scope{dir: filepath.Join(t.TempDir(), "1")}
			if err := s.make(false); err != nil {
				t.Fatal(err)
			}
			upper := filepath.Join(s.dir, upperDir)
			if err := c.spoil(upper); err != nil {
				t.Skip("not possible here: ", err)
			}
			if got := renew(s.dir); got != c.again {
				t.Errorf("used again: %v, want %v", got, c.again)
			}
			if entries, err := os.ReadDir(upper); c.again && (err != nil || len(entries) > 0) {
				t.Errorf("still there: %v, %v", entries, err)
			}
		})
	}
}

// A slot waits with an unmarked, empty tree, and is not kept while a scope uses
// one of its folders.
func TestSpares(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &slot{dir: dir, stock: workspace.NewStock(filepath.Join(dir, "stock"))}
	at, again := s.scope()
	if again {
		t.Fatal("a new slot has a scope")
	}
	if err := (&scope{dir: at}).make(false); err != nil {
		t.Fatal(err)
	}
	if s.clear() == nil {
		t.Error("cleared while a scope is open")
	}
	if err := s.give(at); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(s.dir, deltaDir, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	var all spares
	if err := all.give(s); err != nil {
		t.Fatal(err)
	}
	if all.take() != s || all.take() != nil {
		t.Error("the slot was not kept once")
	}
	if entries, err := os.ReadDir(filepath.Join(s.dir, deltaDir)); err != nil || len(entries) > 0 {
		t.Errorf("the delta holds %v, %v", entries, err)
	}
	if got, again := s.scope(); !again || got != at {
		t.Errorf("scope %s, again %v", got, again)
	}
}
