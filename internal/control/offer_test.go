package control

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/git/gittest"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/propose/mutate"
)

// P16: a spec by which nothing can be edited is refused before it costs anything.
func TestP16NothingToEdit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Put(t, filepath.Join(dir, "part", "n.txt"), "1 # clade:tune bad=10..1\n")
	gittest.Put(t, filepath.Join(dir, "part", "b.bin"), "\x00\x01")
	gittest.Put(t, filepath.Join(dir, "part", stateName, "x.txt"), "state\n")
	gittest.Put(t, filepath.Join(dir, "other.txt"), "one\n")
	gittest.Person(t, dir, "init", "-q")
	gittest.Person(t, dir, "add", "-A")
	gittest.Person(t, dir, "commit", "-qm", "first")
	gittest.Put(t, filepath.Join(dir, "part", "new.txt"), "2\n")
	inGit := ledger.Source{Git: dir, Rev: gittest.Person(t, dir, "rev-parse", "HEAD")}
	plain := ledger.Source{Dir: filepath.Join(dir, "part"), Skip: []string{stateName}}
	single := ledger.Source{Dir: filepath.Join(dir, "part"), Only: []string{"b.bin"}}
	mutates := []clade.Operator{{Use: "mutate", Name: "mutate", Role: clade.RolePropose}}
	beside := append([]clade.Operator{{Use: "command", Name: "c", Role: clade.RolePropose}}, mutates...)
	thinks := append([]clade.Operator{{Use: "agent", Name: "a", Role: clade.RoleIdeate}}, mutates...)
	const badTune = "part/n.txt:1: clade:tune"
	for _, tt := range []struct {
		name          string
		source        ledger.Source
		prefix        string
		allow, frozen []string
		operators     []clade.Operator
		err           string
		warn          []string // beginnings
	}{
		{"everything", inGit, "part", nil, nil, mutates, "", []string{badTune}},
		{"a plain folder", plain, "", nil, nil, mutates, "", []string{"n.txt:1: clade:tune"}},
		{"all is frozen", inGit, "part", nil, []string{"**"}, beside, "every path is frozen", nil},
		{"all is frozen otherwise", inGit, "part", nil, []string{"*", "**/*"}, beside, "every path is frozen", nil},
		{"all there is is frozen", inGit, "part", nil, []string{"*.txt", "*.bin", stateName}, mutates, "leave no file", nil},
		{"a pattern of nothing", inGit, "part", []string{"*.md"}, nil, mutates, "leave no file", nil},
		{"not committed", inGit, "part", []string{"new.txt"}, nil, mutates, "leave no file", nil},
		{"outside of the target", inGit, "part", []string{"other.txt"}, nil, mutates, "leave no file", nil},
		{"state is no content", plain, "", []string{stateName}, nil, mutates, "leave no file", nil},
		{"no text", inGit, "part", []string{"*.bin"}, nil, mutates, "find nothing to edit in 1 file", nil},
		{"a single file without text", single, "", nil, nil, mutates, "find nothing to edit in 1 file", nil},
		{"one that thinks only", inGit, "part", []string{"*.md"}, nil, thinks, "leave no file", nil},
		{"one that may make new files", inGit, "part", []string{"*.md"}, nil, beside, "", []string{`allow: "*.md" matches no file`}},
		{"one pattern of two", inGit, "part", []string{"n.txt", "m.txt"}, nil, mutates, "", []string{`allow: "m.txt" matches no file`, badTune}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := New(Parts{Surveyor: func(o clade.Operator) propose.Surveyor {
				if o.Use == "mutate" {
					return mutate.New()
				}
				return nil
			}})
			r := &Resolved{Source: tt.source, Spec: clade.Spec{Target: clade.Target{Prefix: tt.prefix}, Allow: tt.allow, Frozen: tt.frozen, Operators: tt.operators}}
			warnings, err := c.offer(t.Context(), r)
			if (err != nil) != (tt.err != "") || err != nil && (clade.FaultOf(err) != clade.FaultSpec || !strings.Contains(err.Error(), tt.err)) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if err == nil && !slices.EqualFunc(warnings, tt.warn, strings.HasPrefix) {
				t.Errorf("warnings %q, want %q", warnings, tt.warn)
			}
		})
	}
}

// A preview reads what an import would.
func TestPreview(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Put(t, filepath.Join(dir, "a", "b.txt"), "text\n")
	if err := os.Symlink("b.txt", filepath.Join(dir, "a", "link")); err != nil {
		t.Fatal(err)
	}
	gittest.Person(t, dir, "init", "-q")
	gittest.Person(t, dir, "add", "-A")
	gittest.Person(t, dir, "commit", "-qm", "first")
	for name, s := range map[string]ledger.Source{
		"repository": {Git: dir, Rev: "HEAD"}, "folder": {Dir: dir, Skip: []string{".git"}},
	} {
		p, err := newPreview(t.Context(), s)
		if err != nil {
			t.Fatal(name, err)
		}
		all, _ := p.List(t.Context(), "")
		if len(all) != 2 || all[0].Path != "a/b.txt" || all[0].Mode != ledger.ModeFile || all[0].Size != 5 || all[1].Mode != ledger.ModeSymlink {
			t.Errorf("%s: %+v", name, all)
		} else if data, err := p.Read(t.Context(), all[0].Blob); string(data) != "text\n" || err != nil {
			t.Errorf("%s: %q, %v", name, data, err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestFew(t *testing.T) {
	t.Parallel()
	all := make([]string, 25)
	if got := few(all); len(got) != 21 || got[20] != "and 5 more of the same kind" || len(few(all[:20])) != 20 {
		t.Errorf("%q", got)
	}
}
