// Package ledger declares where candidates are kept: one commit per candidate,
// its parents the lineage, in a store that belongs to clade.
package ledger

import (
	"context"
	"errors"
	"io/fs"
)

// Mode is a git file mode.
type Mode string

const (
	ModeFile    Mode = "100644"
	ModeExec    Mode = "100755"
	ModeSymlink Mode = "120000"
	ModeGitlink Mode = "160000" // a submodule or nested repository; only ever listed
)

// ModeOf is the mode of a file or link that a folder holds; false for what a
// tree cannot hold, and for folders. A file that anybody may execute is
// ModeExec.
func ModeOf(m fs.FileMode) (Mode, bool) {
	switch {
	case m&fs.ModeSymlink != 0:
		return ModeSymlink, true
	case !m.IsRegular():
		return "", false
	case m&0o111 != 0:
		return ModeExec, true
	}
	return ModeFile, true
}

// ErrNoObject reports a commit, tree or blob that the ledger does not hold.
var ErrNoObject = errors.New("no such object")

// ErrBusy reports a ledger that somebody has open, where nobody may.
var ErrBusy = errors.New("ledger is in use")

// ErrPath reports a change that no tree can hold: a path that is empty,
// absolute, has a component "." or "..", or could be taken for ".git"; a mode
// that only a listing has; or two changes that contradict each other.
var ErrPath = errors.New("path or mode that a tree cannot hold")

// An Entry is one file of a tree. Path is slash separated bytes as git has
// them; it need not be UTF-8.
type Entry struct {
	Path string
	Mode Mode
	Blob string
	Size int64 // bytes; −1 unknown
}

// A Change replaces, adds or deletes one file.
type Change struct {
	Path   string
	Mode   Mode   // "" with Delete
	Data   []byte // content, or the target of a symlink
	Blob   string // instead of Data: an object the ledger already holds
	Delete bool
}

// A Draft is a commit to be made: the tree of From with Changes applied. A
// deletion is applied before additions, so that a file may become a folder.
type Draft struct {
	Parents []string // commits, first parent first; none for a root
	From    string   // commit whose tree is changed; "": the empty tree
	Changes []Change
	Message string
}

// Made is a commit made. Replaying Stream in a ledger that holds the parents
// and From gives the same commit: whoever names the commit durably keeps Stream
// until Sync has returned.
type Made struct {
	Commit, Tree string
	Stream       []byte // nil when the commit is already on disk
}

// A Delta is one path's difference between two trees. An empty mode means the
// path does not exist on that side.
type Delta struct {
	Path             string
	OldMode, NewMode Mode
	OldBlob, NewBlob string
}

// A Ledger keeps commits. It is safe for concurrent use.
type Ledger interface {
	// Import makes the base commit, without parents and with pinned author and
	// dates, and has it on disk when it returns.
	Import(ctx context.Context, s Source) (Made, error)
	// Commit makes a candidate. It is readable through this Ledger at once and
	// by other processes after Sync.
	Commit(ctx context.Context, d Draft) (Made, error)
	// Restore replays a stream and checks that it gives the same commit.
	Restore(ctx context.Context, m Made) error
	// Sync returns once every commit made before the call is on disk.
	Sync(ctx context.Context) error

	// List lists the files of a commit's tree, sorted by path, bytewise. The
	// result is shared: it must not be changed.
	List(ctx context.Context, commit string) ([]Entry, error)
	Read(ctx context.Context, blob string) ([]byte, error)
	// Diff lists what differs between the trees of two commits.
	Diff(ctx context.Context, from, to string) ([]Delta, error)
	// Patch is Diff as a unified diff for people, binary files by name. It
	// syncs first.
	Patch(ctx context.Context, from, to string) ([]byte, error)
	// Merge is the three-way merge of two commits over a base, as the changes
	// to ours' tree; conflicts are the paths it could not merge. It syncs first.
	Merge(ctx context.Context, base, ours, theirs string) (changes []Change, conflicts []string, err error)
	// Pack writes a repository folder at dir that holds one commit with this
	// commit's tree and nothing else, and whose objects others may borrow.
	Pack(ctx context.Context, commit, dir string) error
	// Name makes refs so that git's own collector keeps the commits.
	Name(ctx context.Context, refs map[string]string) error
	// Check reports the commits among these that are missing or broken.
	Check(ctx context.Context, commits []string) ([]string, error)
	Close() error
}
