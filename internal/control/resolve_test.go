package control

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/git/gittest"
	"github.com/cladehq/clade/internal/ledger"
)

// What a target is, of which a spec names only some files.
func TestSettleOfASelection(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	dir, err := filepath.EvalSymlinks(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	repo, plain := filepath.Join(dir, "repo"), filepath.Join(dir, "plain")
	for _, dir := range []string{repo, plain} {
		put(t, filepath.Join(dir, "src/a"), "1\n")
	}
	gittest.Person(t, repo, "init", "-q")
	gittest.Person(t, repo, "add", "-A")
	gittest.Person(t, repo, "commit", "-qm", "base")
	for _, c := range []struct {
		name   string
		in     string
		target clade.Target
		says   string // of a refusal
	}{
		{"of a repository's files", repo, clade.Target{Kind: clade.TargetDir, Only: []string{"src/", "*.md"}}, ""},
		{"of a plain folder", plain, clade.Target{Kind: clade.TargetDir, Only: []string{"src/"}}, ""},
		{"of a plain folder that was found", plain, clade.Target{Only: []string{"src/"}}, ""},
		{"of a repository", repo, clade.Target{Kind: clade.TargetGit, Only: []string{"src/"}}, "target.only is for plain folders, and the target is of kind git"},
		{"of a repository that was found", repo, clade.Target{Only: []string{"src/"}}, "of kind git"},
		{"of a file", plain, clade.Target{Path: "src/a", Only: []string{"src/"}}, "of kind file"},
		{"outside", plain, clade.Target{Kind: clade.TargetDir, Only: []string{"../x", "src", "/y"}}, `"../x" lies outside; "/y" lies outside`},
		{"of git's files", repo, clade.Target{Kind: clade.TargetDir, Only: []string{".git/hooks", ".clade", ".agents/evolutions/001-a/"}}, `".git/hooks" is never taken; ".clade" is never taken; ".agents/evolutions/001-a/" is never taken`},
		{"no pattern", plain, clade.Target{Kind: clade.TargetDir, Only: []string{"src/[a"}}, `"src/[a" is no pattern`},
	} {
		r, err := h.Settle(t.Context(), filepath.Join(c.in, "clade.yaml"), &clade.Spec{Target: c.target}, nil)
		if c.says != "" {
			if clade.FaultOf(err) != clade.FaultSpec || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		want := ledger.Source{Dir: c.in, Only: c.target.Only, Skip: []string{".clade", ".git", ".agents/evolutions"}}
		if s := r.Source; s.Dir != want.Dir || !slices.Equal(s.Only, want.Only) || !slices.Equal(s.Skip, want.Skip) || s.Gone || r.From != "" || r.Root != c.in || r.Spec.Target.Kind != clade.TargetDir {
			t.Errorf("%s: %+v", c.name, r)
		}
		if root, s := source(&r.Spec, r.Target); root != c.in || s.Dir != want.Dir || !slices.Equal(s.Only, want.Only) || !slices.Equal(s.Skip, want.Skip) || !s.Gone {
			t.Errorf("%s, when it is landed: %q, %+v", c.name, root, s)
		}
	}
}

// A preview of a selection shows what an import takes, a look at one path says
// the same, and so does a reader of one file.
func TestPreviewOfASelection(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, p := range []string{"src/a.go", "src/d/b.go", "src/d/c.txt", "lib/d.go", "main.go", ".git/e.go", ".agents/skills/f.go", ".agents/evolutions/001/g.go"} {
		put(t, filepath.Join(dir, p), "text of "+p)
	}
	for name, c := range map[string]struct {
		only []string
		want []string
		says string // of a refusal
	}{
		"paths":             {[]string{"src/", "main.go"}, []string{"main.go", "src/a.go", "src/d/b.go", "src/d/c.txt"}, ""},
		"patterns":          {[]string{"src/**/*.go", "*.go"}, []string{"main.go", "src/a.go", "src/d/b.go"}, ""},
		"a folder of clade": {[]string{".agents/"}, []string{".agents/skills/f.go"}, ""},
		"everything":        {[]string{"**"}, []string{".agents/skills/f.go", "lib/d.go", "main.go", "src/a.go", "src/d/b.go", "src/d/c.txt"}, ""},
		"what is not there": {[]string{"src/", "gone", "*.md"}, nil, `"gone" is not there; "*.md" matches no file`},
		"beside it":         {[]string{"../x"}, nil, `"../x" lies outside`},
	} {
		s := ledger.Folder(dir, c.only)
		p, err := newPreview(t.Context(), s)
		if c.says != "" {
			if err == nil || clade.FaultOf(err) == "" || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, e := range p.entries {
			got = append(got, e.Path)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
		for _, path := range below(t, dir) {
			in := slices.Contains(c.want, path)
			mode, err := lookAt(s, path)
			if in != (err == nil && mode == ledger.ModeFile) || !in && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: a look at %q gives %q, %v", name, path, mode, err)
			}
			data, err := peek(t.Context(), s, path)
			if in != (err == nil && string(data) == "text of "+path) || !in && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %q holds %q, %v", name, path, data, err)
			}
		}
		for _, folder := range []string{"src", "src/d", ".agents"} {
			above := slices.ContainsFunc(c.want, func(p string) bool { return strings.HasPrefix(p, folder+"/") })
			if mode, err := lookAt(s, folder); above && (mode != "" || err != nil) {
				t.Errorf("%s: the folder %q gives %q, %v", name, folder, mode, err)
			}
		}
	}
}
