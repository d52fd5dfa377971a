// Package workspace declares how a tree becomes a folder that commands work in,
// and how what they changed is found. Each child is one way, with its own cost.
//
// What the ways have in common is here as well: a Store makes templates, a Layer
// is a plan's difference to one, and a Collector turns what a walk finds into
// changes.
package workspace

import (
	"context"
	"errors"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/sandbox"
)

var (
	// ErrSetup reports that carry or setup failed: infrastructure, never the
	// candidate's fault. It wraps the command's last output.
	ErrSetup = errors.New("setup failed")
	// ErrUnmarked reports a tree whose marker is missing, or that is gone
	// itself: no patch is taken from it.
	ErrUnmarked = errors.New("workspace is not marked as complete")
	// ErrNestedGit reports a repository that a command made inside its
	// workspace: its files would vanish from a commit.
	ErrNestedGit = errors.New("nested git repository")
	// ErrSpecial reports sockets, pipes and devices that commands left where
	// they are not ignored: no commit can hold them.
	ErrSpecial = errors.New("not a regular file, link or folder")
	// ErrVanished reports a template that somebody removed while it was used.
	// The next workspace has it made anew.
	ErrVanished = errors.New("the prepared base tree was removed while it was in use")
	// ErrTooLarge reports a changed file too large for a commit.
	ErrTooLarge = errors.New("change is too large")
)

// A TemplateSpec says what every workspace of a run starts from.
type TemplateSpec struct {
	Commit string   // base, in the ledger
	Prefix string   // folder in the tree where setup runs
	Origin string   // the user's folder that the tree's root comes from, for Carry and Lock; "": none
	Carry  []string // globs of untracked files to copy from Origin, relative to Prefix in it
	Lock   []string // files whose content keys the template, relative to Prefix
	Setup  *clade.Command
	Limits sandbox.Limits
	// Progress is told what is being done, for anything over a second.
	Progress func(string)
}

// A Template is a base tree made once, with what setup and carry added, a HOME
// and tool caches filled by setup, and a one-commit repository. It is immutable
// while any workspace lies over it.
type Template interface {
	Key() string // digest of everything that went into it
	Commit() string
	// Making says which making of the template lies on disk, from 1, and
	// ErrVanished while none does: a person may remove the cache. What was seen
	// while the answer changed was not seen over a whole template.
	Making() (int, error)
}

// A Plan says which tree a workspace holds.
type Plan struct {
	Commit string // its differences to the template are written
	// Frozen laid over last, from the base: an evaluation's guard.
	Frozen []ledger.Entry
	// Removed are paths that must not exist (new files that match a frozen glob).
	Removed []string
	// Fixtures are extra files, by path.
	Fixtures map[string][]byte
	// Hidden paths are masked: dataset files.
	Hidden []string
	// Git says the workspace is a repository with one commit, for a proposer.
	Git bool
}

// A Workspace is one tree made ready. It is not safe for concurrent use, but
// its scopes may run one after the other.
type Workspace interface {
	// Scope gives an empty upper layer over the tree: what an earlier scope
	// wrote is not there.
	Scope(ctx context.Context) (Scope, error)
	Close() error
}

// A Scope is one use of a workspace by one or more commands in sequence.
type Scope interface {
	// Enter fills in the command's Dir (dir is relative to the tree, "" is its
	// root), Mounts, and HOME and TMPDIR in its Env.
	Enter(c *sandbox.Command, dir string)
	// Changes lists what commands changed, against the plan's tree, without
	// what .gitignore of the base ignores and without setup's and carry's
	// files. It must be called when nothing runs in the scope any more. With
	// ErrSpecial the list is whole but for the files named.
	Changes(ctx context.Context) ([]ledger.Change, error)
	// ReadFile returns at most max bytes of a regular file below the tree's
	// root; symlinks are never followed. It reports fs.ErrNotExist, and an
	// error for anything that is not a regular file or is larger.
	ReadFile(path string, max int64) ([]byte, error)
	Close() error
}

// A Sweeping says how a cache is swept.
type Sweeping struct {
	Templates bool // also every template that nothing uses
	Dry       bool // only say how many bytes would be freed
}

// A Provider makes workspaces.
type Provider interface {
	Name() string // "overlay", "pool", "copy": shown by doctor and bench
	Template(ctx context.Context, s TemplateSpec) (Template, error)
	Open(ctx context.Context, t Template, p Plan) (Workspace, error)
	// Keep makes dir, which must not exist (fs.ErrExist), a plain folder for a
	// person or a host agent to edit in: the plan's tree with what setup and carry
	// added. Its parents are made. It is nobody's but whoever edits it: no process
	// needs to live on, no sweep removes it, and nothing in it links to the cache.
	// It has no repository (Plan.Git has no say), hidden files are not in it, and
	// setup's HOME is not either; paths that setup wrote down are those of where
	// it ran.
	//
	// dir is made as ".tmp-NAME" beside it and renamed when all of it is on disk,
	// so that it is there whole or not at all; what a killed Keep left there, the
	// next Keep of dir removes. The last that is written before is the marker
	// beside it, dir with MarkSuffix, JSON: "commit" is the plan's in the ledger,
	// "template" the template's key, the rest is for Collect.
	Keep(ctx context.Context, t Template, p Plan, dir string) error
	// Collect lists what differs in a folder that Keep made from a commit's tree,
	// by the rules of Scope.Changes; setup's and carry's files are those that were
	// there when Keep made it. Every file is read, whatever its times say, and no
	// link below dir is followed. What the plan froze or removed counts as a
	// difference. ErrUnmarked says that dir or its marker is missing
	// (fs.ErrNotExist), or not what Keep made. Nothing is changed in dir, but that
	// files and folders whose owner may not read them are made readable.
	Collect(ctx context.Context, t Template, commit, dir string) ([]ledger.Change, error)
	// Sweep removes what dead processes left behind and returns the bytes freed.
	Sweep(ctx context.Context, s Sweeping) (int64, error)
	// Close removes what this process made but templates.
	Close() error
}
