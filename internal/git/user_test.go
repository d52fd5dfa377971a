package git_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/git"
)

// A person has settings of their own, and a repository that says otherwise.
func TestSettingsAndIdentityOfThePerson(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_DIR": "/nowhere"} {
		t.Setenv(name, value)
	}
	for _, name := range []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"} {
		t.Setenv(name, "")
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	global := func(text string) {
		if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g, err := git.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := g.At(git.Place{Dir: filepath.Join(dir, ".git"), WorkTree: dir})
	if _, err := r.Run(t.Context(), "init", "-q"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Identity(t.Context()); clade.FaultOf(err) != clade.FaultEnvironment {
		t.Errorf("nobody is somebody: %v", err)
	}
	global("[core]\n\tautocrlf\n\teol = crlf\n[filter \"A.b\"]\n\tclean = \"x\\ny\"\n[user]\n\tname = Per Son\n\temail = per@localhost\n")
	if _, err := r.Run(t.Context(), "config", "core.eol", "lf"); err != nil {
		t.Fatal(err)
	}
	set, err := r.Settings(t.Context(), `^(core\.(autocrlf|eol)|filter\..*)$`)
	if err != nil || len(set) != 3 || set["core.autocrlf"] != "true" || set["core.eol"] != "lf" || set["filter.A.b.clean"] != "x\ny" {
		t.Errorf("settings %q, %v", set, err)
	}
	if set, err := r.Settings(t.Context(), `^nothing\.`); err != nil || len(set) != 0 {
		t.Errorf("settings %q, %v", set, err)
	}
	who, err := r.Identity(t.Context())
	want := []string{"GIT_AUTHOR_NAME=Per Son", "GIT_AUTHOR_EMAIL=per@localhost", "GIT_COMMITTER_NAME=Per Son", "GIT_COMMITTER_EMAIL=per@localhost"}
	if err != nil || !slices.Equal(who, want) {
		t.Errorf("%q, %v", who, err)
	}
	t.Setenv("GIT_AUTHOR_NAME", "Other")
	if who, err := r.Identity(t.Context()); err != nil || who[0] != "GIT_AUTHOR_NAME=Other" || who[2] != want[2] {
		t.Errorf("%q, %v", who, err)
	}
}
