package ledgertest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
)

func write(t *testing.T, dir, path, data string) {
	t.Helper()
	at := filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func importDir(t *testing.T, f *fixture) {
	dir := t.TempDir()
	write(t, dir, "crlf", "a\r\n")
	write(t, dir, ".gitattributes", "* text=auto\n")
	write(t, dir, ".gitignore", "*\n")
	write(t, dir, "sub/empty", "")
	write(t, dir, "run", "#!\n")
	f.must(os.Chmod(filepath.Join(dir, "run"), 0o755))
	f.must(os.Mkdir(filepath.Join(dir, "nothing"), 0o777))
	f.must(os.Symlink("../nowhere", filepath.Join(dir, "link")))
	one, err := f.Import(f.ctx, ledger.Source{Dir: dir})
	f.must(err)
	f.holds(one.Commit, "100644 .gitattributes * text=auto\n", "100644 .gitignore *\n", "100644 crlf a\r\n",
		"120000 link ../nowhere", "100755 run #!\n", "100644 sub/empty ")
	two, err := f.opened(f.dir).Import(f.ctx, ledger.Source{Dir: dir})
	f.must(err)
	if one.Commit != two.Commit || one.Stream != nil {
		t.Errorf("imported twice: %+v and %+v", one, two)
	}
}

func importSome(t *testing.T, f *fixture) {
	dir := t.TempDir()
	for _, path := range []string{"a/b/c", "a/b/d", "a/e", "f", "ab", ".clade/x", ".git/config"} {
		write(t, dir, path, "1")
	}
	f.must(os.Symlink("a/b", filepath.Join(dir, "link")))
	skip := []string{".clade", ".git"}
	m, err := f.Import(f.ctx, ledger.Source{Dir: dir, Skip: skip})
	f.must(err)
	f.holds(m.Commit, "100644 a/b/c 1", "100644 a/b/d 1", "100644 a/e 1", "100644 ab 1", "100644 f 1", "120000 link a/b")
	m, err = f.Import(f.ctx, ledger.Source{Dir: dir, Only: []string{"a/b", "./f"}, Skip: skip})
	f.must(err)
	f.holds(m.Commit, "100644 a/b/c 1", "100644 a/b/d 1", "100644 f 1")
	// What cannot be imported is in nobody's way where it is not selected.
	write(t, dir, "sub/.git/config", "1")
	write(t, dir, "sub/x.go", "1")
	write(t, dir, "a/x.go", "1")
	m, err = f.Import(f.ctx, ledger.Source{Dir: dir, Only: []string{"**/*.go", "a/?"}, Skip: skip})
	f.must(err)
	f.holds(m.Commit, "100644 a/b/c 1", "100644 a/b/d 1", "100644 a/e 1", "100644 a/x.go 1", "100644 sub/x.go 1")
	_, err = f.Import(f.ctx, ledger.Source{Dir: dir, Only: []string{"a/", "gone/", "*.md", "f"}})
	for _, want := range []string{`"gone/" is not there`, `"*.md" matches no file`} {
		if clade.FaultOf(err) != clade.FaultNotFound || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %s", err, want)
		}
	}
	m, err = f.Import(f.ctx, ledger.Source{Dir: dir, Only: []string{"gone/", "*.md", "f"}, Gone: true})
	f.must(err)
	f.holds(m.Commit, "100644 f 1")
	for _, only := range []string{"../x", "nowhere", "/etc", "a[", "../*", "link/c"} {
		if _, err := f.Import(f.ctx, ledger.Source{Dir: dir, Only: []string{only}}); err == nil {
			t.Errorf("%q was imported", only)
		}
	}
	for _, s := range []ledger.Source{{}, {Dir: dir, Git: dir}, {Dir: filepath.Join(dir, "nowhere")}} {
		if _, err := f.Import(f.ctx, s); err == nil {
			t.Errorf("%+v was imported", s)
		}
	}
}

// importNested is F34 for folders.
func importNested(t *testing.T, f *fixture) {
	dir := t.TempDir()
	write(t, dir, "sub/.git/config", "1")
	if _, err := f.Import(f.ctx, ledger.Source{Dir: dir}); !errors.Is(err, ledger.ErrPath) {
		t.Errorf("a nested repository gives %v", err)
	}
}

func pack(t *testing.T, f *fixture) {
	a := f.commit("", file("secret", "history"))
	b := f.commit(a.Commit, gone("secret"), file("x/y", "1"))
	dir := filepath.Join(t.TempDir(), "one")
	f.must(f.Pack(f.ctx, b.Commit, dir))
	for _, want := range []string{"HEAD", "objects", "refs/heads/main"} {
		if _, err := os.Stat(filepath.Join(dir, want)); err != nil {
			t.Error(err)
		}
	}
	if err := f.Pack(f.ctx, b.Commit, dir); err == nil {
		t.Error("packed into a folder that is not empty")
	}
}
