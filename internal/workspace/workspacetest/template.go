package workspacetest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/workspace"
)

func carriesAndSetsUp(w *world) {
	origin := w.TempDir()
	for p, data := range (files{"app/.env": "KEY=1", "app/mods/m/i.js": "mod", "app/mods/.git/config": "no", "app/.clade/x": "no",
		"app/secret": "not asked", "app/code": "changed by the user"}) {
		w.must(os.MkdirAll(filepath.Dir(filepath.Join(origin, p)), 0o755))
		w.must(os.WriteFile(filepath.Join(origin, p), []byte(data), 0o640))
	}
	w.must(os.Symlink("/etc/passwd", filepath.Join(origin, "app/mods/link")))
	base := w.commit("", files{"app/code": "1", "app/gen": "g", "app/gone": "x", "other": "o"})
	spec := workspace.TemplateSpec{
		Commit: base, Prefix: "app", Origin: origin, Carry: []string{"**/.env", "mods", "code", ".clade/*", "absent/**"},
		Setup: &clade.Command{Run: `test "$FROM" = spec && cat .env && echo built >gen && rm gone && echo 1 >out.txt && mkdir cache &&
			echo c >cache/c && mkdir -p "$GOCACHE" && echo warm >"$GOCACHE/w" && pwd >where &&
			echo 1 >"../$(printf 'F37\377')"`, Env: map[string]string{"FROM": "spec"}},
	}
	t := w.template(spec)
	space := w.space(t, workspace.Plan{Commit: base, Git: true})
	script := `test "$(cat app/where)" = "$PWD/app" && echo same; cat "$HOME/.cache/go-build/w" app/.env app/mods/m/i.js app/gen app/out.txt; ls -A app app/mods; readlink app/mods/link`
	w.in(space, script, func(s workspace.Scope, out string) {
		out, same := strings.CutPrefix(out, "same\n")
		if !same && w.Sandbox.Mounts() { // elsewhere it is not promised
			w.Error("commands find the tree at another path than setup did")
		}
		want := "warm\nKEY=1modbuilt\n1\napp:\n.env\ncache\ncode\ngen\nmods\nout.txt\nwhere\n\napp/mods:\nlink\nm\n/etc/passwd\n"
		if out != want {
			w.Errorf("read %q\nwant %q", out, want)
		}
		w.expect(s)
	})
	w.in(space, `cd app; echo x >>out.txt; echo 1 >cache/new; rm -r mods; printf 1 >code; echo built >gen; echo x >"$HOME/.cache/go-build/w"`,
		func(s workspace.Scope, _ string) { w.expect(s) })
	w.in(space, `cd app; echo agent >gen; printf x >gone; echo n >new`, func(s workspace.Scope, _ string) {
		w.expect(s, "app/gen 100644 agent\n", "app/new 100644 n\n")
	})
	w.in(space, `rm app/gen`, func(s workspace.Scope, _ string) { w.expect(s, "app/gen gone") })

	child := w.commit(base, files{"app/gen": "child's", "app/cache/mine": "m"}, "other")
	space = w.space(t, workspace.Plan{Commit: child})
	w.in(space, "cat app/gen app/cache/c app/cache/mine; test ! -e other", func(s workspace.Scope, out string) {
		if out != "child'sc\nm" {
			w.Errorf("read %q", out)
		}
		w.expect(s)
	})
	w.in(space, "echo built >app/gen; rm app/cache/mine", func(s workspace.Scope, _ string) {
		w.expect(s, "app/cache/mine gone", "app/gen 100644 built\n")
	})
}

func reportsSetupFailure(w *world) {
	base := w.commit("", files{"a": "a"})
	spec := workspace.TemplateSpec{Commit: base, Setup: &clade.Command{Run: "echo no such package >&2; exit 7"}}
	_, err := w.provider.Template(w.ctx, spec)
	if !errors.Is(err, workspace.ErrSetup) || !strings.Contains(err.Error(), "exit 7") || !strings.Contains(err.Error(), "no such package") {
		w.Errorf("failing setup: %v", err)
	}
	spec.Setup = &clade.Command{Run: "echo ok >built"}
	w.template(spec)
	for _, glob := range []string{"../up", "/etc/*", "[", "a/../../b"} {
		_, err := w.provider.Template(w.ctx, workspace.TemplateSpec{Commit: base, Origin: w.TempDir(), Carry: []string{glob}})
		if !errors.Is(err, workspace.ErrSetup) {
			w.Errorf("carry %q: %v", glob, err)
		}
	}
}

func keysTemplates(w *world) {
	origin := w.TempDir()
	put := func(p, data string) { w.must(os.WriteFile(filepath.Join(origin, p), []byte(data), 0o644)) }
	put("c", "one")
	put("lock", "1")
	spec := workspace.TemplateSpec{Commit: w.commit("", files{"a": "a"}), Origin: origin, Carry: []string{"c"}, Lock: []string{"lock"}}
	seen := map[string]string{}
	add := func(what string) {
		w.Helper()
		key := w.template(spec).Key()
		if was, ok := seen[key]; ok {
			w.Errorf("%s: the key is that of %s", what, was)
		}
		seen[key] = what
	}
	add("first")
	if _, ok := seen[w.template(spec).Key()]; !ok {
		w.Error("the same again has another key")
	}
	put("c", "two") // same size
	add("carried content")
	put("lock", "2")
	add("lock")
	spec.Commit = w.commit("", files{"a": "b"})
	add("base")
	spec.Setup = &clade.Command{Run: "true"}
	add("setup")
	spec.Setup = &clade.Command{Run: "true", Env: map[string]string{"A": "1"}}
	add("setup's environment")
	w.must(os.Chmod(filepath.Join(origin, "c"), 0o755))
	add("carried mode")
}

func buildsOnce(w *world) {
	spec := workspace.TemplateSpec{Commit: w.commit("", files{"a": "a"}), Setup: &clade.Command{Run: "echo 1 >s"}}
	var mu sync.Mutex
	built := 0
	spec.Progress = func(what string) {
		mu.Lock()
		defer mu.Unlock()
		if what == "running setup" {
			built++
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		p := w.open()
		for range 2 {
			wg.Go(func() {
				if _, err := p.Template(w.ctx, spec); err != nil {
					w.Error(err)
				}
			})
		}
	}
	wg.Wait()
	if built != 1 {
		w.Errorf("setup ran %d times", built)
	}
}

// buildsAnewWhatWasHalfMade kills a template's making half way, by hand.
func buildsAnewWhatWasHalfMade(w *world) {
	base := w.commit("", files{"a": "a", "b/c": "c"})
	key := w.template(workspace.TemplateSpec{Commit: base}).Key() // does not depend on the cache folder
	v := newWorld(w.T, func(testing.TB) Parts {
		p := w.makes(w)
		for _, d := range []string{key, ".tmp-" + key} {
			tree := filepath.Join(p.Dir, "templates", d, "tree")
			w.must(os.MkdirAll(tree, 0o755))
			w.must(os.WriteFile(filepath.Join(tree, "half"), nil, 0o644))
		}
		return p
	})
	if again := v.commit("", files{"a": "a", "b/c": "c"}); again != base {
		w.Fatalf("the same base is %s and %s", base, again)
	}
	space := v.space(v.template(workspace.TemplateSpec{Commit: base}), workspace.Plan{Commit: base})
	v.in(space, "true", func(s workspace.Scope, _ string) {
		v.tree(s, "a", "b/c")
		v.expect(s)
	})
}
