package land_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/land"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/ledger/bare"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/store/sqlite"
)

// files are what a folder holds, by slash separated path: "x " before the
// content makes it executable, "-> " a symbolic link.
type files map[string]string

// world is a target on disk, with a run that has one candidate.
type world struct {
	*land.Lander
	t    *testing.T
	root string
	home string // of the person whose git this is
}

const candidate clade.ID = 1

// TestMain gives git a home without configuration.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "clade-land-home-")
	if err != nil {
		panic(err)
	}
	for _, v := range os.Environ() { // a shell's GIT_AUTHOR_NAME would be the person's name
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "GIT_") {
			if err := os.Unsetenv(name); err != nil {
				panic(err)
			}
		}
	}
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1"} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(code)
}

// person runs git as the target's owner does.
func (w *world) person(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", w.root}, args...)...)
	cmd.Env = append(git.Scrub(os.Environ()), "HOME="+w.home, "XDG_CONFIG_HOME=", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z", "GIT_EDITOR=true")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// tries is person for what may fail.
func (w *world) tries(args ...string) {
	cmd := exec.Command("git", append([]string{"-C", w.root}, args...)...)
	cmd.Env = append(git.Scrub(os.Environ()), "HOME="+w.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=true")
	_ = cmd.Run()
}

func (w *world) at(p string) string { return filepath.Join(w.root, filepath.FromSlash(p)) }

func (w *world) put(all files) {
	w.t.Helper()
	for p, text := range all {
		at := w.at(p)
		must(w.t, os.MkdirAll(filepath.Dir(at), 0o755))
		must(w.t, os.RemoveAll(at))
		mode, data := parse(text)
		switch mode {
		case ledger.ModeSymlink:
			must(w.t, os.Symlink(string(data), at))
		case ledger.ModeExec:
			must(w.t, os.WriteFile(at, data, 0o755))
		default:
			must(w.t, os.WriteFile(at, data, 0o644))
		}
	}
}

func parse(text string) (ledger.Mode, []byte) {
	if to, ok := strings.CutPrefix(text, "-> "); ok {
		return ledger.ModeSymlink, []byte(to)
	}
	if body, ok := strings.CutPrefix(text, "x "); ok {
		return ledger.ModeExec, []byte(body)
	}
	return ledger.ModeFile, []byte(text)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// plain makes a folder with a run whose candidate changes files: "" deletes.
func plain(t *testing.T, before, change files) *world {
	w := empty(t, clade.TargetDir)
	w.put(before)
	w.run(source(w), change)
	return w
}

// repository is plain for a git repository; config is set in it before anything
// is added.
func repository(t *testing.T, before, change files, config ...string) *world {
	w := empty(t, clade.TargetGit)
	w.init()
	for _, c := range config {
		key, value, _ := strings.Cut(c, "=")
		w.person("config", key, value)
	}
	w.put(before)
	w.person("add", "-A")
	w.person("commit", "-q", "-m", "base")
	w.run(ledger.Source{Git: w.root, Rev: "HEAD"}, change)
	return w
}

func empty(t *testing.T, kind clade.TargetKind) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w := &world{t: t, root: filepath.Join(dir, "target"), home: filepath.Join(dir, "home"), Lander: &land.Lander{Kind: kind}}
	must(t, os.MkdirAll(w.root, 0o755))
	must(t, os.MkdirAll(w.home, 0o755))
	w.Root, w.Patch = w.root, filepath.Join(dir, "state", "winner.patch")
	must(t, os.MkdirAll(filepath.Dir(w.Patch), 0o755))
	return w
}

// init makes the target a repository of somebody with a name.
func (w *world) init() {
	w.t.Helper()
	w.person("init", "-q", "-b", "main")
	f, err := os.OpenFile(w.at(".git/config"), os.O_APPEND|os.O_WRONLY, 0)
	must(w.t, err)
	_, err = f.WriteString("[user]\n\tname = Per Son\n\temail = per@localhost\n")
	must(w.t, errors.Join(err, f.Close()))
}

// run imports the target and makes the candidate.
func (w *world) run(from ledger.Source, change files) {
	t := w.t
	t.Helper()
	led, err := bare.Open(t.Context(), filepath.Join(filepath.Dir(w.Patch), "ledger.git"))
	must(t, err)
	t.Cleanup(func() { must(t, led.Close()) })
	w.Ledger, w.Source = led, from
	base, err := led.Import(t.Context(), from)
	must(t, err)
	draft := ledger.Draft{Parents: []string{base.Commit}, From: base.Commit}
	for _, p := range slices.Sorted(maps.Keys(change)) {
		if change[p] == "" {
			draft.Changes = append(draft.Changes, ledger.Change{Path: p, Delete: true})
			continue
		}
		mode, data := parse(change[p])
		draft.Changes = append(draft.Changes, ledger.Change{Path: p, Mode: mode, Data: data})
	}
	made, err := led.Commit(t.Context(), draft)
	must(t, err)
	must(t, led.Sync(t.Context()))
	st, err := sqlite.New(filepath.Dir(w.Patch))
	must(t, err)
	log, err := st.Create(t.Context(), clade.Opened{Run: "r", Base: base.Commit, Tree: base.Tree, Where: w.root})
	must(t, err)
	t.Cleanup(func() { must(t, log.Close()) })
	w.Log = log
	w.record(clade.Planned{Attempt: clade.Attempt{ID: candidate, Makes: clade.MakesTree}},
		clade.TryBegun{ID: candidate, Try: 1},
		clade.Proposed{ID: candidate, Try: 1, Commit: made.Commit, Tree: made.Tree})
}

func (w *world) record(events ...clade.Event) {
	w.t.Helper()
	must(w.t, w.Log.Update(w.t.Context(), func(tx store.Tx) error { return tx.Append(events...) }))
}

// apply previews and applies.
func (w *world) apply() error {
	p, err := w.Preview(w.t.Context(), candidate)
	if err != nil {
		return err
	}
	_, err = w.Apply(w.t.Context(), p)
	return err
}

func (w *world) undo() error {
	_, err := w.Undo(w.t.Context())
	return err
}

func (w *world) mustApply() {
	w.t.Helper()
	if err := w.apply(); err != nil {
		w.t.Fatalf("apply: %v", err)
	}
}

func (w *world) mustUndo() {
	w.t.Helper()
	if err := w.undo(); err != nil {
		w.t.Fatalf("undo: %v", err)
	}
}

// image is everything below a folder but .clade: type, permissions, bytes and,
// of folders, that they are there.
func (w *world) image() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(w.root, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(w.root, at)
		if err != nil {
			return err
		}
		text := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(at)
			if err != nil {
				return err
			}
			text += " " + string(data)
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(at)
			if err != nil {
				return err
			}
			text += " " + to
		}
		out[filepath.ToSlash(rel)] = text
		return nil
	})
	must(w.t, err)
	return out
}

