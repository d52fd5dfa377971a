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
	"regexp"
	"runtime"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/atomicfile"
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
	File     string            // the spec's path
	Said     map[string]string // see clade.Opened
	Target   string            // absolute path of the target
	Root     string            // absolute path of the folder the tree's paths are relative to
	State    string            // state folder
	From     string            // commit of the user's repository, "" for plain folders
	Source   ledger.Source
	Warnings []format.Warning
	// LeftOut describes what the work tree holds beyond the base, in words
	// for people: uncommitted changes are not part of a run.
	LeftOut  []string
	pointers int // files under LFS that an edit might otherwise touch
}

// maxSpec bounds a spec file: 4 MiB.
const maxSpec = 4 << 20

// Resolve reads the spec at path, a file or a folder that holds one, and finds
// its target. It reads only.
func (c *Control) Resolve(ctx context.Context, path string) (*Resolved, error) {
	file, spec, warnings, err := c.read(path)
	if err != nil {
		return nil, err
	}
	return c.Settle(ctx, file, spec, warnings)
}

// Settle finds the target of a spec that a door read from file, which is where
// paths are relative to; see Resolve.
func (c *Control) Settle(ctx context.Context, file string, spec *clade.Spec, warnings []format.Warning) (*Resolved, error) {
	r := &Resolved{Spec: *spec, File: file, Said: said(spec), Warnings: warnings}
	if err := r.locate(ctx); err != nil {
		return nil, err
	}
	if t := r.Spec.Target; len(t.Only) > 0 && t.Kind != clade.TargetDir {
		return nil, &clade.Problem{Fault: clade.FaultSpec, Where: r.File, Text: fmt.Sprintf("target.only is for plain folders, and the target is of kind %s", t.Kind),
			Hint: "write target.kind: dir to take the files as they are on disk, or name in allow what may be edited"}
	}
	r.guardFiles()
	r.State = c.stateDir(r)
	if r.Spec.Slots == 0 {
		r.Spec.Slots = runtime.NumCPU()
	}
	r.Digest = Digest(&r.Spec)
	return r, nil
}

// read reads the spec at path as it is written, defaults filled in.
func (c *Control) read(path string) (file string, spec *clade.Spec, warnings []format.Warning, err error) {
	file, data, err := readSpec(path)
	if err != nil {
		return "", nil, nil, err
	}
	f, err := c.detect(file, data)
	if err != nil {
		return "", nil, nil, err
	}
	spec, warnings, err = f.Read(file, data)
	return file, spec, warnings, err
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
		return "", nil, &clade.Problem{Fault: clade.FaultSpec, Text: fmt.Sprintf("%s has %d bytes; a spec has at most %d", path, info.Size(), maxSpec),
			Hint: "is it the right file? keep data in a dataset or in the target, and name it in the spec"}
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
	if p := filepath.Join(dir, fileEvolution); exists(p) { // which detect says more of
		return p, nil
	}
	return "", &clade.Problem{Fault: clade.FaultNotFound, Text: "no spec in " + dir,
		Hint: "looked for " + strings.Join(SpecNames, ", ") + "; clade init writes a starter"}
}

