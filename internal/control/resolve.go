package control

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format"
	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/ledger"
)

// SpecNames are the files looked for in a folder, in order.
var SpecNames = []string{"clade.yaml", "clade.yml", "clade.json"}

// Resolved is a spec with its target found: everything a run will start from.
type Resolved struct {
	Spec     clade.Spec
	Digest   string
	File     string // the spec's path
	Target   string // absolute path of the target
	Root     string // absolute path of the folder the tree's paths are relative to
	State    string // state folder
	From     string // commit of the user's repository, "" for plain folders
	Source   ledger.Source
	Warnings []format.Warning
	// LeftOut describes what the work tree holds beyond the base, in words
	// for people: uncommitted changes are not part of a run.
	LeftOut []string
}

// maxSpec bounds a spec file: 4 MiB.
const maxSpec = 4 << 20

// Resolve reads the spec at path, a file or a folder that holds one, and finds
// its target. It reads only.
func (c *Control) Resolve(ctx context.Context, path string) (*Resolved, error) {
	file, data, err := readSpec(path)
	if err != nil {
		return nil, err
	}
	f, err := c.detect(file, data)
	if err != nil {
		return nil, err
	}
	spec, warnings, err := f.Read(file, data)
	if err != nil {
		return nil, err
	}
	r := &Resolved{Spec: *spec, File: file, Warnings: warnings}
	if err := r.locate(ctx); err != nil {
		return nil, err
	}
	r.guardFiles()
	r.State = c.stateDir(r)
	if r.Spec.Slots == 0 {
		r.Spec.Slots = runtime.NumCPU()
	}
	r.Digest = Digest(&r.Spec)
	return r, nil
}

// Digest names a resolved spec: SHA-256 of its JSON.
func Digest(s *clade.Spec) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a Spec holds nothing that has no JSON
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func readSpec(path string) (string, []byte, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		found, err := specIn(path)
		if err != nil {
			return "", nil, err
		}
		path = found
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, &clade.Problem{Fault: clade.FaultNotFound, Text: fmt.Sprintf("no file %s", path),
			Hint: "clade init writes a starter spec"}
	case err != nil:
		return "", nil, &clade.Problem{Fault: clade.FaultEnvironment, Text: "cannot look at " + path, Err: err}
	case !info.Mode().IsRegular():
		return "", nil, &clade.Problem{Fault: clade.FaultSpec, Text: path + " is not a regular file"}
	case info.Size() > maxSpec:
		return "", nil, &clade.Problem{Fault: clade.FaultSpec, Text: fmt.Sprintf("%s has %d bytes; a spec has at most %d", path, info.Size(), maxSpec)}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", nil, &clade.Problem{Fault: clade.FaultEnvironment, Text: "cannot read " + path, Err: err}
	}
	return path, data, nil
}

func specIn(dir string) (string, error) {
	for _, name := range SpecNames {
		p := filepath.Join(dir, name)
		if info, err := os.Stat(p); err == nil && !info.IsDir() {
			return p, nil
		}
	}
	return "", &clade.Problem{Fault: clade.FaultNotFound, Text: "no spec in " + dir,
		Hint: "looked for " + strings.Join(SpecNames, ", ") + "; clade init writes a starter"}
}

