package atomicfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/cladehq/clade/internal/atomicfile"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		old  []byte // nil: no file
		data []byte
		perm os.FileMode
	}{
		"new file":          {nil, []byte("a"), 0o644},
		"replaces":          {[]byte("a long old content"), []byte("new"), 0o600},
		"empty":             {[]byte("x"), nil, 0o644},
		"executable":        {nil, []byte("#!/bin/sh\n"), 0o755},
		"bytes, not text":   {nil, []byte{0xff, 0, 0xfe}, 0o644},
		"wider than umask ": {nil, []byte("x"), 0o666},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			if c.old != nil {
				if err := os.WriteFile(path, c.old, 0o640); err != nil {
					t.Fatal(err)
				}
			}
			if err := atomicfile.Write(path, c.data, c.perm); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(got, c.data) {
				t.Errorf("content %q, %v; want %q", got, err, c.data)
			}
			if info, _ := os.Stat(path); runtime.GOOS != "windows" && info.Mode().Perm() != c.perm {
				t.Errorf("mode %v, want %v", info.Mode().Perm(), c.perm)
			}
			if names := list(t, dir); len(names) != 1 {
				t.Errorf("left behind: %v", names)
			}
		})
	}
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestAFailedWriteLeavesEverythingAsItWas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(path, "child"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, []byte("x"), 0o644); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("writing over a folder: %v; want an error that names it", err)
	}
	if err := atomicfile.Write(filepath.Join(dir, "none", "f"), nil, 0o644); err == nil {
		t.Error("writing into a missing folder succeeded")
	}
	if names := list(t, dir); len(names) != 1 || names[0] != "folder" {
		t.Errorf("left behind: %v", names)
	}
}

func TestALinkIsReplacedNotFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	outside, path := filepath.Join(dir, "outside"), filepath.Join(dir, "link")
	if err := os.WriteFile(outside, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, path); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := atomicfile.Write(path, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(outside); string(got) != "kept" {
		t.Errorf("the link's target became %q", got)
	}
}

// F24: a reader never sees half a file.
func TestReadersSeeOldOrNew(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	contents := [][]byte{bytes.Repeat([]byte("a"), 1<<16), bytes.Repeat([]byte("b"), 1<<17)}
	if err := atomicfile.Write(path, contents[0], 0o644); err != nil {
		t.Fatal(err)
	}
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := range 20 {
			if err := atomicfile.Write(path, contents[i%2], 0o644); err != nil {
				t.Error(err)
			}
		}
	})
	for range 200 {
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, contents[0]) && !bytes.Equal(got, contents[1]) {
			t.Fatalf("read %d bytes, %v: neither the old content nor the new", len(got), err)
		}
	}
	writer.Wait()
}

func TestWritable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	root := os.Geteuid() == 0 // may write everywhere
	for name, c := range map[string]struct {
		dir  string
		want bool
	}{
		"own":    {dir, true},
		"closed": {closed, root || runtime.GOOS == "windows"},
		"gone":   {filepath.Join(dir, "none"), false},
	} {
		if got := atomicfile.Writable(c.dir); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
