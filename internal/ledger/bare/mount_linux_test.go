package bare_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cladehq/clade/internal/git/gittest"
	"github.com/cladehq/clade/internal/ledger"
)

// A ledger and what is packed of it lie on different mounts.
func TestF54PackAcrossMounts(t *testing.T) {
	t.Parallel()
	l := open(t, filepath.Join(t.TempDir(), "ledger"))
	defer l.Close()
	base, err := l.Import(t.Context(), ledger.Source{Git: project(t)})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(elsewhere(t), "pack")
	if err := l.Pack(t.Context(), base.Commit, dir); err != nil {
		t.Fatal(err)
	}
	gittest.Person(t, dir, "fsck", "--strict")
	if left, err := filepath.Glob(filepath.Join(dir, "objects", "pack", "tmp_*")); len(left) > 0 || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
}

// elsewhere is an empty folder on another mount than the machine's folder for
// temporary files: one that the test mounts if it may, else one in /dev/shm.
func elsewhere(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "size=16m") == nil {
		t.Cleanup(func() {
			if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
		return dir
	}
	var here, there unix.Stat_t
	if unix.Stat(dir, &here) != nil || unix.Stat("/dev/shm", &there) != nil || here.Dev == there.Dev {
		t.Skip("left out: nothing may be mounted, and /dev/shm is no other file system")
	}
	dir, err := os.MkdirTemp("/dev/shm", "clade-test-")
	if err != nil {
		t.Skip("left out: nothing may be mounted or written to /dev/shm:", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
