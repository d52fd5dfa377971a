package pool_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
	"github.com/cladehq/clade/internal/workspace/pool"
	"github.com/cladehq/clade/internal/workspace/workspacetest"
)

// TestFolderIsUsedAgain lets a second process, as far as locks can tell, take
// over the folder that a first one left spoiled.
func TestFolderIsUsedAgain(t *testing.T) {
	t.Parallel()
	p := parts(bareHands(t))(t)
	base, err := p.Ledger.Commit(t.Context(), ledger.Draft{Message: "base", Changes: []ledger.Change{
		{Path: "a", Mode: ledger.ModeFile, Data: []byte("one")}, {Path: "d/b", Mode: ledger.ModeExec, Data: []byte("two")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var last string
	for i, spoil := range []string{
		`touch -r a ../stamp; printf ONE >a; touch -r ../stamp a`, // same size, same time
		`chmod -x d/b; chmod 000 d; echo x >new`,
		`rm -r d; ln -s / d`,
		`rm a; mkdir a; mkfifo a/p`,
		`ln d/b d/c; echo x >>"$HOME/x"`,
		`true`,
	} {
		provider, err := p.Open()
		if err != nil {
			t.Fatal(err)
		}
		scope, done := open(t, provider, base.Commit)
		c := sandbox.Command{Args: []string{"sh", "-c", `cat a d/b && test -x d/b && test ! -e new && test ! -e "$HOME/x" && ` + spoil}, Env: workspacetest.Env()}
		scope.Enter(&c, "")
		if last != "" && c.Dir != last {
			t.Fatalf("round %d works in %s, not in %s", i, c.Dir, last)
		}
		last = c.Dir
		r, err := p.Sandbox.Run(t.Context(), c)
		if err != nil || !r.OK() || string(r.Stdout.Bytes()) != "onetwo" {
			t.Fatalf("round %d: %v %d %q %s", i, err, r.Exit, r.Stdout.Bytes(), r.Stderr.Bytes())
		}
		done()
		if _, err := provider.Sweep(t.Context(), workspace.Sweeping{}); err != nil {
			t.Fatal(err)
		}
		provider.(*pool.Provider).Close()
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(last), "records")); err != nil {
		t.Error(err)
	}
}

func open(t *testing.T, p workspace.Provider, commit string) (workspace.Scope, func()) {
	t.Helper()
	tm, err := p.Template(t.Context(), workspace.TemplateSpec{Commit: commit})
	if err != nil {
		t.Fatal(err)
	}
	w, err := p.Open(t.Context(), tm, workspace.Plan{Commit: commit})
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Scope(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Scope(t.Context()); err == nil {
		t.Error("two scopes share one folder")
	}
	return s, func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}
