package evolution

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/format/evolution"
	"github.com/cladehq/clade/internal/git"
)

// offer has the run take over what it does not know: the candidates of the run
// before it, and variants of the file that a person or an agent added, or that
// were made before clade knew of them.
func (s *session) offer(ctx context.Context, r, old *control.Run) error {
	known, base, err := acquainted(ctx, r)
	if err != nil {
		return err
	}
	var all []clade.Adopted
	if old != nil {
		if all, err = inherited(ctx, old, s.doc.Evolution, known); err != nil {
			return err
		}
	}
	for _, a := range all {
		known[a.Name] = true
	}
	var made []evolution.Variant // with a tree that lies on disk
	for _, v := range s.doc.Evolution.Variants {
		switch {
		case known[v.ID]:
		case s.thought(v):
			all = append(all, adopted(v))
		case v.Status == evolution.Evaluated || v.Status == evolution.Running:
			if _, err := os.Lstat(s.f.workspace(v.ID)); err == nil {
				made = append(made, v)
			}
		}
	}
	if len(made) > 0 {
		got, err := s.collect(ctx, r, base, made)
		if err != nil {
			return err
		}
		all = append(all, got...)
	}
	slices.SortStableFunc(all, func(a, b clade.Adopted) int {
		return cmp.Or(cmp.Compare(a.Generation, b.Generation), cmp.Compare(number(a.Name), number(b.Name)))
	})
	return r.Offer(ctx, all)
}

// acquainted are the names of variants that a run knows or was offered, and its
// base in the ledger.
func acquainted(ctx context.Context, r *control.Run) (known map[string]bool, base string, err error) {
	known = map[string]bool{}
	return known, base, r.View(ctx, func(v clade.View) error {
		base = v.Life(clade.Base).Commit
		for id := clade.Base + 1; id <= v.Head().Count; id++ {
			if l := v.Life(id); l.Name != "" {
				known[l.Name] = true
			}
		}
		for n := range v.Notes(clade.NoteAdopt) {
			var a clade.Adopted
			if json.Unmarshal([]byte(n.Body), &a) == nil {
				known[a.Name] = true
			}
		}
		return nil
	})
}

// inherited are the candidates of a run before, as the next one takes them over.
func inherited(ctx context.Context, old *control.Run, e *evolution.Evolution, known map[string]bool) (all []clade.Adopted, err error) {
	at := map[string]int{}
	return all, old.View(ctx, func(v clade.View) error {
		for id := clade.Base + 1; id <= v.Head().Count; id++ {
			l := v.Life(id)
			if !l.Proposes() || l.Name == "" || known[l.Name] || l.Commit == "" && !l.Open {
				continue // what came to nothing stays as the file has it
			}
			a := clade.Adopted{Name: l.Name, Generation: l.Generation, Hypothesis: l.Why}
			for _, p := range l.Parents {
				if name := v.Life(p).Name; name != "" {
					a.Parents = append(a.Parents, name)
				}
			}
			if stored := e.Variant(l.Name); stored != nil {
				a.Hypothesis, a.Approach = stored.Hypothesis, stored.Approach
			}
			if l.Commit != "" {
				a.Given = &clade.Given{Commit: l.Commit, Tree: l.Tree, Summary: l.Summary}
			}
			if i, twice := at[l.Name]; twice {
				all[i] = a
				continue
			}
			at[l.Name] = len(all)
			all = append(all, a)
		}
		return nil
	})
}

// thought reports whether a variant was only thought of: it waits for a worker,
// or its worker has left no result.
func (s *session) thought(v evolution.Variant) bool {
	if v.Status != evolution.Running {
		return v.Status == evolution.Pending
	}
	_, err := os.Lstat(s.f.result(v.ID))
	return errors.Is(err, fs.ErrNotExist)
}

func adopted(v evolution.Variant) clade.Adopted {
	return clade.Adopted{Name: v.ID, Parents: v.Parents, Generation: v.Generation, Hypothesis: v.Hypothesis, Approach: v.Approach}
}

func number(name string) int {
	n, _ := strconv.Atoi(strings.TrimLeft(name, "v")) // names are v and a number
	return n
}

// collect makes candidates of the trees that workers left. One that cannot be
// taken is told and stays out: its numbers are nobody's but its worker's.
func (s *session) collect(ctx context.Context, r *control.Run, base string, all []evolution.Variant) (out []clade.Adopted, err error) {
	var unmarked []evolution.Variant
	take := func(v evolution.Variant, given clade.Given, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			s.tell(fmt.Sprintf("%s is left out: %v", v.ID, err))
			return nil
		}
		a := adopted(v)
		a.Given = &given
		out = append(out, a)
		return nil
	}
	err = r.Kept(ctx, s.step, func(k *control.Kept) error {
		for _, v := range all {
			changes, err := k.Changes(ctx, base, s.f.workspace(v.ID))
			if clade.FaultOf(err) == clade.FaultNotFound {
				unmarked = append(unmarked, v)
				continue
			}
			var given clade.Given
			if err == nil {
				given, err = r.Commit(ctx, base, changes, v.Hypothesis)
			}
			if err := take(v, given, err); err != nil {
				return err
			}
		}
		return nil
	})
	for _, v := range unmarked {
		if err != nil {
			return nil, err
		}
		var given clade.Given
		files, ferr := s.files(ctx, s.f.workspace(v.ID))
		if ferr == nil {
			given, ferr = r.Take(ctx, s.f.workspace(v.ID), files, v.Hypothesis)
		}
		err = take(v, given, ferr)
	}
	return out, err
}

// files lists what of a worker's folder is part of its tree: in a worktree what
// git tracks or does not ignore, else everything.
func (s *session) files(ctx context.Context, dir string) ([]string, error) {
	if sc := s.doc.Evolution.Scope; sc != nil && sc.Kind == evolution.ScopeFiles {
		return nil, nil
	}
	g, err := git.Find(ctx)
	if err != nil {
		return nil, err
	}
	facts, err := g.Discover(ctx, dir)
	if err != nil {
		return nil, err
	}
	out, err := g.At(git.Place{Dir: facts.GitDir, WorkTree: dir}).Run(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	files := []string{}
	for p := range bytes.SplitSeq(bytes.TrimRight(out, "\x00"), []byte{0}) {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(string(p)))); err == nil && len(p) > 0 {
			files = append(files, string(p))
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}
