package app

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

// home sets what the system may look for a home folder in.
func home(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"HOME", "home", "USERPROFILE", "LocalAppData"} {
		t.Setenv(name, dir)
	}
}

// B4: what nobody configured is the system's own folder or a Problem, never a
// folder that is called after nothing.
func TestB4NothingIsConfigured(t *testing.T) {
	dir := t.TempDir()
	for name, value := range map[string]string{"unset": "", "a word": "None", "not absolute": filepath.Join("null", "nil")} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("CLADE_DIR", "")
			t.Setenv("XDG_STATE_HOME", value)
			t.Setenv("XDG_CACHE_HOME", "")
			home(t, dir)
			d, err := folders()
			if err != nil || d.stateFor != "" || !below(dir, d.state) || !below(dir, d.cache) {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
	t.Run("no home", func(t *testing.T) {
		t.Setenv("XDG_STATE_HOME", "")
		t.Setenv("XDG_CACHE_HOME", "")
		home(t, "")
		if d, err := folders(); clade.FaultOf(err) != clade.FaultEnvironment {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

func below(dir, path string) bool { return strings.HasPrefix(path, dir+string(filepath.Separator)) }
