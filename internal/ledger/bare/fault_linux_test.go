package bare_test

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
)

// F15: a full disk is an error and costs no commit; with space again, work goes
// on.
func TestF15FullDisk(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if err := syscall.Mount("clade-test", disk, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}()
	l := open(t, filepath.Join(disk, "ledger"))
	defer l.Close()
	first, err := l.Commit(t.Context(), ledger.Draft{Message: "first"})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(disk, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1500<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	ids := []string{first.Commit}
	for i := range 40 {
		m, failed := l.Commit(t.Context(), ledger.Draft{Parents: ids[len(ids)-1:], Message: "more",
			Changes: []ledger.Change{{Path: "noise", Mode: ledger.ModeFile, Data: noise(i, 40<<10)}}})
		if err = failed; err != nil {
			break
		}
		ids = append(ids, m.Commit)
	}
	if err == nil {
		err = l.Sync(t.Context())
	}
	if err == nil {
		t.Fatal("1.6 MiB of noise went onto a disk with 500 KiB left")
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := l.Sync(t.Context()); err != nil {
		t.Fatalf("with space again: %v", err)
	}
	if len(ids) < 5 {
		t.Errorf("only %d commits fitted", len(ids))
	}
	if bad, err := l.Check(t.Context(), ids); err != nil || len(bad) > 0 {
		t.Errorf("lost: %v, %v", bad, err)
	}
	if left, _ := filepath.Glob(filepath.Join(disk, "ledger/objects/pack/tmp_*")); len(left) > 1 { // the live one's
		t.Errorf("left behind: %v", left)
	}
}

// F17: a repository on a file system mounted read-only can be imported.
func TestF17ImportFromReadOnlyMount(t *testing.T) {
	t.Parallel()
	user, at := project(t), t.TempDir()
	if err := syscall.Mount(user, at, "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(at, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}()
	if err := syscall.Mount("", at, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("nothing can be mounted read-only here: %v", err)
	}
	if err := os.WriteFile(filepath.Join(at, "x"), nil, 0o600); err == nil {
		t.Fatal("the mount can be written to")
	}
	l := open(t, filepath.Join(t.TempDir(), "ledger"))
	defer l.Close()
	for _, s := range []ledger.Source{{Git: at}, {Dir: at, Skip: []string{".git"}}} {
		if _, err := l.Import(t.Context(), s); err != nil {
			t.Error(err)
		}
	}
}

// noise is n bytes that cannot be compressed.
func noise(seed, n int) []byte {
	var out []byte
	for i := 0; len(out) < n; i++ {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(seed<<32|i)))
		out = append(out, sum[:]...)
	}
	return out
}
