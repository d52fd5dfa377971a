package control

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/git/gittest"
	"github.com/cladehq/clade/internal/propose"
)

// F56: files under LFS are frozen and named, whether LFS is installed or not;
// others are not.
func TestF56PointersAreFrozen(t *testing.T) {
	t.Parallel()
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n"
	dir := t.TempDir()
	gittest.Person(t, dir, "init", "-q")
	gittest.Put(t, filepath.Join(dir, ".gitattributes"), "*.bin filter=lfs -text\nplain.bin !filter\n")
	for _, name := range []string{"part/a.bin", "part/sub/b[1].bin", "part/plain.bin", "part/c.txt", "other.bin"} {
		gittest.Put(t, filepath.Join(dir, name), pointer)
	}
	gittest.Person(t, dir, "add", "-A")
	gittest.Person(t, dir, "commit", "-qm", "first")
	g, err := git.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	facts, err := g.Discover(t.Context(), filepath.Join(dir, "part"))
	if err != nil {
		t.Fatal(err)
	}
	r := &Resolved{File: "clade.yaml", Spec: clade.Spec{Target: clade.Target{}}}
	if err := r.locateGit(t.Context(), facts.Repo(g), facts); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"part/a.bin": false, "part/sub/b[1].bin": false, "part/plain.bin": true, "part/c.txt": true} {
		if got := propose.Editable(&r.Spec, name); got != want {
			t.Errorf("%s: editable %t, want %t; frozen %q", name, got, want, r.Spec.Frozen)
		}
	}
	if len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0].Text, "2 files that could be edited are under Git LFS") ||
		!strings.HasSuffix(r.Warnings[0].Text, `: "a.bin", "sub/b[1].bin"`) {
		t.Errorf("warnings %v", r.Warnings)
	}
	if c, ok := CheckLFS(t.Context(), filepath.Join(dir, "part")); !ok || c.State != "note" || !strings.HasPrefix(c.Text, "3 files of this repository under Git LFS") {
		t.Errorf("doctor: %+v", c)
	}
	if c, ok := CheckLFS(t.Context(), t.TempDir()); ok {
		t.Errorf("doctor, of no repository: %+v", c)
	}
	if p := idleProblem(r, 0).(*clade.Problem); !strings.HasPrefix(p.Hint, "2 files that allow names under Git LFS") {
		t.Errorf("nothing to edit: %s", p.Hint)
	}
}

// Many files are frozen by their endings, where no other file has one.
func TestPatternsOfPointers(t *testing.T) {
	t.Parallel()
	all, kept := []string{"a.txt"}, []string{"b.txt", "none"}
	for i := range manyPointers {
		kept = append(kept, fmt.Sprintf("d/%d.bin", i))
	}
	if got, want := patterns(kept, append(all, kept...)), []string{"**/*.bin", "b.txt", "none"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := patterns([]string{"x.bin"}, nil), []string{"x.bin"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A spec that is too large is most likely another file.
func TestSpecTooLarge(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "clade.yaml")
	gittest.Put(t, file, strings.Repeat("#", maxSpec+1))
	var p *clade.Problem
	if _, _, err := readSpec(file); !errors.As(err, &p) || p.Fault != clade.FaultSpec || !strings.HasPrefix(p.Hint, "is it the right file?") {
		t.Errorf("%+v", p)
	}
}
