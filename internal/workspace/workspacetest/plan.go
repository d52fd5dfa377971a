package workspacetest

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/workspace"
)

func guardsFrozenFiles(w *world) {
	base := w.commit("", files{"code": "1", "tests/t": "honest", "tests/u": "u", "conf": "c", "data/d": "d"})
	evil := w.commit(base, files{"code": "2", "tests/t": "always passes", "conf/in": "a folder", "data": "a file", "tests/conftest.py": "evil"},
		"tests/u", "conf", "data/d")
	entries, err := w.Ledger.List(w.ctx, base)
	w.must(err)
	frozen := slices.DeleteFunc(slices.Clone(entries), func(e ledger.Entry) bool { return e.Path == "code" })
	space := w.space(w.template(workspace.TemplateSpec{Commit: base}),
		workspace.Plan{Commit: evil, Frozen: frozen, Removed: []string{"tests/conftest.py", "never/was"}})
	w.in(space, "cat code tests/t tests/u conf data/d", func(s workspace.Scope, out string) {
		if out != "2honestucd" {
			w.Errorf("read %q", out)
		}
		w.tree(s, "code", "tests/t", "tests/u", "conf", "data/d")
		w.expect(s)
	})
}

func masksHiddenFiles(w *world) {
	base := w.commit("", files{"code": "1", "data/held.jsonl": "SECRET-HELD-OUT", "data/seen": "s", "more/held": "SECRET-HELD-OUT"})
	space := w.space(w.template(workspace.TemplateSpec{Commit: base}),
		workspace.Plan{Commit: base, Git: true, Hidden: []string{"data/held.jsonl", "more", "absent"}})
	w.in(space, `cat data/seen; cat data/held.jsonl more/held 2>/dev/null; ls more 2>/dev/null; git log -p --all | cat; git status --short
		git cat-file --batch-check --batch-all-objects --unordered | while read id type rest; do git cat-file "$type" "$id"; done`,
		func(s workspace.Scope, out string) {
			if strings.Contains(out, "SECRET") {
				w.Errorf("a hidden file can be read: %q", out)
			}
			if !strings.HasPrefix(out, "s") {
				w.Errorf("the rest cannot: %q", out)
			}
			if _, err := s.ReadFile("data/held.jsonl", 100); !errors.Is(err, fs.ErrNotExist) {
				w.Errorf("ReadFile of a hidden file: %v", err)
			}
			w.expect(s)
		})
}

func putsFixtures(w *world) {
	base := w.commit("", files{"code": "1", "in": "i"})
	space := w.space(w.template(workspace.TemplateSpec{Commit: base}),
		workspace.Plan{Commit: base, Fixtures: map[string][]byte{"case/input": []byte("in"), "in": []byte("other"), "none": nil}})
	w.in(space, "cat case/input in none; echo more >>case/input; echo more >>in", func(s workspace.Scope, out string) {
		if out != "inother" {
			w.Errorf("read %q", out)
		}
		w.expect(s)
	})
}
