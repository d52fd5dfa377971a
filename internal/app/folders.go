package app

import (
	"os"
	"path/filepath"

	"github.com/cladehq/clade"
)

// The variables that name other places for the folders.
const (
	cacheVariable = "XDG_CACHE_HOME"
	stateVariable = "XDG_STATE_HOME"
)

// dirs are the user's folders.
type dirs struct {
	state    string // for runs of targets that cannot hold their own, and the index
	cache    string // templates and workspaces
	stateFor string // CLADE_DIR
}

// folders finds them. Beside an error it still has those that there are; one
// that is missing is "".
func folders() (dirs, error) {
	d := dirs{stateFor: os.Getenv("CLADE_DIR")}
	if d.stateFor != "" {
		abs, err := filepath.Abs(d.stateFor)
		if err != nil {
			return d, err
		}
		d.stateFor = abs
	}
	var noCache, noState error
	d.cache, noCache = place(cacheVariable, os.UserCacheDir)
	d.state, noState = place(stateVariable, stateHome)
	if noCache != nil {
		return d, noCache
	}
	return d, noState
}

// place is a folder for clade below the one a variable names, or else below
// the system's.
func place(variable string, otherwise func() (string, error)) (string, error) {
	if v := os.Getenv(variable); filepath.IsAbs(v) {
		return filepath.Join(v, "clade"), nil
	}
	dir, err := otherwise()
	if err != nil {
		return "", &clade.Problem{Fault: clade.FaultEnvironment, Text: "there is no home folder", Err: err,
			Hint: "set HOME, or " + variable}
	}
	return filepath.Join(dir, "clade"), nil
}

func stateHome() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "state"), nil
}