func exists(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// fileEvolution has another door: what it says is measured with its directory.
const fileEvolution = "evolution.yaml"

var evolutionID = regexp.MustCompile(`(?m)^["{ ]*evolution_id"?[ \t]*:[ \t]*([0-9]+)`)

// noSpec refuses a file that is of no format.
func noSpec(file string, data []byte) error {
	if m := evolutionID.FindSubmatch(data); m != nil {
		return &clade.Problem{Fault: clade.FaultSpec, Where: file, Text: "this is an evolution, and no spec",
			Hint: fmt.Sprintf("clade evolution run %s runs it; clade evolution show %s shows it", m[1], m[1])}
	}
	return &clade.Problem{Fault: clade.FaultSpec, Where: file, Text: "this is no spec that clade knows",
		Hint: "a clade.yaml has the keys version, objective and measures; clade schema prints them all"}
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
		return nil, noSpec(file, data)
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
	g, err := git.Find(ctx)
	if err != nil {
		return err
	}
	facts, err := g.Discover(ctx, r.Target)
	switch {
	case clade.FaultOf(err) == clade.FaultNotFound && t.Kind == "":
		return r.locateDir()
	case err != nil:
		return err
	case facts.Bare:
		return &clade.Problem{Fault: clade.FaultSpec, Where: r.File, Text: "the target is a bare repository: it has no files to land in"}
	}
	return r.locateGit(ctx, facts.Repo(g), facts)
}

func (r *Resolved) locateFile() error {
	r.Spec.Target.Kind = clade.TargetFile
	r.Source = fileSource(r.Target)
	r.Root = r.Source.Dir
	return nil
}

// fileSource is how a target that is one file is read.
func fileSource(file string) ledger.Source {
	return ledger.Source{Dir: filepath.Dir(file), Only: []string{ledger.Literal(filepath.Base(file))}}
}

func (r *Resolved) locateDir() error {
	r.Spec.Target.Kind = clade.TargetDir
	r.Root = r.Target
	r.Source = ledger.Folder(r.Target, r.Spec.Target.Only)
	return r.Source.Unfit()
}

func (r *Resolved) locateGit(ctx context.Context, repo *git.Repo, facts git.Facts) error {
	t := &r.Spec.Target
	t.Kind, r.Root, t.Prefix = clade.TargetGit, facts.Top, strings.TrimSuffix(facts.Prefix, "/")
	if t.Base == "" {
		if facts.Unborn {
			return &clade.Problem{Fault: clade.FaultSpec, Text: "the repository " + facts.Top + " has no commit yet",
				Hint: "commit what shall be evolved, or set target.kind: dir"}
		}
		t.Base = "HEAD"
	}
	commit, err := repo.Line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", t.Base+"^{commit}")
	if err != nil {
		return &clade.Problem{Fault: clade.FaultSpec, Where: r.File, Text: fmt.Sprintf("the repository has no commit %q", t.Base), Err: err,
			Hint: "target.base is a branch, tag or commit of the target's repository"}
	}
	t.Base, r.From = commit, commit
	r.Source = ledger.Source{Git: facts.Top, Rev: commit}
	status, err := repo.Status(ctx)
	if err != nil {
		return err
	}
	r.LeftOut = leftOut(status)
	if facts.Submodules {
		r.LeftOut = append(r.LeftOut, "the content of submodules")
	}
	if facts.LFS {
		return r.freezePointers(ctx, repo)
	}
	return nil
}

// leftOut says what the work tree holds beyond the base.
func leftOut(s git.Status) (out []string) {
	for _, k := range []struct {
		what  string
		paths []string
	}{{"staged", s.Staged}, {"changed", s.Unstaged}, {"conflicted", s.Conflicted}, {"untracked", s.Untracked}} {
		if n := len(k.paths); n == 1 {
			out = append(out, fmt.Sprintf("1 %s file (%q)", k.what, k.paths[0]))
		} else if n > 1 {
			out = append(out, fmt.Sprintf("%d %s files", n, k.what))
		}
	}
	return out
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

// stateName is the folder in a target that holds its runs.
const stateName = ".clade"

// stateDir is where the target's runs are kept.
func (c *Control) stateDir(r *Resolved) string {
	if c.StateFor != "" {
		return c.StateFor
	}
	if r.Spec.Target.Kind != clade.TargetFile && writable(r.Root) {
		return filepath.Join(r.Root, stateName)
	}
	sum := sha256.Sum256([]byte(r.Target))
	return filepath.Join(c.State, "targets", filepath.Base(r.Target)+"-"+hex.EncodeToString(sum[:6]))
}

// writable reports whether .clade in dir exists or could be made, without
// making anything.
func writable(dir string) bool {
	if info, err := os.Stat(filepath.Join(dir, stateName)); err == nil {
		return info.IsDir()
	}
	return atomicfile.Writable(dir)
}
