//go:build unix

package land_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cladehq/clade"
)

func TestPermissionsStay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		before, change files
		perm           os.FileMode // of "f" before
		then           os.FileMode // and after, 0: it is gone
	}{
		{"private", files{"f": "1\n"}, files{"f": "2\n"}, 0o600, 0o600},
		{"read only", files{"f": "1\n"}, files{"f": "2\n"}, 0o444, 0o444},
		{"wide", files{"f": "1\n"}, files{"f": "2\n"}, 0o666, 0o666},
		{"private executable", files{"f": "x 1\n"}, files{"f": "x 2\n"}, 0o700, 0o700},
		{"runnable by some", files{"f": "x 1\n"}, files{"f": "x 2\n"}, 0o654, 0o654},
		{"becomes executable for who may read", files{"f": "1\n"}, files{"f": "x 1\n"}, 0o640, 0o750},
		{"becomes plain", files{"f": "x 1\n"}, files{"f": "1\n"}, 0o710, 0o600},
		{"deleted", files{"f": "1\n", "g": "1\n"}, files{"f": ""}, 0o600, 0},
		{"becomes a link", files{"f": "1\n", "g": "1\n"}, files{"f": "-> g"}, 0o640, 0o777},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := plain(t, c.before, c.change)
			must(t, os.Chmod(w.at("f"), c.perm))
			before := w.image()
			w.mustApply()
			info, err := os.Lstat(w.at("f"))
			switch {
			case c.then == 0 && !os.IsNotExist(err):
				t.Errorf("still there: %v", err)
			case c.then != 0 && (err != nil || info.Mode().Perm() != c.then):
				t.Errorf("permissions %v, %v; want %v", info.Mode().Perm(), err, c.then)
			}
			w.mustUndo()
			w.same(before, "apply and undo")
		})
	}
}

func TestNewFilesFollowTheUmask(t *testing.T) {
	t.Parallel()
	w := plain(t, files{"f": "1\n"}, files{"n": "2\n", "e": "x 2\n"})
	probe := filepath.Join(t.TempDir(), "probe")
	f, err := os.OpenFile(probe, os.O_CREATE, 0o777)
	must(t, err)
	must(t, f.Close())
	info, err := os.Stat(probe)
	must(t, err)
	w.mustApply()
	for name, want := range map[string]os.FileMode{"n": info.Mode().Perm() &^ 0o111, "e": info.Mode().Perm()} {
		if got, err := os.Stat(w.at(name)); err != nil || got.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", name, got.Mode(), err, want)
		}
	}
}

func TestOwnerStays(t *testing.T) {
	t.Parallel()
	w := plain(t, files{"f": "1\n"}, files{"f": "2\n"})
	if err := os.Chown(w.at("f"), 12345, 23456); err != nil {
		t.Skipf("cannot give files away here: %v", err)
	}
	w.mustApply()
	info, err := os.Stat(w.at("f"))
	must(t, err)
	if st := info.Sys().(*syscall.Stat_t); st.Uid != 12345 || st.Gid != 23456 {
		t.Errorf("belongs to %d:%d", st.Uid, st.Gid)
	}
}

func TestOtherLinksKeepTheOldBytes(t *testing.T) {
	t.Parallel()
	w := plain(t, files{"f": "1\n"}, files{"f": "2\n"})
	outside := filepath.Join(filepath.Dir(w.root), "outside")
	must(t, os.Link(w.at("f"), outside))
	w.mustApply()
	w.holds(files{"f": "2\n"})
	if data, err := os.ReadFile(outside); err != nil || string(data) != "1\n" {
		t.Errorf("written through: %q, %v", data, err)
	}
}

func TestALinkIsReplacedNotFollowedF36(t *testing.T) {
	t.Parallel()
	w := empty(t, clade.TargetGit)
	outside := filepath.Join(filepath.Dir(w.root), "outside")
	must(t, os.WriteFile(outside, []byte("theirs\n"), 0o644))
	w = repository(t, files{"l": "-> " + outside}, files{"l": "2\n"})
	w.mustApply()
	w.holds(files{"l": "2\n"})
	if data, err := os.ReadFile(outside); err != nil || string(data) != "theirs\n" {
		t.Errorf("written through: %q, %v", data, err)
	}
	w.mustUndo()
	w.holds(files{"l": "-> " + outside})
}

func TestReadOnlyFolderF17(t *testing.T) {
	t.Parallel()
	w := plain(t, files{"a": "1\n", "d/f": "1\n"}, files{"a": "2\n", "d/f": "2\n"})
	must(t, os.Chmod(w.at("d"), 0o555))
	t.Cleanup(func() { must(t, os.Chmod(w.at("d"), 0o755)) })
	before := w.image()
	if os.Geteuid() == 0 {
		w.mustApply() // root may
		w.mustUndo()
	} else {
		refused(t, w.apply(), clade.FaultEnvironment, `"d/f"`, `lies in "d", which cannot be written`)
	}
	w.same(before, "an apply")
}

func TestNamedPipesAreRefused(t *testing.T) {
	t.Parallel()
	w := repository(t, files{"a": "1\n"}, files{"p": "2\n"})
	must(t, syscall.Mkfifo(w.at("p"), 0o644))
	refused(t, w.apply(), clade.FaultConflict, `"p" is neither a file`)
}

func TestLargeFile(t *testing.T) {
	t.Parallel()
	large := string(bytes.Repeat([]byte("0123456\n"), 1<<20)) // 8 MiB
	w := plain(t, files{"f": "1\n"}, files{"f": large})
	w.mustApply()
	w.holds(files{"f": large})
	w.mustUndo()
	w.holds(files{"f": "1\n"})
}
