package land

import (
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/ledger"
)

// A Preview is what an apply would do.
type Preview struct {
	Winner    clade.ID
	Name      string // what people call it: "candidate 7", or its own name
	Paths     []string
	Left      []string   // paths of the winner's changes that Lander.Only leaves out
	Barred    []string   // those that Lander.Never names: nothing of the winner can be landed
	Outside   []string   // those that are no part of a plain folder as it is read: nothing can be landed either
	Moved     bool       // the target has changed since the run began: a three-way merge
	Conflicts []string   // paths that the merge could not join
	Saved     string     // where the winner's patch is when there are conflicts
	Obstacles []Obstacle // what of the person's stands in the way
	Blocked   string     // why nothing can be applied at all
	Failed    []string   // gates that the merged tree fails
	Patch     []byte     // unified diff of what would change
	Done      bool       // everything already is as the winner has it

	repo    *repo // nil in a plain folder
	from    string
	landed  string      // commit of the winner's changes without those of Left, "" where nothing is left out
	merged  ledger.Made // the target's tree with the change
	entries map[string]ledger.Entry
	swaps   map[string]swap
}

// A swap is a path's change on disk.
type swap struct{ from, to file }

// An Obstacle is a path that cannot be written and why: "is …", "has …".
type Obstacle struct {
	Path, Why string
	Fault     clade.Fault
}

// Problem says what stands against applying, nil if nothing does.
func (p *Preview) Problem() error {
	const unchanged = "nothing was changed"
	switch {
	case len(p.Barred)+len(p.Outside) > 0:
		return p.untouchable()
	case p.Blocked != "":
		return conflict(p.Blocked, unchanged)
	case len(p.Conflicts) > 0:
		hint := unchanged
		if p.Saved != "" {
			hint += "; the winner's patch is " + p.Saved
			if p.repo != nil {
				hint += ", git apply --3way takes it up"
			}
		}
		return conflict("the target has moved on and the winner cannot be merged into "+quoted(p.Conflicts), hint)
	case len(p.Obstacles) > 0:
		var why []string
		for _, o := range p.Obstacles {
			why = append(why, fmt.Sprintf("%q %s", o.Path, o.Why))
		}
		hint := unchanged
		if p.Obstacles[0].Fault == clade.FaultConflict {
			hint += "; commit, move or remove what stands in the way and apply again"
		}
		return &clade.Problem{Fault: p.Obstacles[0].Fault, Text: "cannot write: " + list(why, "; "), Hint: hint}
	case len(p.Failed) > 0:
		return conflict("the tree that would result fails its gates:\n"+strings.Join(p.Failed, "\n"), unchanged)
	}
	return nil
}

// Preview works out what applying a candidate would change. It writes to the
// ledger, and the patch of a conflict; nothing else.
func (l *Lander) Preview(ctx context.Context, winner clade.ID) (*Preview, error) {
	base, won, err := l.lives(ctx, winner)
	if err != nil {
		return nil, err
	}
	if l.Commit && l.Kind != clade.TargetGit {
		return nil, &clade.Problem{Fault: clade.FaultUsage, Text: "the target is no repository: there is nothing to commit to"}
	}
	p := &Preview{Winner: winner, Name: called(&won)}
	landed, err := l.scope(ctx, p, base.Commit, won.Commit)
	switch {
	case err != nil:
		return nil, err
	case landed == "":
		return p, nil
	}
	return p, l.preview(ctx, p, &base, landed)
}

// preview is Preview of the commit that is landed.
func (l *Lander) preview(ctx context.Context, p *Preview, base *clade.Life, landed string) (err error) {
	now := l.Source
	if l.Kind == clade.TargetGit {
		if p.repo, err = l.open(ctx); err != nil {
			return err
		}
		if p.Blocked = p.repo.unfit(l.Root); p.Blocked != "" {
			return nil
		}
		now.Rev = p.repo.facts.Head
	}
	made, err := l.Ledger.Import(ctx, now)
	if err != nil {
		return failed("the target cannot be read into the run's ledger", err)
	}
	p.from, p.Moved = made.Commit, made.Tree != base.Tree
	changes, err := l.changes(ctx, p, base.Commit, landed)
	switch {
	case err != nil:
		return err
	case len(p.Conflicts) > 0:
		return l.save(ctx, p, base.Commit, landed)
	case len(changes) == 0:
		return l.settled(ctx, p, base.Commit, landed)
	}
	if err := l.merge(ctx, p, changes); err != nil {
		return err
	}
	return l.look(ctx, p)
}

