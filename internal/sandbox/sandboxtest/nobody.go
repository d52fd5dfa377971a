package sandboxtest

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
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
	from, err := os.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	p := filepath.Join(dir, "test")
	to, err := os.OpenFile(p, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return p
}
