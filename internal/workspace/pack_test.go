package workspace

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Git itself says whether a pack and its index are sound, and reads what was
// put in: contents around the sizes at which the header grows by a byte (16,
// 2,048), empty ones, and one object twice.
func TestPack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"--git-dir", filepath.Join(dir, "r")}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q", "--bare")
	w := newPackWriter()
	want := map[string]string{}
	for _, n := range []int{0, 1, 15, 16, 2047, 2048, 300_000, 16} {
		data := strings.Repeat("x", n)
		id, err := w.add("blob", []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		want[id] = data
	}
	tree, err := w.add("tree", nil)
	if err != nil {
		t.Fatal(err)
	}
	commit, err := w.add("commit", commitObject(tree))
	if err != nil {
		t.Fatal(err)
	}
	if len(w.objects) != len(want)+2 {
		t.Errorf("%d objects, want %d", len(w.objects), len(want)+2)
	}
	packs := filepath.Join(dir, "r", "objects", "pack")
	if err := w.writeTo(packs); err != nil {
		t.Fatal(err)
	}
	index, err := filepath.Glob(filepath.Join(packs, "*.idx"))
	if err != nil || len(index) != 1 {
		t.Fatal(index, err)
	}
	git("verify-pack", index[0])
	git("fsck", "--strict", commit)
	for id, data := range want {
		if got := git("cat-file", "blob", id); got != data {
			t.Errorf("%s has %d bytes, want %d", id, len(got), len(data))
		}
	}
	if got := git("cat-file", "commit", commit); got != string(commitObject(tree)) {
		t.Errorf("commit %q", got)
	}
}

func TestPackEntry(t *testing.T) {
	t.Parallel()
	// gitformat-pack(5): a blob (3) of 300 bytes is 0b1_011_1100 0b0_0010010.
	if got := packEntry(3, 300); !bytes.Equal(got, []byte{0xbc, 0x12}) {
		t.Errorf("%x", got)
	}
}
