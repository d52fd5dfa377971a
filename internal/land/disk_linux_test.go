package land_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cladehq/clade"
)

// mounted mounts a small file system over a folder of the target.
func mounted(t *testing.T, dir, options string, flags uintptr) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	if err := syscall.Mount("clade-test", dir, "tmpfs", flags, options); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
}

// F17: a file system that cannot be written is refused up front.
func TestReadOnlyFileSystemF17(t *testing.T) {
	t.Parallel()
	w := empty(t, clade.TargetDir)
	mounted(t, w.at("ro"), "size=1m", 0)
	w.put(files{"a": "1\n", "ro/f": "1\n"})
	w.run(source(w), files{"a": "2\n", "ro/f": "2\n"})
	must(t, syscall.Mount("clade-test", w.at("ro"), "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	before := w.image()
	p, err := w.Preview(t.Context(), candidate)
	must(t, err)
	refused(t, p.Problem(), clade.FaultEnvironment, `"ro/f"`, "cannot be written")
	w.same(before, "a preview")
}

// F15: a disk that fills up while the new content is written costs nothing; with
// space again the same apply works.
func TestFullDiskF15(t *testing.T) {
	t.Parallel()
	w := empty(t, clade.TargetDir)
	mounted(t, w.at("small"), "size=256k", 0)
	big := strings.Repeat("n", 100<<10)
	w.put(files{"a": "1\n", "small/f": "1\n", "small/ballast": strings.Repeat("b", 100<<10)})
	w.run(source(w), files{"a": "2\n", "small/e": big, "small/f": big, "small/g/new": "1\n"})
	before := w.image()
	err := w.apply()
	refused(t, err, clade.FaultEnvironment, "no space left")
	w.same(before, "an apply onto a full disk")
	must(t, os.Remove(w.at("small/ballast")))
	w.mustApply()
	w.holds(files{"a": "2\n", "small/e": big, "small/f": big, "small/g/new": "1\n"})
}

// F15: where the bytes before cannot be kept nothing is written.
func TestFullStateDiskF15(t *testing.T) {
	t.Parallel()
	w := empty(t, clade.TargetDir)
	state := filepath.Dir(w.Patch)
	mounted(t, state, "size=4m", 0)
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(i * i >> 7 * 31)
	}
	w.put(files{"a": "1\n"})
	w.run(source(w), files{"a": "2\n"})
	w.put(files{"mine": string(noise)})
	before := w.image()
	ballast := filepath.Join(state, "ballast")
	f, err := os.Create(ballast)
	must(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4<<10))
	}
	must(t, f.Close())
	refused(t, w.apply(), clade.FaultEnvironment)
	w.same(before, "an apply without room for its state")
	must(t, os.Remove(ballast))
	w.mustApply()
	w.holds(files{"a": "2\n"})
}