// differs lists the paths that differ between two images.
func differs(a, b map[string]string) (out []string) {
	for p := range a {
		if a[p] != b[p] {
			out = append(out, p)
		}
	}
	for p := range b {
		if _, ok := a[p]; !ok {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (w *world) same(before map[string]string, what string) {
	w.t.Helper()
	if d := differs(before, w.image()); len(d) > 0 {
		w.t.Errorf("%s: changed %q", what, d)
	}
}

// holds checks what the target has at some paths; "" is nothing.
func (w *world) holds(want files) {
	w.t.Helper()
	for p, text := range want {
		at := w.at(p)
		info, err := os.Lstat(at)
		if text == "" {
			if !errors.Is(err, fs.ErrNotExist) && !strings.Contains(fmt.Sprint(err), "not a directory") && (err != nil || !info.IsDir()) {
				w.t.Errorf("%q is still there: %v", p, err)
			}
			continue
		}
		if err != nil {
			w.t.Error(err)
			continue
		}
		mode, data := parse(text)
		got := ledger.ModeFile
		var have []byte
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(at)
			got, have = ledger.ModeSymlink, []byte(to)
		default:
			have, _ = os.ReadFile(at)
			if info.Mode()&0o111 != 0 {
				got = ledger.ModeExec
			}
		}
		if got != mode || string(have) != string(data) {
			w.t.Errorf("%q is %s %q; want %s %q", p, got, have, mode, data)
		}
	}
}

// refused checks that err is a problem of a fault whose text has all of words.
func refused(t *testing.T, err error, fault clade.Fault, words ...string) {
	t.Helper()
	if clade.FaultOf(err) != fault {
		t.Fatalf("%v (fault %q); want fault %q", err, clade.FaultOf(err), fault)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q says nothing of %q", err, word)
		}
	}
}

// leftovers are files that a landing left behind.
func (w *world) leftovers() (out []string) {
	for p := range w.image() {
		if strings.HasPrefix(path.Base(p), ".clade-") {
			out = append(out, p)
		}
	}
	return out
}

// source is how a plain folder is imported.
func source(w *world) ledger.Source {
	return ledger.Source{Dir: w.root, Skip: []string{".clade", ".git"}}
}
