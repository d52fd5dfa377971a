package git

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/cladehq/clade"
)

// Oldest is the first version of git that ignores a user's configuration when
// told to by GIT_CONFIG_GLOBAL.
var oldest = [2]int{2, 32}

// A Git is an installed git program. It is immutable.
type Git struct {
	path    string
	version string
}

// Find looks git up on PATH and asks its version. A missing or too old git is a
// *clade.Problem. Look it up once and keep it: the question costs a process.
func Find(ctx context.Context) (*Git, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return nil, &clade.Problem{Fault: clade.FaultEnvironment, Text: "git is not installed",
			Hint: "install git 2.32 or newer and see that it is on PATH", Err: err}
	}
	g := &Git{path: path}
	out, err := g.At(Place{}).Run(ctx, "version")
	if err != nil {
		return nil, fmt.Errorf("asking git for its version: %w", err)
	}
	g.version = strings.TrimSpace(strings.TrimPrefix(string(out), "git version "))
	var major, minor int
	if _, err := fmt.Sscanf(g.version, "%d.%d", &major, &minor); err != nil {
		return nil, fmt.Errorf("git calls its version %q: %w", g.version, err)
	}
	if major < oldest[0] || major == oldest[0] && minor < oldest[1] {
		return nil, &clade.Problem{Fault: clade.FaultEnvironment,
			Text: "git " + g.version + " is too old", Where: path, Hint: "install git 2.32 or newer"}
	}
	return g, nil
}

// Path is where the program lies; Version is like "2.39.5".
func (g *Git) Path() string    { return g.path }
func (g *Git) Version() string { return g.version }

// Place says where a call works. The zero Place is for calls that need no
// repository.
type Place struct {
	Dir      string   // the repository's own folder: GIT_DIR
	WorkTree string   // GIT_WORK_TREE; "": none, as in a bare repository
	Config   []string // further -c settings, each name=value
	Env      []string // further variables, each NAME=value
}

// A Repo runs git at one place. It is safe for concurrent use.
type Repo struct {
	git   *Git
	place Place
}

// At returns a runner for a place. It touches nothing.
func (g *Git) At(p Place) *Repo { return &Repo{git: g, place: p} }

// Dir is the repository's own folder.
func (r *Repo) Dir() string { return r.place.Dir }

// Git is the program that the Repo runs.
func (r *Repo) Git() *Git { return r.git }

// With returns a Repo at the same place with further settings and variables.
func (r *Repo) With(config, env []string) *Repo {
	p := r.place
	p.Config = append(append([]string(nil), p.Config...), config...)
	p.Env = append(append([]string(nil), p.Env...), env...)
	return r.git.At(p)
}

// safe are the settings that keep git from running anything or from tidying up
// behind the caller's back.
func safe() []string {
	return []string{
		"core.hooksPath=" + os.DevNull,
		"core.fsmonitor=false",
		"core.untrackedCache=keep",
		"core.editor=false",
		"core.askPass=",
		"core.pager=cat",
		"core.alternateRefsCommand=false",
		"credential.helper=",
		"commit.gpgsign=false",
		"tag.gpgsign=false",
		"log.showSignature=false",
		"gc.auto=0",
		"maintenance.auto=false",
		"protocol.allow=never",
		"submodule.recurse=false",
		"advice.detachedHead=false",
	}
}

// arguments puts the settings before a subcommand.
func (r *Repo) arguments(args []string) []string {
	out := []string{"--no-pager", "--literal-pathspecs"}
	for _, c := range append(safe(), r.place.Config...) {
		out = append(out, "-c", c)
	}
	return append(out, args...)
}

// environment is the caller's without any GIT_ variable, then git's own switches.
func (r *Repo) environment() []string {
	env := append(Scrub(os.Environ()),
		"LC_ALL=C",
		"LANGUAGE=",
		"GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_LFS_SKIP_SMUDGE=1",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=none",
		"GIT_FLUSH=1",
	)
	if r.place.Dir != "" {
		env = append(env, "GIT_DIR="+r.place.Dir)
	}
	if r.place.WorkTree != "" {
		env = append(env, "GIT_WORK_TREE="+r.place.WorkTree)
	}
	return append(env, r.place.Env...)
}

// Scrub returns the variables of env that do not steer git: those whose names
// do not begin with GIT_. A hook exports GIT_DIR, and a git that inherits it
// works on the wrong repository.
func Scrub(env []string) []string {
	out := make([]string, 0, len(env))
	for _, v := range env {
		if len(v) < 4 || !strings.EqualFold(v[:4], "GIT_") {
			out = append(out, v)
		}
	}
	return out
}
