package workspacetest

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/workspace"
)

// kept is a folder outside of the cache that holds a commit's tree.
func (w *world) kept(t workspace.Template, p workspace.Plan) string {
	w.Helper()
	dir := filepath.Join(w.TempDir(), "variants", "v1", "workspace")
	w.must(w.provider.Keep(w.ctx, t, p, dir))
	return dir
}

// copied is a copy of a kept folder with its marker: making one waits for the
// disk.
func (w *world) copied(dir string) string {
	w.Helper()
	to := filepath.Join(w.TempDir(), "workspace")
	w.by(dir, `cp -a . "`+to+`" && cp ../workspace.clade.json "`+to+workspace.MarkSuffix+`"`)
	return to
}

// by runs a script in a folder as a person would, outside of any sandbox.
func (w *world) by(dir, script string) {
	w.Helper()
	c := exec.Command("sh", "-c", script)
	c.Dir, c.Env = dir, append(Env(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := c.CombinedOutput(); err != nil {
		w.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// collects compares what changed in a kept folder with what is wanted.
func (w *world) collects(t workspace.Template, commit, dir string, want ...string) {
	w.Helper()
	got, err := w.provider.Collect(w.ctx, t, commit, dir)
	w.must(err)
	if list := show(got); !slices.Equal(list, want) {
		w.Errorf("changes\n got %q\nwant %q", list, want)
	}
}

// holds compares the names, modes and contents below dir with those wanted.
func (w *world) holds(dir string, want files) {
	w.Helper()
	got := files{}
	w.must(filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := filepath.ToSlash(p[len(dir)+1:])
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			got[name+"@"], err = os.Readlink(p)
			return err
		}
		data, err := os.ReadFile(p)
		if info.Mode()&0o111 != 0 {
			name += "*"
		}
		got[name] = string(data)
		return err
	}))
	if !maps.Equal(got, want) {
		w.Errorf("%s holds\n%q\nwant\n%q", dir, got, want)
	}
}

// names are what a folder holds, itself.
func (w *world) names(dir string) []string {
	w.Helper()
	entries, err := os.ReadDir(dir)
	w.must(err)
	list := make([]string, 0, len(entries))
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// furnished is a template with a carried file, a folder that setup filled, and
// tracked files that setup changed.
func (w *world) furnished(base, origin string) workspace.Template {
	w.Helper()
	w.must(os.WriteFile(filepath.Join(origin, ".env"), []byte("KEY=1"), 0o640))
	return w.template(workspace.TemplateSpec{
		Commit: base, Origin: origin, Carry: []string{".env"},
		Setup: &clade.Command{Run: `mkdir -p node_modules/m && echo mod >node_modules/m/i.js && chmod +x node_modules/m/i.js &&
			ln -s m node_modules/l && mkfifo node_modules/p && echo built >keep && rm drop && echo 1 >dir/made && echo 1 >"$(printf '\377')"`},
	})
}

// setUp are the files that setup and carry of furnished leave.
var setUp = files{
	".env": "KEY=1", "node_modules/m/i.js*": "mod\n", "node_modules/l@": "m", "keep": "built\n", "dir/made": "1\n", "\xff": "1\n",
}

func keepsAFolder(w *world) {
	base, child := w.family()
	t := w.furnished(base, w.TempDir())
	for name, c := range map[string]struct {
		commit string
		tree   files
	}{
		"base": {base, files{"edit": "old", "mode": "m", "dir/a": "a", "dir/b": "b", "part/x": "x", "part/y": "y",
			"swap": "file", "tree/one": "1", "tree/two/three": "3", "tolink": "t"}},
		"child": {child, files{"edit": "new", "mode*": "m", "part/y": "y", "swap/in": "folder now", "tree": "file now",
			"added/deep/f": "f", "added/same": "f", "tolink@": "keep"}},
	} {
		dir := w.kept(t, workspace.Plan{Commit: c.commit, Git: true})
		maps.Copy(c.tree, setUp)
		w.holds(dir, c.tree)
		w.collects(t, c.commit, dir)
		if got := w.names(filepath.Dir(dir)); !slices.Equal(got, []string{"workspace", "workspace.clade.json"}) {
			w.Errorf("%s: beside the folder lies %q", name, got)
		}
		var m struct{ Commit, Template string }
		raw, err := os.ReadFile(dir + workspace.MarkSuffix)
		w.must(errors.Join(err, json.Unmarshal(raw, &m)))
		if m.Commit != c.commit || m.Template != t.Key() {
			w.Errorf("%s: the marker says %s", name, raw)
		}
		before := fingerprint(w, filepath.Dir(dir))
		if err := w.provider.Keep(w.ctx, t, workspace.Plan{Commit: base}, dir); !errors.Is(err, fs.ErrExist) {
			w.Errorf("%s: made over it: %v", name, err)
		}
		if !maps.Equal(before, fingerprint(w, filepath.Dir(dir))) {
			w.Errorf("%s: a second Keep changed something", name)
		}
		w.by(dir, `echo x >>.env; rm -r node_modules; echo 1 >dir/made; echo 2 >"$(printf '\377')"; echo 1 >dir/mine; echo y >>part/y`)
		w.collects(t, c.commit, dir, "dir/mine 100644 1\n", "part/y 100644 yy\n")
	}
}

// keptOutlivesAll removes the cache, and carries something else by the time the
// folder is collected: what was there when it was made is still left out.
func keptOutlivesAll(w *world) {
	base, child := w.family()
	origin := w.TempDir()
	first := w.furnished(base, origin)
	dir := w.kept(first, workspace.Plan{Commit: child})
	before := fingerprint(w, dir)
	w.must(w.provider.Close())
	w.must(workspace.Remove(w.Dir))
	w.must(os.Mkdir(w.Dir, 0o700))
	if !maps.Equal(before, fingerprint(w, dir)) {
		w.Error("the folder has changed with the cache")
	}
	w.provider = w.open()
	w.must(os.WriteFile(filepath.Join(origin, "other"), []byte("o"), 0o644))
	t := w.template(workspace.TemplateSpec{Commit: base, Origin: origin, Carry: []string{"other"}})
	if t.Key() == first.Key() {
		w.Fatal("the template is the same")
	}
	w.collects(t, child, dir)
	w.by(dir, "echo mine >edit; echo mine >other")
	w.collects(t, child, dir, "edit 100644 mine\n", "other 100644 mine\n")
}

// keptIsWholeOrNot leaves behind what a killed Keep does, and has one fail half
// way.
func keptIsWholeOrNot(w *world) {
	base := w.commit("", files{"a": "a", "b/c": "c"})
	t := w.template(workspace.TemplateSpec{Commit: base})
	dir := filepath.Join(w.TempDir(), "workspace")
	w.must(os.MkdirAll(filepath.Join(filepath.Dir(dir), ".tmp-workspace", "b"), 0o755))
	for _, name := range []string{".tmp-workspace/half", ".tmp-workspace/b/d", ".tmp-workspace.lock", "workspace" + workspace.MarkSuffix, "beside"} {
		w.must(os.WriteFile(filepath.Join(filepath.Dir(dir), name), []byte(`{"commit":"none"}`), 0o644))
	}
	if c, err := w.provider.Collect(w.ctx, t, base, dir); !errors.Is(err, workspace.ErrUnmarked) || !errors.Is(err, fs.ErrNotExist) || c != nil {
		w.Errorf("changes of a folder that was never made: %v, %v", c, err)
	}
	w.must(w.provider.Keep(w.ctx, t, workspace.Plan{Commit: base}, dir))
	w.holds(dir, files{"a": "a", "b/c": "c"})
	w.collects(t, base, dir)
	if got, want := w.names(filepath.Dir(dir)), []string{"beside", "workspace", "workspace.clade.json"}; !slices.Equal(got, want) {
		w.Errorf("beside it lies %q, want %q", got, want)
	}

	fault := errors.New("no room")
	up := w.TempDir()
	other := filepath.Join(up, "workspace")
	led := &failing{Ledger: w.Ledger, err: fault, of: blobOf(w, base, "b/c"), look: func() {
		if _, err := os.Lstat(other); !errors.Is(err, fs.ErrNotExist) {
			w.Errorf("the folder has its name before it is whole: %v", err)
		}
	}}
	err := workspace.Export(w.ctx, led, base, other, nil)
	if got := w.names(up); !errors.Is(err, fault) || len(got) > 0 {
		w.Errorf("%v; left behind %q", err, got)
	}
	ended, cancel := context.WithCancelCause(w.ctx)
	cancel(fault)
	err = w.provider.Keep(ended, t, workspace.Plan{Commit: base}, other)
	if got := w.names(up); err == nil || len(got) > 0 {
		w.Errorf("%v; left behind %q", err, got)
	}
}

// failing fails to read one blob.
type failing struct {
	ledger.Ledger
	of   string
	err  error
	look func()
}

func (f *failing) Read(ctx context.Context, blob string) ([]byte, error) {
	f.look()
	if blob == f.of {
		return nil, f.err
	}
	return f.Ledger.Read(ctx, blob)
}

func blobOf(w *world, commit, path string) string {
	w.Helper()
	entries, err := w.Ledger.List(w.ctx, commit)
	w.must(err)
	for _, e := range entries {
		if e.Path == path {
			return e.Blob
		}
	}
	w.Fatalf("%s has no %q", commit, path)
	return ""
}

func keptNeedsTheMarker(w *world) {
	base := w.commit("", files{"a": "a"})
	t := w.template(workspace.TemplateSpec{Commit: base})
	whole := w.kept(t, workspace.Plan{Commit: base})
	for name, c := range map[string]struct {
		script string
		gone   bool
	}{
		"no marker":           {"rm workspace.clade.json", true},
		"an empty marker":     {": >workspace.clade.json", false},
		"half a marker":       {`printf '{"commit":"c' >workspace.clade.json`, false},
		"a marker of nothing": {`echo {} >workspace.clade.json`, false},
		"a link":              {"mv workspace.clade.json m; ln -s m workspace.clade.json", false},
		"a pipe":              {"rm workspace.clade.json; mkfifo workspace.clade.json", false},
		"no folder":           {"rm -r workspace", true},
		"a file":              {"rm -r workspace; echo >workspace", false},
		"a link to a folder":  {"mv workspace w; ln -s w workspace", false},
		"part of a tree":      {`echo '{"commit":"c","part":true}' >workspace.clade.json`, false},
	} {
		dir := w.copied(whole)
		w.by(filepath.Dir(dir), c.script)
		got, err := w.provider.Collect(w.ctx, t, base, dir+"/")
		if !errors.Is(err, workspace.ErrUnmarked) || errors.Is(err, fs.ErrNotExist) != c.gone || got != nil {
			w.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// keptLacksNothing removes files from the template, as a person who cleans up
// half way does: nobody shall seem to have deleted them.
func keptLacksNothing(w *world) {
	base := w.commit("", files{"a": "a", "b/c": "c"})
	t := w.template(workspace.TemplateSpec{Commit: base})
	up := w.TempDir()
	dir := filepath.Join(up, "workspace")
	w.must(os.Remove(filepath.Join(w.Dir, "templates", t.Key(), "tree", "b", "c")))
	err := w.provider.Keep(w.ctx, t, workspace.Plan{Commit: base}, dir)
	if got := w.names(up); !errors.Is(err, workspace.ErrVanished) || len(got) > 0 {
		w.Errorf("%v; left behind %q", err, got)
	}
	w.must(workspace.Remove(filepath.Join(w.Dir, "templates")))
	w.must(w.provider.Keep(w.ctx, t, workspace.Plan{Commit: base}, dir))
	w.collects(t, base, dir)
}

func keptHidesHeldOutFiles(w *world) {
	base := w.commit("", files{"code": "1", "data/held.jsonl": "SECRET", "data/seen": "s", "more/held": "SECRET", "in": "i"})
	child := w.commit(base, files{"more/new": "SECRET", "code": "2"})
	t := w.template(workspace.TemplateSpec{Commit: base})
	dir := w.kept(t, workspace.Plan{Commit: child, Hidden: []string{"data/held.jsonl", "more", "absent"},
		Fixtures: map[string][]byte{"case/input": []byte("in"), "in": []byte("other")}})
	w.holds(dir, files{"code": "2", "data/seen": "s", "case/input": "in", "in": "other"})
	w.collects(t, child, dir)
	w.by(dir, "echo guess >data/held.jsonl; mkdir more; echo guess >more/held; rm in; echo 3 >code")
	w.collects(t, child, dir, "code 100644 3\n")
}

// collectsEdits holds kept folders to the rules of scopes.
func collectsEdits(w *world) {
	base := w.commit("", editable)
	t := w.template(workspace.TemplateSpec{Commit: base})
	begin, child := w.family()
	ft := w.template(workspace.TemplateSpec{Commit: begin})
	for _, all := range []struct {
		t      workspace.Template
		commit string
		edits  edits
	}{{t, base, edited}, {ft, child, editedChild}} {
		whole := w.kept(all.t, workspace.Plan{Commit: all.commit})
		for _, c := range all.edits {
			w.Run(c.name, func(t *testing.T) {
				w := &world{T: t, Parts: w.Parts, provider: w.provider, ctx: w.ctx}
				dir := w.copied(whole)
				w.by(dir, c.script)
				w.collects(all.t, all.commit, dir, c.want...)
			})
		}
	}
}

func collectsWhatNoCommitHolds(w *world) {
	base := w.commit("", files{".gitignore": "vendor/\n*.sock\n", "a": "a"})
	t := w.template(workspace.TemplateSpec{Commit: base})
	whole := w.kept(t, workspace.Plan{Commit: base})
	for script, refused := range nesting {
		dir := w.copied(whole)
		w.by(dir, script)
		if _, err := w.provider.Collect(w.ctx, t, base, dir); errors.Is(err, workspace.ErrNestedGit) != refused || !refused && err != nil {
			w.Errorf("%s: %v", script, err)
		}
	}
	dir := w.copied(whole)
	w.by(dir, "mkfifo p; mkfifo i.sock; echo b >b; rm a; mkfifo a")
	got, err := w.provider.Collect(w.ctx, t, base, dir)
	if want := []string{"a gone", "b 100644 b\n"}; !errors.Is(err, workspace.ErrSpecial) || strings.Contains(err.Error(), "i.sock") || !slices.Equal(show(got), want) {
		w.Errorf("%v, changes %q", err, show(got))
	}
	w.by(dir, "rm p a; truncate -s 1T huge")
	if got, err := w.provider.Collect(w.ctx, t, base, dir); !errors.Is(err, workspace.ErrTooLarge) || got != nil {
		w.Errorf("a huge file: %v, %v", got, err)
	}
}

// collectsNoLinksTarget edits in a folder that is reached by a link, with links
// out of it.
func collectsNoLinksTarget(w *world) {
	base := w.commit("", files{"d/one": "1", "d/two": "2", "f": "f"})
	t := w.template(workspace.TemplateSpec{Commit: base})
	outside, up := w.TempDir(), w.TempDir()
	w.must(os.WriteFile(filepath.Join(outside, "one"), []byte("SECRET"), 0o600))
	w.must(os.Symlink(outside, filepath.Join(up, "variants")))
	dir := filepath.Join(up, "variants", "v1", "workspace")
	w.must(w.provider.Keep(w.ctx, t, workspace.Plan{Commit: base}, dir))
	w.by(dir, "rm -r d f; ln -s "+outside+" d; ln -s d/one f; ln -s ../.. up")
	w.collects(t, base, dir, "d/one gone", "d/two gone", "d 120000 "+outside, "f 120000 d/one", "up 120000 ../..")
	if got := w.names(filepath.Join(outside, "v1")); !slices.Equal(got, []string{"workspace", "workspace.clade.json"}) {
		w.Errorf("where the link leads lies %q", got)
	}
}

// collectsWithoutModes is for file systems where every file is executable, or
// none: the marker says so, and the tree's modes are believed.
func collectsWithoutModes(w *world) {
	base := w.commit("", files{"a": "a", "x*": "x"})
	t := w.template(workspace.TemplateSpec{Commit: base})
	dir := w.kept(t, workspace.Plan{Commit: base})
	raw, err := os.ReadFile(dir + workspace.MarkSuffix)
	w.must(err)
	w.must(os.WriteFile(dir+workspace.MarkSuffix, []byte(strings.Replace(string(raw), "{", `{"modeless":true,`, 1)), 0o644))
	w.by(dir, "chmod +x a; chmod -x x; echo 1 >n; chmod +x n")
	w.collects(t, base, dir, "n 100644 1\n")
	w.by(dir, "echo 2 >x")
	w.collects(t, base, dir, "n 100644 1\n", "x 100755 2\n")
}

func exports(w *world) {
	repo := w.TempDir()
	w.must(os.WriteFile(filepath.Join(repo, "f"), []byte("f"), 0o644))
	w.must(os.Symlink("/etc/passwd", filepath.Join(repo, "l")))
	command(w, repo, "init", "-q")
	command(w, repo, "add", "f", "l")
	command(w, repo, "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",lib/sub")
	command(w, repo, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "base")
	made, err := w.Ledger.Import(w.ctx, ledger.Source{Git: repo, Rev: "HEAD"})
	w.must(err)
	child := w.commit(made.Commit, files{"new\nline": "n", "run*": "#!/bin/sh\n"})
	up := w.TempDir()
	dir := filepath.Join(up, "deep", "workspace")
	w.must(workspace.Export(w.ctx, w.Ledger, child, dir, nil))
	w.holds(dir, files{"f": "f", "l@": "/etc/passwd", "new\nline": "n", "run*": "#!/bin/sh\n"})
	if got := w.names(filepath.Join(dir, "lib", "sub")); len(got) > 0 {
		w.Errorf("the submodule holds %q", got)
	}
	t := w.furnished(w.commit("", files{"drop": "d", "keep": "k", "dir/a": "a"}), w.TempDir())
	w.collects(t, child, dir)
	w.by(dir, "rm f; echo 1 >keep")
	w.collects(t, child, dir, "f gone", "keep 100644 1\n")
	if err := workspace.Export(w.ctx, w.Ledger, child, dir, nil); !errors.Is(err, fs.ErrExist) {
		w.Errorf("over it: %v", err)
	}

	part := filepath.Join(up, "part")
	w.must(workspace.Export(w.ctx, w.Ledger, child, part, func(p string) bool { return p == "f" }))
	w.holds(part, files{"f": "f"})
	if _, err := w.provider.Collect(w.ctx, t, child, part); !errors.Is(err, workspace.ErrUnmarked) {
		w.Errorf("changes of a part: %v", err)
	}
	none := filepath.Join(up, "none")
	if err := workspace.Export(w.ctx, w.Ledger, strings.Repeat("0", 40), none, nil); !errors.Is(err, ledger.ErrNoObject) {
		w.Errorf("no commit: %v", err)
	}
	if got, want := w.names(up), []string{"deep", "part", "part.clade.json"}; !slices.Equal(got, want) {
		w.Errorf("left behind %q, want %q", got, want)
	}
}