func (c *Control) detect(file string, data []byte) (format.Format, error) {
	var hits []format.Format
	for _, f := range c.Formats {
		if f.Detect(filepath.Base(file), data) {
			hits = append(hits, f)
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return nil, &clade.Problem{Fault: clade.FaultSpec, Where: file, Text: "this is no spec that clade knows",
			Hint: "a clade.yaml has the keys version, objective and measures; clade schema prints them all"}
	}
	var names []string
	for _, f := range hits {
		names = append(names, f.Name())
	}
	return nil, &clade.Problem{Fault: clade.FaultSpec, Where: file,
		Text: "this could be " + strings.Join(names, " or "), Hint: "remove the keys of one of them"}
}

// locate finds the target, what kind it is and its base.
func (r *Resolved) locate(ctx context.Context) error {
	dir, err := filepath.Abs(filepath.Dir(r.File))
	if err != nil {
		return err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	t := &r.Spec.Target
	r.Target = filepath.Join(dir, filepath.FromSlash(t.Path))
	info, err := os.Stat(r.Target)
	if err != nil {
		return &clade.Problem{Fault: clade.FaultNotFound, Where: r.File, Text: "no target " + r.Target, Err: err,
			Hint: "target.path is relative to the spec's folder"}
	}
	if r.Target, err = filepath.EvalSymlinks(r.Target); err != nil {
		return err
	}
	switch {
	case !info.IsDir() && (t.Kind == "" || t.Kind == clade.TargetFile):
		return r.locateFile()
	case !info.IsDir():
		return &clade.Problem{Fault: clade.FaultSpec, Where: r.File, Text: fmt.Sprintf("the target %s is a file, not a %s", r.Target, t.Kind)}
	case t.Kind == clade.TargetFile:
		return &clade.Problem{Fault: clade.FaultSpec, Where: r.File, Text: "the target " + r.Target + " is a folder, not a file"}
	case t.Kind == clade.TargetDir:
		return r.locateDir()
	}
	repo, err := git.Discover(ctx, r.Target)
	switch {
	case errors.Is(err, git.ErrNotRepository) && t.Kind == "":
		return r.locateDir()
	case err != nil:
		return err
	}
	return r.locateGit(ctx, repo)
}

func (r *Resolved) locateFile() error {
	r.Spec.Target.Kind = clade.TargetFile
	r.Root = filepath.Dir(r.Target)
	r.Source = ledger.Source{Dir: r.Root, Only: []string{filepath.Base(r.Target)}}
	return nil
}

func (r *Resolved) locateDir() error {
	r.Spec.Target.Kind = clade.TargetDir
	r.Root = r.Target
	r.Source = ledger.Source{Dir: r.Target, Skip: []string{".clade", ".git"}}
	return nil
}

func (r *Resolved) locateGit(ctx context.Context, repo *git.Repository) error {
	t := &r.Spec.Target
	t.Kind, r.Root, t.Prefix = clade.TargetGit, repo.TopLevel, repo.Prefix
	rev := t.Base
	if rev == "" {
		rev = "HEAD"
	}
	commit, err := repo.Commit(ctx, rev)
	if err != nil {
		return err
	}
	if left, err := repo.Status(ctx); err == nil {
		r.LeftOut = left.Words()
	}
	r.From = commit
	t.Base = commit
	r.Source = ledger.Source{Git: repo.TopLevel, Rev: commit}
	return nil
}

// guardFiles freezes what a candidate must not rewrite although it lies in the
// tree: the spec itself and the dataset.
func (r *Resolved) guardFiles() {
	if rel, err := filepath.Rel(r.Target, r.File); err == nil && filepath.IsLocal(rel) && r.Spec.Target.Kind != clade.TargetFile {
		r.Spec.Frozen = append(r.Spec.Frozen, filepath.ToSlash(rel))
	}
	if d := r.Spec.Dataset; d != nil {
		r.Spec.Frozen = append(r.Spec.Frozen, d.File)
	}
}

// stateDir is where the target's runs are kept.
func (c *Control) stateDir(r *Resolved) string {
	if c.StateFor != "" {
		return c.StateFor
	}
	if r.Spec.Target.Kind != clade.TargetFile && writable(r.Root) {
		return filepath.Join(r.Root, ".clade")
	}
	sum := sha256.Sum256([]byte(r.Target))
	return filepath.Join(c.State, "targets", filepath.Base(r.Target)+"-"+hex.EncodeToString(sum[:6]))
}

// writable reports whether .clade in dir exists or could be made, without
// making anything.
func writable(dir string) bool {
	if info, err := os.Stat(filepath.Join(dir, ".clade")); err == nil {
		return info.IsDir()
	}
	return canWrite(dir)
}
