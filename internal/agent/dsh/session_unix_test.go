//go:build unix

package dsh

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A pipe in a log's place is not waited for.
func TestLoggedPipe(t *testing.T) {
	t.Parallel()
	config := t.TempDir()
	dir := filepath.Join(config, "sessions", "x", "session-1")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(dir, "session.jsonl.zstd"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := logged(config); got != (usage{}) {
		t.Errorf("%+v", got)
	}
}
