package control

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/ledger"
)

// plan reads the dataset as a run will have it.
func TestPreviewReadsTheDataset(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("skill/d.jsonl", "committed")
	write("skill/other", "")
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "base"},
	} {
		c := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...)
		c.Env = append(git.Scrub(os.Environ()), "HOME="+dir)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	write("skill/d.jsonl", "on disk")
	write(".clade/d.jsonl", "state")
	tree := ledger.Source{Git: dir, Rev: "HEAD"}
	folder := ledger.Source{Dir: dir, Skip: []string{".clade", ".git"}}
	for _, c := range []struct {
		name   string
		source ledger.Source
		path   string
		want   string // "": there is none
	}{
		{"a repository", tree, "skill/d.jsonl", "committed"},
		{"not in the repository", tree, "d.jsonl", ""},
		{"a folder of the repository", tree, "skill", ""},
		{"a folder", folder, "skill/d.jsonl", "on disk"},
		{"not in the folder", folder, "d.jsonl", ""},
		{"a folder in the folder", folder, "skill", ""},
		{"what is left out", folder, ".clade/d.jsonl", ""},
		{"beside the folder", folder, "../d.jsonl", ""},
		{"beside the only file", ledger.Source{Dir: filepath.Join(dir, "skill"), Only: []string{"other"}}, "d.jsonl", ""},
	} {
		got, err := peek(t.Context(), c.source, c.path)
		if c.want == "" && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, git.ErrMissing) || c.want != "" && err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	r := &Resolved{Source: tree, Spec: clade.Spec{Dataset: &clade.Dataset{File: "d.jsonl"}}}
	if _, err := previewCases(t.Context(), r); clade.FaultOf(err) != clade.FaultSpec {
		t.Errorf("no dataset: %v", err)
	}
}
