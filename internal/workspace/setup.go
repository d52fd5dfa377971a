package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/sandbox"
)

// lastOutput is how many bytes of a failed setup's output people are shown.
const lastOutput = 2 << 10

// env is what setup's environment begins with, sorted by name.
func (b *building) env() []string {
	return sandbox.Environ(*b.spec.Setup, b.store.Env, os.LookupEnv)
}

// setup runs the command in the template's tree.
func (b *building) setup(ctx context.Context, tmp string) error {
	temp := filepath.Join(tmp, "tmp")
	if err := os.MkdirAll(temp, 0o755); err != nil {
		return err
	}
	defer Remove(temp) //nolint:errcheck // it lies in a folder that is removed with the template
	s := b.spec.Setup
	c := sandbox.Command{Args: s.Args(), Env: b.env(), Limits: b.spec.Limits, Network: s.Network}
	if s.Timeout > 0 {
		c.Limits.Wall = time.Duration(s.Timeout)
	}
	at := path.Join(b.spec.Prefix, filepath.ToSlash(s.Dir))
	view := View{Tree: filepath.Join(tmp, treeDir), Home: filepath.Join(tmp, homeDir), Temp: temp}
	if b.store.Mounted {
		inside := View{Tree: b.store.Sandbox.Work(), Home: b.store.Sandbox.Home(), Temp: MountedTemp}
		c.Mounts = []sandbox.Mount{
			{Kind: sandbox.MountBind, Source: view.Tree, Target: inside.Tree},
			{Kind: sandbox.MountBind, Source: view.Home, Target: inside.Home},
			{Kind: sandbox.MountBind, Source: view.Temp, Target: inside.Temp},
		}
		view = inside
	} else {
		c.Writable = view.Folders()
	}
	c.Env, c.Dir = view.Environ(c.Env), filepath.Join(view.Tree, filepath.FromSlash(at))
	r, err := b.store.Sandbox.Run(ctx, c)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSetup, err)
	}
	if !r.OK() {
		return &clade.Problem{
			Fault: clade.FaultEnvironment, Text: fmt.Sprintf("preparing workspaces with %q", strings.Join(s.Args(), " ")),
			Hint: "setup runs on the base commit's files and what carry adds, with its own HOME; it has a network only with network: true",
			Err:  fmt.Errorf("%w: %s: %s", ErrSetup, r.Failure(c.Limits), r.Excerpt(lastOutput, sandbox.SecretsOf(*s, os.LookupEnv))),
		}
	}
	return nil
}

// left is what setup left of a tracked file; both are "" when it removed it.
type left struct {
	Mode ledger.Mode `json:"mode,omitempty"`
	Blob string      `json:"blob,omitempty"`
}

// compareWithBase walks a furnished tree and tells what is not of the base:
// files, whole folders (with a slash at the end), sorted; and what became of
// tracked files.
func compareWithBase(tree string, base *Tree) (owned []string, altered map[string]left, err error) {
	altered = map[string]left{}
	seen := make(map[string]bool, len(base.base))
	err = filepath.WalkDir(tree, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == tree {
			return err
		}
		rel := filepath.ToSlash(p[len(tree)+1:])
		if d.IsDir() {
			if e, ok := base.Lookup(rel); ok && e.Mode == ledger.ModeGitlink {
				seen[rel] = true
			} else if !base.IsDir(rel) {
				owned = append(owned, rel+"/")
				return fs.SkipDir
			}
			return nil
		}
		e, ok := base.Lookup(rel)
		if !ok {
			owned = append(owned, rel)
			return nil
		}
		seen[rel] = true
		now, err := whatIsLeft(p, d, e)
		if err == nil && now != (left{e.Mode, e.Blob}) {
			altered[rel] = now
		}
		return err
	})
	for _, e := range base.base {
		if !seen[e.Path] {
			altered[e.Path] = left{}
		}
	}
	slices.Sort(owned)
	return owned, altered, err
}

// whatIsLeft looks at a tracked file; its content only when its time says that
// it was written.
func whatIsLeft(p string, d fs.DirEntry, e ledger.Entry) (left, error) {
	info, err := d.Info()
	if err != nil {
		return left{}, err
	}
	mode, ok := ledger.ModeOf(info.Mode())
	if !ok {
		return left{}, nil
	}
	if mode == e.Mode && info.ModTime().Equal(baseTime) {
		return left{mode, e.Blob}, nil
	}
	data, err := readLeaf(p, mode)
	if errors.Is(err, fs.ErrNotExist) {
		return left{}, nil
	}
	return left{mode, blobID(data)}, err
}

// readLeaf reads a file or a link that a walk has just found.
func readLeaf(p string, mode ledger.Mode) ([]byte, error) {
	if mode == ledger.ModeSymlink {
		to, err := os.Readlink(p)
		return []byte(to), err
	}
	return os.ReadFile(p)
}
