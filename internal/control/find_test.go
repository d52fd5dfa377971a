package control

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.run("disc-aaaaa", "one", 1)
	h.run("disc-aabbb", "one", 2)
	h.run("sort-ccccc", "two", 3)
	h.run("disc", "three/deep", 4)
	h.run("list-ddddd", "disc-a", 5)
	for name, text := range map[string]string{"two/clade.yaml": "version: 1\n", "else/f": ""} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(h.dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, run, here string
		want            string
		fault           clade.Fault
		says            string
	}{
		{name: "the whole name", run: "disc-aaaaa", want: "disc-aaaaa"},
		{name: "its beginning", run: "so", want: "sort-ccccc"},
		{name: "a whole name that others begin with", run: "disc", want: "disc"},
		{name: "the beginning of two", run: "disc-aa", fault: clade.FaultUsage, says: `"disc-aa" could be disc-aabbb, disc-aaaaa`},
		{name: "no run", run: "ever", fault: clade.FaultNotFound, says: `no run is called "ever"`},
		{name: "the newest of the folder", here: "one", want: "disc-aabbb"},
		{name: "the newest of the folder above", here: "two/sub", want: "sort-ccccc"},
		{name: "the only one below", here: "three", want: "disc"},
		{name: "several below", here: ".", fault: clade.FaultUsage, says: "several targets"},
		{name: "a folder", run: ".", here: "one", want: "disc-aabbb"},
		{name: "a folder from elsewhere", run: "../two", here: "one", want: "sort-ccccc"},
		{name: "a folder by its whole path", run: filepath.Join(h.dir, "two"), want: "sort-ccccc"},
		{name: "a file of a target", run: "two/clade.yaml", here: ".", want: "sort-ccccc"},
		{name: "a folder that several runs are called after", run: "disc-a", here: ".", want: "list-ddddd"},
		{name: "a folder without a run", run: "else", here: ".", fault: clade.FaultNotFound, says: "there is no run of"},
		{name: "a folder that is not there", run: "./gone", here: ".", fault: clade.FaultNotFound, says: `no run is called "./gone"`},
		{name: "elsewhere", here: "else", fault: clade.FaultNotFound, says: "there is no run of"},
	} {
		here := ""
		if c.here != "" {
			here = filepath.Join(h.dir, c.here)
		}
		r, err := h.Open(t.Context(), c.run, here)
		if c.fault != "" {
			if clade.FaultOf(err) != c.fault || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || r.Name != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
			continue
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenWithoutRuns(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if _, err := h.Open(t.Context(), "", h.dir); clade.FaultOf(err) != clade.FaultNotFound || !strings.Contains(err.Error(), "no run yet") {
		t.Errorf("%v", err)
	}
}

// A run whose process died before it told the index is found where it is kept,
// by name from then on.
func TestAdopt(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.run("disc-aaaaa", "one", 0)
	if _, err := h.Open(t.Context(), "disc", ""); clade.FaultOf(err) != clade.FaultNotFound {
		t.Fatalf("known already: %v", err)
	}
	for _, here := range []string{"one/sub", ""} {
		at := ""
		if here != "" {
			at = filepath.Join(h.dir, here)
		}
		r, err := h.Open(t.Context(), "disc", at)
		if err != nil {
			t.Fatalf("from %q: %v", here, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A target that was moved takes its run along; its old place is forgotten.
func TestMovedTarget(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if err := h.run("disc-aaaaa", "one", 1).Close(); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(h.dir, "moved")
	if err := os.Rename(filepath.Join(h.dir, "one"), to); err != nil {
		t.Fatal(err)
	}
	r, err := h.Open(t.Context(), "", to)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // the test is over
	if err := r.View(t.Context(), func(v clade.View) error {
		if r.Where(v) != to {
			t.Errorf("it is in %s", r.Where(v))
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	all, err := h.Find(t.Context(), "")
	if err != nil || len(all) != 1 || all[0].Where != to {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	all := []Located{{Run: "r", Where: "/original"}, {Run: "r", Where: "/copy"}}
	for here, want := range map[string]string{"/copy/sub": "/copy", "/copy": "/copy", "/original/x": "/original", "/copying": "/original", "/": "/original"} {
		if got := nearest(slices.Clone(all), filepath.FromSlash(here)); got.Where != want {
			t.Errorf("from %s it is %s, want %s", here, got.Where, want)
		}
	}
}

func TestNewName(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"/a/disc":                               "disc",
		"/a/My Prompt (2).md":                   "my-prompt-2",
		"/a/Ünïcode":                            "n-code",
		"/a/日本":                                 "run",
		"/":                                     "run",
		"/a/a-very-long-name-that-goes-on-for-": "a-very-long-name-that-go",
		"/a/exactly-twenty-three-c-x":           "exactly-twenty-three-c-x",
		"/a/exactly-twenty-three-xx-yy":         "exactly-twenty-three-xx",
	} {
		got := newName(target)
		name, random := got[:max(0, len(got)-6)], got[max(0, len(got)-6):]
		if name != want || random[0] != '-' || strings.Trim(random[1:], "abcdefghijklmnopqrstuvwxyz234567") != "" {
			t.Errorf("a run of %s is called %s, want %s and five letters", target, got, want)
		}
	}
}
