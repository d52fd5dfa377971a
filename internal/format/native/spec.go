package native

import (
	"fmt"
	"path"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

// version is the version of the file format that this package reads.
const version = 1

// spec reads the whole file.
func (d *decoder) spec(n *syntax.Node) *clade.Spec {
	if n.Kind != syntax.Mapping {
		if n.Kind != syntax.Broken {
			d.Add(n.At, "begin with version: 1 and objective: …", "the spec must be a mapping, not %s", n)
		}
		return nil
	}
	f := d.Fields(n, "")
	if !d.version(f.Need("version", "add version: 1")) {
		return nil
	}
	s := &clade.Spec{Seed: 1}
	Complete(s)
	s.Objective = d.Text(f.Need("objective", "say in a sentence what should get better"), "say in a sentence what should get better")
	s.Brief = d.Text(f.Get("brief"), "write what operators are told, or remove the line")
	s.Target = d.target(f.Get("target"))
	s.Allow = d.Texts(f.Get("allow"), "list patterns, like [src/**]", d.glob)
	d.conduct(f, s)
	s.Gates = d.gateList(f.Get("gates"))
	d.readModels(f.Get("models"))
	d.benchmark, d.dataset = f.Has("benchmark"), f.Has("dataset")
	s.Benchmark = d.readBenchmark(f.Get("benchmark"))
	s.Dataset = d.readDataset(f.Get("dataset"))
	s.Measures = d.measures(f)
	s.Operators = d.operators(f.Get("operators"))
	s.Search = d.search(f.Get("search"), s.Search)
	s.Budget = d.budget(f.Get("budget"), s.Budget)
	f.Done()
	d.settle(s, n)
	return s
}

// conduct reads how a search is conducted, whatever it is that is evolved: on
// what grounds, within which bounds, and what a winner must stand. What is not
// said stays as it is.
func (d *decoder) conduct(f *syntax.Fields, s *clade.Spec) {
	s.Frozen = slices.Concat(s.Frozen, d.Texts(f.Get("frozen"), "list patterns, like [tests/**]", func(n *syntax.Node) {
		d.glob(n)
		if slices.Contains(s.Allow, n.Text) {
			d.warn(n.At, "%s is both in allow and in frozen; frozen wins", syntax.Quote(n.Text))
		}
	}))
	if c := f.Get("setup"); c != nil {
		s.Setup = d.command(c)
	}
	if carry := f.Get("carry"); carry != nil {
		s.Carry = d.Texts(carry, "list patterns, like [node_modules]", d.glob)
	}
	if lock := f.Get("lock"); lock != nil {
		s.Lock = d.Texts(lock, "list files, like [go.sum]", func(n *syntax.Node) { d.below(n) })
	}
	s.Limits = d.limits(f.Get("limits"), s.Limits)
	s.Sandbox = d.sandbox(f.Get("sandbox"), s.Sandbox)
	s.Protect = d.protect(f.Get("protect"), s.Protect)
	s.Final = d.final(f.Get("final"), s.Final)
	if slots := f.Get("slots"); slots != nil {
		s.Slots = int(d.Whole(slots, 0, 1024))
	}
	if seed := f.Get("seed"); seed != nil {
		s.Seed = uint64(d.Whole(seed, 0, syntax.Exact))
	}
}

// version reports whether the rest can be read.
func (d *decoder) version(n *syntax.Node) bool {
	if n == nil {
		return true
	}
	switch v := d.Whole(n, 1, syntax.Exact); {
	case v > version:
		d.Add(n.At, "update clade, or write version: 1", "version %d is newer than this clade, which reads version %d", v, version)
		return false
	default:
		return true
	}
}

// target reads what is evolved.
func (d *decoder) target(n *syntax.Node) (t clade.Target) {
	switch {
	case n == nil:
		return t
	case n.Kind == syntax.Text:
		return clade.Target{Path: d.place(n)}
	}
	f := d.Fields(n, "write a path, or path, kind and base")
	t.Path = d.place(f.Get("path"))
	t.Kind = clade.TargetKind(d.Choice(f.Get("kind"), string(clade.TargetGit), string(clade.TargetDir), string(clade.TargetFile)))
	base := f.Get("base")
	t.Base = d.Text(base, "name a commit, branch or tag")
	if base != nil && len(t.Base) > 0 && t.Base[0] == '-' {
		d.Add(base.At, "name a commit, branch or tag", "%s: %s is no revision", base.Path, syntax.Quote(t.Base))
	}
	if t.Kind == clade.TargetDir || t.Kind == clade.TargetFile {
		f.Refuse("is for git targets only", "remove it, or write kind: git", "base")
	}
	t.Prefix = d.file(f.Get("prefix"))
	t.Only = d.Texts(f.Get("only"), "list files, folders or patterns, like [docs, src/*.go]", d.glob)
	if t.Kind != clade.TargetDir {
		f.Refuse("is for plain folders only", "remove it, or write kind: dir", "only")
	}
	f.Done()
	return t
}

// place reads the target's path, which may climb out of the spec's folder.
func (d *decoder) place(n *syntax.Node) string {
	p := d.Text(n, "name a folder or file; . is the spec's own folder")
	if p != "" && (path.IsAbs(p) || drive().MatchString(p)) {
		d.Add(n.At, "write it relative to the spec's folder", "%s: %s is absolute", n.Path, syntax.Quote(p))
	}
	return p
}

// idForm is how gates, measures and operators are called.
var idForm = pattern(`^[a-z][a-z0-9_-]{0,39}$`)

const idHint = "lower-case letters, digits, _ and -, a letter first, at most 40"

// id reads a name that must be well formed and not among used.
func (d *decoder) id(n *syntax.Node, used []string) string {
	id := d.Text(n, idHint)
	switch {
	case id == "":
	case !idForm().MatchString(id):
		d.Add(n.At, idHint, "%s: %s is no valid name", n.Path, syntax.Quote(id))
	case slices.Contains(used, id):
		d.Add(n.At, "give each a name of its own", "%s: %s is taken", n.Path, syntax.Quote(id))
	}
	return id
}

// free is name, or name-2, name-3 and so on if that is taken.
func free(name string, used []string) string {
	for i, id := 2, name; ; i++ {
		if !slices.Contains(used, id) {
			return id
		}
		id = fmt.Sprintf("%s-%d", name, i)
	}
}
