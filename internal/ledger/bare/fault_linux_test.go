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
	second, err := l.Commit(t.Context(), ledger.Draft{Parents: []string{first.Commit}, Message: "second",
		Changes: []ledger.Change{{Path: "noise", Mode: ledger.ModeFile, Data: noise(700 << 10)}}})
	if err == nil {
		err = l.Sync(t.Context())
	}
	if err == nil {
		t.Fatal("700 KiB of noise went onto a disk with 500 KiB left")
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if second.Commit == "" {
		t.Skip("the disk was full before there was a commit to keep")
	}
	if err := l.Sync(t.Context()); err != nil {
		t.Fatalf("with space again: %v", err)
	}
	if bad, err := l.Check(t.Context(), []string{first.Commit, second.Commit}); err != nil || len(bad) > 0 {
		t.Errorf("lost: %v, %v", bad, err)
	}
	if left, _ := filepath.Glob(filepath.Join(disk, "ledger/objects/pack/tmp_*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// noise cannot be compressed.
func noise(n int) []byte {
	var out []byte
	for i := uint64(0); len(out) < n; i++ {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, i))
		out = append(out, sum[:]...)
	}
	return out
}
