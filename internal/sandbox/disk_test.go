package sandbox_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/cladehq/clade/internal/sandbox"
)

// F14: what folders hold together counts, content and files.
func TestWatchDisk(t *testing.T) {
	t.Parallel()
	for name, fill := range map[string]func(a, b string) error{
		"one file": func(a, _ string) error { return os.WriteFile(filepath.Join(a, "f"), make([]byte, 300<<10), 0o600) },
		"together": func(a, b string) error {
			if err := os.WriteFile(filepath.Join(a, "f"), make([]byte, 150<<10), 0o600); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(b, "f"), make([]byte, 150<<10), 0o600)
		},
		"many empty files": func(_, b string) error {
			for i := range 1000 {
				if err := os.WriteFile(filepath.Join(b, strconv.Itoa(i)), nil, 0o600); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := t.TempDir(), t.TempDir()
			over := make(chan struct{})
			w := sandbox.WatchDisk([]string{a, b, "/no/such/folder"}, 200<<10, func() { close(over) })
			if err := fill(a, b); err != nil {
				t.Fatal(err)
			}
			<-over
			if !w.Stop() {
				t.Error("what was over is not told")
			}
		})
	}
	if sandbox.WatchDisk([]string{t.TempDir()}, 0, nil).Stop() || sandbox.WatchDisk([]string{t.TempDir()}, 1<<20, nil).Stop() {
		t.Error("over without a limit, or below it")
	}
}
