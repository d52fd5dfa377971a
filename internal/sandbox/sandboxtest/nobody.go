package sandboxtest

import (
	"cmp"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cladehq/clade/internal/proc"
)

// AsNobody runs the tests of this program that match a pattern once more, as a
// user without any power, when this is root.
func AsNobody(t *testing.T, pattern string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("this is nobody in particular already")
	}
	dir, err := os.MkdirTemp("", "nobody-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	own := filepath.Join(dir, "own")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	const nobody = 61234 // has no processes and no files
	if err := os.Chown(own, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copyOfSelf(t, dir), "-test.run="+pattern)
	cmd.Dir, cmd.SysProcAttr = own, as(nobody)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + own, "TMPDIR=" + own}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
}

// copyOfSelf is this program where everyone may execute it.
func copyOfSelf(t *testing.T, dir string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := filepath.Join(dir, "test")
	if err := proc.Unforked(func() error { return copyProgram(exe, p) }); err != nil {
		t.Fatal(err)
	}
	return p
}

func copyProgram(exe, p string) error {
	from, err := os.Open(exe)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	to, err := os.OpenFile(p, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return cmp.Or(err, to.Close())
}
