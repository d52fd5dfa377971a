package workspacetest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cladehq/clade/internal/workspace"
)

func scopesAreFresh(w *world) {
	space, _ := w.plain(files{"a": "a", "d/b": "b"})
	spoil := `echo x >>a; rm -r d; echo n >new; mkdir ro; echo 1 >ro/f; chmod 500 ro
		echo h >"$HOME/h"; echo t >"$TMPDIR/t"; echo .git >.x; mkdir .git; echo evil >.git/config`
	w.in(space, spoil, nil)
	w.in(space, `test ! -e "$HOME/h" && test ! -e "$TMPDIR/t" && test ! -e .git && cat a d/b`, func(s workspace.Scope, out string) {
		if out != "ab" {
			w.Errorf("the second scope reads %q", out)
		}
		w.tree(s, "a", "d/b")
		w.expect(s)
		// Commands of one scope do see each other.
		w.run(s, "d", "echo 1 >c")
		w.run(s, "", "test -e d/c")
		w.expect(s, "d/c 100644 1\n")
	})
}

func readsFiles(w *world) {
	outside := filepath.Join(w.TempDir(), "secret")
	w.must(os.WriteFile(outside, []byte("secret"), 0o644))
	space, _ := w.plain(files{"a": "base", "d/f": "f", "gone": "x", "ld@": "d", "e/deep": "x"})
	script := fmt.Sprintf(`echo new >n; rm gone; rm -r e; mkdir e; ln -s n ln; ln -s %s abs; ln -s %s up; mkfifo p; mkdir dir; truncate -s 1T huge; printf 12345 >five; ln -s loop loop`,
		outside, filepath.Dir(outside))
	w.in(space, script, func(s workspace.Scope, _ string) {
		for p, want := range map[string]string{"a": "base", "d/f": "f", "n": "new\n", "five": "12345"} {
			if got, err := s.ReadFile(p, 5); err != nil || string(got) != want {
				w.Errorf("%q: %q, %v", p, got, err)
			}
		}
		for _, p := range []string{"gone", "absent", "e/deep", "a/under"} {
			if _, err := s.ReadFile(p, 5); !errors.Is(err, fs.ErrNotExist) {
				w.Errorf("%q: %v", p, err)
			}
		}
		for _, p := range []string{"ln", "abs", "up/secret", "p", "dir", "huge", "loop", "ld/f", "../a", "/etc/passwd", "", "d/../a"} {
			if got, err := s.ReadFile(p, 100); err == nil {
				w.Errorf("%q was read: %q", p, got)
			}
		}
		if _, err := s.ReadFile("five", 4); !errors.Is(err, workspace.ErrTooLarge) {
			w.Errorf("five bytes of at most four: %v", err)
		}
	})
}
