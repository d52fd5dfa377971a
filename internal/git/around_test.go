package git_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/git/gittest"
)

// H6: whatever kind of repository a target lies in, all of its content is known.
func TestAround(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(p string) string { return filepath.Join(dir, filepath.FromSlash(p)) }
	gittest.Put(t, at("main/skill/SKILL.md"), "1\n")
	gittest.Person(t, dir, "init", "-q", "main")
	gittest.Person(t, at("main"), "add", "-A")
	gittest.Person(t, at("main"), "commit", "-qm", "first")
	gittest.Person(t, at("main"), "worktree", "add", "-q", at("linked"))
	gittest.Person(t, dir, "clone", "-q", "--shared", "main", "shared")
	gittest.Person(t, dir, "clone", "-q", "--bare", "main", "bare.git")
	gittest.Person(t, dir, "clone", "-q", at("bare.git"), "cloned")
	gittest.Person(t, at("main"), "bundle", "create", "-q", at("all.bundle"), "HEAD")
	gittest.Person(t, dir, "clone", "-q", at("all.bundle"), "bundled")
	gittest.Person(t, dir, "init", "-q", "super")
	gittest.Person(t, at("super"), "-c", "protocol.file.allow=always", "submodule", "add", "-q", at("bare.git"), "sub")
	gittest.Person(t, dir, "init", "-q", "--separate-git-dir", at("apart.git"), "apart")
	if err := os.Symlink(at("main/skill"), at("link")); err != nil {
		t.Fatal(err)
	}
	gittest.Put(t, at("none/file"), "1\n")

	for _, tt := range []struct {
		of, top, prefix string
		others, stores  []string
	}{
		{"main", "main", "", []string{"linked"}, []string{"main/.git"}},
		{"main/skill", "main", "skill", []string{"linked"}, []string{"main/.git"}},
		{"link", "main", "skill", []string{"linked"}, []string{"main/.git"}},
		{"linked/skill", "linked", "skill", []string{"main"}, []string{"main/.git"}},
		{"shared", "shared", "", []string{"linked", "main"}, []string{"main/.git", "shared/.git"}},
		{"cloned", "cloned", "", []string{"linked", "main"}, []string{"bare.git", "cloned/.git", "main/.git"}},
		{"bundled", "bundled", "", nil, []string{"all.bundle", "bundled/.git"}},
		{"super/sub", "super/sub", "", []string{"linked", "main"}, []string{"bare.git", "main/.git", "super/.git/modules/sub"}},
		{"apart", "apart", "", nil, []string{"apart.git"}},
	} {
		t.Run(tt.of, func(t *testing.T) {
			t.Parallel()
			s := git.Around(at(tt.of))
			slices.Sort(s.Others)
			slices.Sort(s.Stores)
			same := func(what string, got, want []string) {
				for i, w := range want {
					want[i] = at(w)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: %q, want %q", what, got, want)
				}
			}
			if s.Top != at(tt.top) || s.Prefix != tt.prefix {
				t.Errorf("lies at %q in %s", s.Prefix, s.Top)
			}
			same("other work trees", s.Others, tt.others)
			same("stores", s.Stores, tt.stores)
		})
	}
	// The machine's temporary folder may itself lie in a repository.
	if s := git.Around(at("none")); s.Top != "" && len(s.Top) >= len(dir) {
		t.Errorf("no repository has %+v", s)
	}
}