func called(l *clade.Life) string {
	if l.Name != "" {
		return l.Name
	}
	return fmt.Sprintf("candidate %d", l.ID)
}

func (l *Lander) lives(ctx context.Context, winner clade.ID) (base, won clade.Life, err error) {
	return base, won, l.Log.View(ctx, func(v clade.View) error {
		life := v.Life(winner)
		if life == nil || life.Commit == "" || winner == clade.Base {
			return &clade.Problem{Fault: clade.FaultNotFound, Text: fmt.Sprintf("run %s has no candidate %d", v.Head().Run, winner)}
		}
		base, won = *v.Life(clade.Base), *life
		return nil
	})
}

// changes are what to do to the target's present tree: the winner's difference
// to the base, merged where the target has moved.
func (l *Lander) changes(ctx context.Context, p *Preview, base, won string) (out []ledger.Change, err error) {
	if p.Moved {
		if out, p.Conflicts, err = l.Ledger.Merge(ctx, base, p.from, won); err != nil {
			return nil, failed("the target and the winner cannot be merged", err)
		}
		return out, nil
	}
	deltas, err := l.Ledger.Diff(ctx, base, won)
	if err != nil {
		return nil, err
	}
	for _, d := range deltas {
		out = append(out, change(d))
	}
	return out, nil
}

// settled tells whether the files too are as the winner has them, where what the
// target is read from is: HEAD may be, and the files be put back by an undo.
func (l *Lander) settled(ctx context.Context, p *Preview, base, won string) error {
	if p.repo == nil {
		p.Done = true
		return nil
	}
	deltas, err := l.Ledger.Diff(ctx, base, won)
	if err != nil {
		return err
	}
	var paths []string
	for _, d := range deltas {
		paths = append(paths, d.Path)
	}
	own, err := p.repo.own(ctx, paths)
	if err != nil {
		return err
	}
	if p.Done = len(own) == 0; !p.Done {
		p.Blocked = fmt.Sprintf("HEAD has %s already, but your files differ from it in %s; git restore brings them back",
			p.Name, quoted(slices.Sorted(maps.Keys(own))))
	}
	return nil
}

// save keeps the winner's patch where the person can take it up by hand.
func (l *Lander) save(ctx context.Context, p *Preview, base, won string) error {
	if l.Patch == "" {
		return nil
	}
	patch, err := l.Ledger.Patch(ctx, base, won)
	if err == nil {
		err = atomicfile.Write(l.Patch, patch, 0o644)
	}
	if err != nil {
		return failed("the winner's patch cannot be kept", err)
	}
	p.Saved = l.Patch
	return nil
}

// merge makes the tree that would result, in the ledger.
func (l *Lander) merge(ctx context.Context, p *Preview, changes []ledger.Change) (err error) {
	for _, c := range changes {
		p.Paths = append(p.Paths, c.Path)
	}
	p.merged, err = l.Ledger.Commit(ctx, ledger.Draft{Parents: []string{p.from}, From: p.from, Changes: changes, Message: "land\n"})
	if err != nil {
		return failed("the tree that would result cannot be kept", err)
	}
	if p.Patch, err = l.Ledger.Patch(ctx, p.from, p.merged.Commit); err != nil {
		return failed("the tree that would result cannot be kept", err)
	}
	p.entries, err = l.entries(ctx, p.merged.Commit)
	return err
}

// look compares what would be written with what is there.
func (l *Lander) look(ctx context.Context, p *Preview) error {
	was, err := l.entries(ctx, p.from)
	if err != nil {
		return err
	}
	t, err := openTree(l.Root)
	if err != nil {
		return failed("cannot open the target", err)
	}
	defer t.close()
	s := survey{lander: l, preview: p, tree: t, was: was}
	if p.repo != nil {
		if s.attributes, err = p.repo.attributes(ctx, p.Paths); err != nil {
			return err
		}
		if s.own, err = p.repo.own(ctx, p.Paths); err != nil {
			return err
		}
	}
	p.swaps, t.replaced = make(map[string]swap, len(p.Paths)), make(map[string]bool, len(p.Paths))
	for _, path := range p.Paths {
		t.replaced[path] = true
	}
	p.Done = !l.Commit
	for _, path := range p.Paths {
		if err := s.path(ctx, path); err != nil {
			return err
		}
	}
	if p.Done {
		p.Obstacles = nil
	}
	return nil
}

