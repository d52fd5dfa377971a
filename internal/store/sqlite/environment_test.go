//go:build linux

package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/store/sqlite"
)

// small mounts a file system of the given size.
func small(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skip("needs the right to mount a tmpfs: ", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func environmental(t *testing.T, doing string, err error) {
	t.Helper()
	var p *clade.Problem
	if !errors.As(err, &p) || p.Fault != clade.FaultEnvironment || p.Where == "" || p.Hint == "" {
		t.Errorf("%s: %#v, want an environment problem with a place and a hint", doing, err)
	}
}

// F15: a full disk stops the writer with a clear word; everything recorded
// before is there, and once there is space the same handle writes on.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for _, fold := range []bool{true, false} {
		dir := small(t, "1m")
		s, err := sqlite.New(dir)
		if err != nil {
			t.Fatal(err)
		}
		create(t, s, "r")
		l := open(t, s, "r", fold)
		var full error
		for id := clade.ID(1); full == nil; id++ {
			full = l.Update(t.Context(), func(tx store.Tx) error {
				return errors.Join(tx.Append(planned(tx.View().Head().Count+1)),
					tx.Pend(ledger.Made{Commit: string(rune('A' + id)), Stream: make([]byte, 100<<10)}))
			})
		}
		environmental(t, "full disk", full)
		before := pictureOf(t, l)
		made, err := l.Pending(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := l.View(t.Context(), func(v clade.View) error {
			if int(v.Head().Count) != len(made) {
				t.Errorf("%d attempts, %d commits: half a transaction", v.Head().Count, len(made))
			}
			return nil
		}); n != nil {
			t.Error(n)
		}
		if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, "size=8m"); err != nil {
			t.Fatal(err)
		}
		if got := pictureOf(t, open(t, s, "r", !fold)); got != before {
			t.Errorf("state changed: %s", got)
		}
		add(t, l, clade.Ticked{Active: 1})
		sound(t, l)
	}
}

func TestCreatingOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir := small(t, "1m")
	s, err := sqlite.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 1000<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = s.Create(t.Context(), opened("r"))
	environmental(t, "create", err)
	if runs, err := s.List(t.Context()); err != nil || len(runs) > 0 {
		t.Errorf("half a run is listed: %v, %v", runs, err)
	}
	if err := os.Remove(filepath.Join(dir, "filler")); err != nil {
		t.Fatal(err)
	}
	create(t, s, "r")
}

// F17: a folder that cannot be written is said to be so, for each call.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	dir := small(t, "8m")
	s, err := sqlite.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Create(t.Context(), opened("r"))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	_, err = s.Create(t.Context(), opened("other"))
	environmental(t, "create", err)
	_, err = s.Open(t.Context(), "r", true)
	environmental(t, "open", err)
	_, _, err = s.Lease(t.Context(), "r")
	environmental(t, "lease", err)
	environmental(t, "remove", s.Remove(t.Context(), "r"))
	_, err = sqlite.OpenIndex(filepath.Join(dir, "index.db"))
	environmental(t, "index", err)
}

// A log that is deleted or replaced under its writer is told of by the next
// write; SQLite itself would go on into a file without a name.
func TestDeletedUnderTheWriter(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]bool{"deleted": false, "replaced": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s, err := sqlite.New(dir)
			if err != nil {
				t.Fatal(err)
			}
			l := create(t, s, "r")
			add(t, l, clade.Ticked{Active: 1})
			if err := os.RemoveAll(s.Dir("r")); err != nil {
				t.Fatal(err)
			}
			if replace {
				add(t, create(t, s, "r"), clade.Ticked{Active: 1})
			}
			err = l.Update(t.Context(), func(tx store.Tx) error { return tx.Append(clade.Ticked{Active: 2}) })
			if clade.FaultOf(err) != clade.FaultNotFound {
				t.Errorf("wrote into a file that is gone: %v", err)
			}
		})
	}
}
