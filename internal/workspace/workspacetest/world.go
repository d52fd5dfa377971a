package workspacetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
)

// A Parts is what a suite is run on. Open makes another provider over the same
// cache folder, ledger and sandbox, as another process would.
type Parts struct {
	Dir     string // the cache folder
	Ledger  ledger.Ledger
	Sandbox sandbox.Sandbox
	Open    func() (workspace.Provider, error)
}

// Env is what commands of the suite have in their environment.
func Env() []string { return []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"} }

// world is one test's provider with its surroundings.
type world struct {
	*testing.T
	Parts
	provider workspace.Provider
	makes    func(testing.TB) Parts
	ctx      context.Context
}

func newWorld(t *testing.T, parts func(testing.TB) Parts) *world {
	t.Helper()
	w := &world{T: t, Parts: parts(t), makes: parts, ctx: t.Context()}
	w.provider = w.open()
	return w
}

func (w *world) open() workspace.Provider {
	w.Helper()
	p, err := w.Open()
	w.must(err)
	return p
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// files are a tree: content by path. A path that ends in "*" is executable, one
// that ends in "@" a link to its content.
type files map[string]string

// changes turns files into additions.
func (f files) changes() []ledger.Change {
	var list []ledger.Change
	for _, p := range slices.Sorted(maps.Keys(f)) {
		c := ledger.Change{Path: p, Mode: ledger.ModeFile, Data: []byte(f[p])}
		if q, ok := strings.CutSuffix(p, "*"); ok {
			c.Path, c.Mode = q, ledger.ModeExec
		} else if q, ok := strings.CutSuffix(p, "@"); ok {
			c.Path, c.Mode = q, ledger.ModeSymlink
		}
		list = append(list, c)
	}
	return list
}

// commit makes a commit of files and deletions over from, "" for a base.
func (w *world) commit(from string, f files, deleted ...string) string {
	w.Helper()
	d := ledger.Draft{From: from, Message: "test", Changes: f.changes()}
	if from != "" {
		d.Parents = []string{from}
	}
	for _, p := range deleted {
		d.Changes = append(d.Changes, ledger.Change{Path: p, Delete: true})
	}
	made, err := w.Ledger.Commit(w.ctx, d)
	w.must(err)
	return made.Commit
}

func (w *world) template(s workspace.TemplateSpec) workspace.Template {
	w.Helper()
	t, err := w.provider.Template(w.ctx, s)
	w.must(err)
	return t
}

// space opens a workspace that is closed at the end of the test.
func (w *world) space(t workspace.Template, p workspace.Plan) workspace.Workspace {
	w.Helper()
	space, err := w.provider.Open(w.ctx, t, p)
	w.must(err)
	w.Cleanup(func() {
		if err := space.Close(); err != nil {
			w.Error(err)
		}
	})
	return space
}

// plain is a workspace of a base without anything else.
func (w *world) plain(f files) (workspace.Workspace, string) {
	w.Helper()
	base := w.commit("", f)
	return w.space(w.template(workspace.TemplateSpec{Commit: base}), workspace.Plan{Commit: base}), base
}

// in opens a scope, runs a script in it, and gives both to check.
func (w *world) in(space workspace.Workspace, script string, check func(s workspace.Scope, out string)) {
	w.Helper()
	s, err := space.Scope(w.ctx)
	w.must(err)
	defer func() {
		if err := s.Close(); err != nil {
			w.Error(err)
		}
	}()
	out := w.run(s, "", script)
	if check != nil {
		check(s, out)
	}
}

// run runs a script that must succeed and returns what it printed.
func (w *world) run(s workspace.Scope, dir, script string) string {
	w.Helper()
	r := w.try(s, dir, script)
	if !r.OK() {
		w.Fatalf("%s\nexit %d %s: %s%s", script, r.Exit, r.Signal, r.Stdout.Bytes(), r.Stderr.Bytes())
	}
	return string(r.Stdout.Bytes())
}

func (w *world) try(s workspace.Scope, dir, script string) sandbox.Result {
	w.Helper()
	c := sandbox.Command{Args: []string{"sh", "-c", script}, Env: Env()}
	s.Enter(&c, dir)
	r, err := w.Sandbox.Run(w.ctx, c)
	w.must(err)
	return r
}

// show writes changes one a line: "path mode content" or "path gone".
func show(changes []ledger.Change) []string {
	var list []string
	for _, c := range changes {
		if c.Delete {
			list = append(list, fmt.Sprintf("%s gone", c.Path))
		} else {
			list = append(list, fmt.Sprintf("%s %s %s", c.Path, c.Mode, c.Data))
		}
	}
	return list
}

// expect compares what changed; the order is part of the contract only in that
// deletions come first.
func (w *world) expect(s workspace.Scope, want ...string) {
	w.Helper()
	got, err := s.Changes(w.ctx)
	w.must(err)
	if list := show(got); !slices.Equal(list, want) {
		w.Errorf("changes\n got %q\nwant %q", list, want)
	}
}

// listing is a script that prints every file and link of the tree, NUL between.
const listing = `find . -path ./.git -prune -o \( -type f -o -type l \) -print0 | LC_ALL=C sort -z`

// tree compares the names in a scope with those wanted.
func (w *world) tree(s workspace.Scope, want ...string) {
	w.Helper()
	var got []string
	for p := range strings.SplitSeq(w.run(s, "", listing), "\x00") {
		if p != "" {
			got = append(got, strings.TrimPrefix(p, "./"))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		w.Errorf("tree\n got %q\nwant %q", got, want)
	}
}

// fingerprint is every name, mode and content below dir.
func fingerprint(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := info.Mode().String()
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			line += string(b)
		}
		all[p] = line
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return all
}
