package control

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/git/gittest"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/ledger/bare"
	"github.com/cladehq/clade/internal/sandbox"
)

// H6: held-out cases of a target are nowhere else on the machine for commands to
// see, whichever part of whichever work tree it is.
func TestPrivate(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(p string) string { return filepath.Join(dir, filepath.FromSlash(p)) }
	gittest.Put(t, at("main/skill/c.jsonl"), "{}\n")
	gittest.Person(t, dir, "init", "-q", "main")
	gittest.Person(t, at("main"), "add", "-A")
	gittest.Person(t, at("main"), "commit", "-qm", "first")
	gittest.Person(t, at("main"), "worktree", "add", "-q", at("linked"))
	gittest.Put(t, at("plain/c.jsonl"), "{}\n")
	c := New(Parts{State: at("states"), Cache: at("cache")})
	for _, tt := range []struct {
		name, where string
		kind        clade.TargetKind
		hides       []string
		not         []string
	}{
		{"a part of a repository", "main/skill", clade.TargetGit, []string{"main", "main/.git", "main/.clade", "linked"}, nil},
		{"a linked work tree", "linked", clade.TargetGit, []string{"linked", "main", "main/.git", "main/.clade"}, nil},
		{"a plain folder in a repository", "linked/skill", clade.TargetDir, []string{"linked/skill", "main/.git", "main/skill"}, []string{"main", "linked"}},
		{"a file in a repository", "main/skill/c.jsonl", clade.TargetFile, []string{"main/.git", "main/skill/c.jsonl", "linked/skill/c.jsonl"}, []string{"main/skill"}},
		{"a plain folder", "plain", clade.TargetDir, []string{"plain", "states", "cache", "state"}, []string{"main"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := c.private(at("state"), at(tt.where), tt.kind)
			for _, p := range tt.hides {
				if !slices.Contains(got, at(p)) {
					t.Errorf("%s can be seen: %q", p, got)
				}
			}
			for _, p := range tt.not {
				if slices.Contains(got, at(p)) {
					t.Errorf("%s cannot be seen", p)
				}
			}
		})
	}
}

// What everybody needs stays, though a repository is kept there.
func TestEverybodys(t *testing.T) {
	t.Parallel()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip(err)
	}
	for dir, want := range map[string]bool{"/": true, "/etc": true, "/opt/x": false, home: true, filepath.Dir(home): true, filepath.Join(home, "code"): false} {
		if got := everybodys(dir); got != want {
			t.Errorf("%s: %v", dir, got)
		}
	}
}

// H6: a launch asks for a sandbox that sees none of it.
func TestLaunchHides(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.run("skill-aaaaa", "main/skill", 1)
	gittest.Person(t, filepath.Join(h.dir, "main"), "init", "-q")
	var hide []string
	stop := errors.New("that is all")
	h.Parts.Ledger = func(ctx context.Context, dir string) (ledger.Ledger, error) { return bare.Open(ctx, dir) }
	h.Parts.Sandbox = func(_ context.Context, _ *clade.Spec, h []string) (sandbox.Sandbox, error) {
		hide = h
		return nil, stop
	}
	if err := r.Launch(t.Context(), Launch{}); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	if want := filepath.Join(h.dir, "main", ".git"); !slices.Contains(hide, want) || !slices.Contains(hide, filepath.Join(h.dir, "main", "skill")) {
		t.Errorf("%q does not hold %s", hide, want)
	}
}