// A survey looks at each path of a preview.
type survey struct {
	lander     *Lander
	preview    *Preview
	tree       *tree
	was        map[string]ledger.Entry
	attributes map[string]attributes
	own        map[string]string // by path, why the person would lose work
}

func (s *survey) path(ctx context.Context, path string) error {
	have, err := s.tree.read(path)
	if err != nil {
		return failed(fmt.Sprintf("cannot read %q", path), err)
	}
	to, err := s.wanted(ctx, path, have)
	if err != nil {
		return err
	}
	p := s.preview
	p.swaps[path] = swap{have, to}
	same := have.equal(to)
	p.Done = p.Done && same
	why, fault, err := s.obstacle(ctx, path, have, to, same)
	if why != "" {
		p.Obstacles = append(p.Obstacles, Obstacle{Path: path, Why: why, Fault: fault})
	}
	return err
}

// wanted is what the path's file shall be. Where the winner leaves the mode
// alone the file keeps its own, which git may have been told to overlook.
func (s *survey) wanted(ctx context.Context, path string, have file) (file, error) {
	e := s.preview.entries[path]
	to, err := s.lander.content(ctx, e)
	if err != nil || e.Mode == "" {
		return to, err
	}
	if repo := s.preview.repo; repo != nil && e.Mode != ledger.ModeSymlink && repo.converted(s.attributes[path]) {
		if to.data, err = repo.checkout(ctx, path, to.data); err != nil {
			return file{}, err
		}
	}
	if e.Mode == s.was[path].Mode && have.mode != "" {
		to.mode = have.mode
	}
	return to, nil
}

// obstacle says why a path must not be written, "" if it may. A file that already
// is as it shall be stands in nobody's way.
func (s *survey) obstacle(ctx context.Context, path string, have, to file, same bool) (string, clade.Fault, error) {
	own, repo := s.own[path], s.preview.repo
	switch {
	case have.odd != "":
		return have.odd, clade.FaultConflict, nil
	case same && s.lander.Commit && own == whyStaged:
		return own, clade.FaultConflict, nil
	case same:
		return "", "", nil
	case own != "":
		return own, clade.FaultConflict, nil
	case repo != nil && repo.filter(s.attributes[path]) != "":
		return fmt.Sprintf("is kept through the filter %q, which clade does not run", repo.filter(s.attributes[path])), clade.FaultConflict, nil
	case repo == nil:
		if was, err := s.lander.content(ctx, s.was[path]); err != nil || !have.equal(was) {
			return "changed just now", clade.FaultConflict, err
		}
	}
	if have.folder && to.mode != "" {
		if occupied, err := s.tree.occupied(path, s.goes); occupied || err != nil {
			return "is a folder that holds more than the winner replaces", clade.FaultConflict, err
		}
	}
	return s.locked(path), clade.FaultEnvironment, nil
}

// goes reports whether the winner removes a path.
func (s *survey) goes(p string) bool {
	return s.was[p].Mode != "" && s.preview.entries[p].Mode == ""
}

// locked says whether the folder that the path's name is in can be written.
func (s *survey) locked(p string) string {
	dir := s.tree.existing(path.Dir(p))
	if atomicfile.Writable(filepath.Join(s.lander.Root, filepath.FromSlash(dir))) {
		return ""
	}
	if dir == "." {
		return "lies in a folder that cannot be written"
	}
	return fmt.Sprintf("lies in %q, which cannot be written", dir)
}

// Check runs the gates on the merged tree and keeps what failed in p.
func (l *Lander) Check(ctx context.Context, p *Preview) (err error) {
	if !p.Done && l.Gate != nil && p.merged.Commit != "" {
		p.Failed, err = l.Gate(ctx, p.merged.Commit)
	}
	return err
}
