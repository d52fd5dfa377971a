package native

import (
	"fmt"
	"path"
	"slices"

	"github.com/cladehq/clade"
)

// version is the version of the file format that this package reads.
const version = 1

// spec reads the whole file.
func (d *decoder) spec(n *node) *clade.Spec {
	f := d.fields(n, "begin with version: 1 and objective: …")
	if n.kind != mapping || !d.version(f.need("version", "add version: 1")) {
		return nil
	}
	s := &clade.Spec{Version: version, Seed: 1}
	s.Objective = d.text(f.need("objective", "say in a sentence what should get better"), "say in a sentence what should get better")
	s.Target = d.target(f.get("target"))
	s.Allow = d.texts(f.get("allow"), "list patterns, like [src/**]", d.glob)
	s.Frozen = d.texts(f.get("frozen"), "list patterns, like [tests/**]", func(n *node) {
		d.glob(n)
		if slices.Contains(s.Allow, n.text) {
			d.warn(n.at, "%s is both in allow and in frozen; frozen wins", quote(n.text))
		}
	})
	if c := f.get("setup"); c != nil {
		s.Setup = d.command(c)
	}
	s.Carry = d.texts(f.get("carry"), "list patterns, like [node_modules]", d.glob)
	s.Lock = d.texts(f.get("lock"), "list files, like [go.sum]", func(n *node) { d.below(n) })
	s.Gates = d.gateList(f.get("gates"))
	d.readModels(f.get("models"))
	d.benchmark, d.dataset = f.has("benchmark"), f.has("dataset")
	s.Benchmark = d.readBenchmark(f.get("benchmark"))
	s.Dataset = d.readDataset(f.get("dataset"))
	s.Measures = d.measures(f)
	s.Operators = d.operators(f.get("operators"))
	s.Search = d.search(f.get("search"))
	s.Budget = d.budget(f.get("budget"))
	s.Limits = d.limits(f.get("limits"))
	s.Sandbox = d.sandbox(f.get("sandbox"))
	s.Protect = d.protect(f.get("protect"))
	s.Final = d.final(f.get("final"))
	s.Slots = int(d.whole(f.get("slots"), 0, 1024))
	if seed := f.get("seed"); seed != nil {
		s.Seed = uint64(d.whole(seed, 0, exact))
	}
	f.done()
	d.settle(s, n)
	return s
}

// version reports whether the rest can be read.
func (d *decoder) version(n *node) bool {
	if n == nil {
		return true
	}
	switch v := d.whole(n, 1, exact); {
	case v > version:
		d.add(n.at, "update clade, or write version: 1", "version %d is newer than this clade, which reads version %d", v, version)
		return false
	default:
		return true
	}
}

// target reads what is evolved.
func (d *decoder) target(n *node) (t clade.Target) {
	switch {
	case n == nil:
		return t
	case n.kind == text:
		return clade.Target{Path: d.place(n)}
	}
	f := d.fields(n, "write a path, or path, kind and base")
	t.Path = d.place(f.get("path"))
	t.Kind = clade.TargetKind(d.choice(f.get("kind"), string(clade.TargetGit), string(clade.TargetDir), string(clade.TargetFile)))
	base := f.get("base")
	t.Base = d.text(base, "name a commit, branch or tag")
	if base != nil && len(t.Base) > 0 && t.Base[0] == '-' {
		d.add(base.at, "name a commit, branch or tag", "%s: %s is no revision", base.path, quote(t.Base))
	}
	if t.Kind == clade.TargetDir || t.Kind == clade.TargetFile {
		f.refuse("is for git targets only", "remove it, or write kind: git", "base")
	}
	t.Prefix = d.file(f.get("prefix"))
	f.done()
	return t
}

// place reads the target's path, which may climb out of the spec's folder.
func (d *decoder) place(n *node) string {
	p := d.text(n, "name a folder or file; . is the spec's own folder")
	if p != "" && (path.IsAbs(p) || drive().MatchString(p)) {
		d.add(n.at, "write it relative to the spec's folder", "%s: %s is absolute", n.path, quote(p))
	}
	return p
}

// idForm is how gates, measures and operators are called.
var idForm = pattern(`^[a-z][a-z0-9_-]{0,39}$`)

const idHint = "lower-case letters, digits, _ and -, a letter first, at most 40"

// id reads a name that must be well formed and not among used.
func (d *decoder) id(n *node, used []string) string {
	id := d.text(n, idHint)
	switch {
	case id == "":
	case !idForm().MatchString(id):
		d.add(n.at, idHint, "%s: %s is no valid name", n.path, quote(id))
	case slices.Contains(used, id):
		d.add(n.at, "give each a name of its own", "%s: %s is taken", n.path, quote(id))
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
