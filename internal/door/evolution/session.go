package evolution

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/format/evolution"
	"github.com/cladehq/clade/internal/git"
)

// A session is an evolution at work: its files and the run behind them. Close it.
type session struct {
	d     *Door
	f     folder
	match evolution.Match
	doc   *evolution.Document
	run   *control.Run
	set   Settings
	tell  func(string) // what a person wants to know
	step  func(string) // what takes time
}

func (s *session) Close() error {
	if s.run == nil {
		return nil
	}
	return s.run.Close()
}

// open finds the evolution that arg names and the run behind it, opening one
// where there is none or where what is measured has changed since.
func (d *Door) open(ctx context.Context, arg string, set Settings, tell, step func(string)) (s *session, err error) {
	f, match, err := d.find(arg)
	if err != nil {
		return nil, err
	}
	s = &session{d: d, f: f, match: match, set: set, tell: tell, step: step}
	if len(match.Others) > 0 {
		tell(fmt.Sprintf("%q also names %s", arg, strings.Join(match.Others, ", ")))
	}
	if s.doc, err = f.read(); err != nil {
		return nil, err
	}
	if err := s.live(); err != nil {
		return nil, err
	}
	unlock, err := f.lock(ctx)
	if err != nil {
		return nil, err
	}
	err = s.attach(ctx)
	if err = errors.Join(err, unlock()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// live refuses what is done.
func (s *session) live() error {
	if s.doc.Evolution.Applied == nil {
		return nil
	}
	return finished(s.match.Dir, s.doc.Evolution)
}

func (s *session) id() string { return fmt.Sprint(s.doc.Evolution.ID) }

// attach opens the run behind the evolution, or a new one. What is stored and
// not known to it is offered to it.
func (s *session) attach(ctx context.Context) error {
	l, linked, err := s.f.link()
	if err != nil {
		return err
	}
	s.set = s.set.over(l.Settings)
	spec, warnings, err := s.d.specOf(s.f, s.doc, s.set)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		s.tell(w)
	}
	old, err := s.d.behind(ctx, s.f)
	if err != nil {
		return err
	}
	if linked && old == nil {
		s.tell(fmt.Sprintf("the run %s is gone: a new one measures the stored variants again", l.Run))
	}
	if old != nil {
		same, err := s.resume(ctx, old, spec)
		if err != nil || same {
			s.run = old
			return errors.Join(err, s.keep(l))
		}
		s.tell("gates, axes or how they are run have changed: the stored variants are measured again first")
		defer func() { _ = old.Close() }()
	}
	return s.begin(ctx, spec, l, old)
}

// resume goes on with a run where it measures what the spec says. The rest of
// the spec is amended.
func (s *session) resume(ctx context.Context, r *control.Run, spec *clade.Spec) (same bool, err error) {
	resolved, err := s.resolve(ctx, spec, "")
	if err != nil {
		return false, err
	}
	err = r.Update(ctx, func(tx control.Tx) error {
		h := tx.View().Head()
		now := resolved.Spec
		now.Target.Base, now.Target.Prefix, now.Target.Kind = h.Spec.Target.Base, h.Spec.Target.Prefix, h.Spec.Target.Kind
		for i := range now.Measures { // found out by the baseline, see unsteady
			if was, ok := h.Spec.Measure(now.Measures[i].ID); ok && s.set.Noise[was.ID] == "" && was.Noise == clade.NoiseTiming {
				now.Measures[i].Noise = was.Noise
			}
		}
		if same = scoring(&now) == scoring(&h.Spec); !same || control.Digest(&now) == control.Digest(&h.Spec) {
			return nil
		}
		return tx.Append(clade.Amended{Spec: now, Digest: control.Digest(&now), What: "the evolution's files or options", Epoch: h.Epoch})
	})
	if err != nil || !same {
		return same, err
	}
	return true, s.offer(ctx, r, nil)
}

// scoring is everything of a spec that a number depends on.
func scoring(s *clade.Spec) string {
	b, err := json.Marshal([]any{s.Gates, s.Measures, s.Setup, s.Carry, s.Lock, s.Limits, s.Sandbox, s.Target.Only})
	if err != nil {
		panic(err) // a spec holds nothing that has no JSON
	}
	return string(b)
}

// begin opens a new run at the base of the one before, which every variant
// starts from.
func (s *session) begin(ctx context.Context, spec *clade.Spec, l link, old *control.Run) error {
	if l.Base == "" && spec.Target.Kind == clade.TargetGit {
		if err := s.clean(ctx); err != nil {
			return err
		}
	}
	resolved, err := s.resolve(ctx, spec, l.Base)
	if err != nil {
		return err
	}
	warnings, err := s.d.c.Refuse(ctx, resolved)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		s.tell(w)
	}
	resolved.Source.Progress = s.step
	if s.run, err = s.d.c.Create(ctx, resolved); err != nil {
		return err
	}
	if err := s.offer(ctx, s.run, old); err != nil {
		return err
	}
	return s.f.setLink(link{Run: s.run.Name, Base: resolved.From, Settings: s.set.kept()})
}

// keep keeps the settings where they are others than before.
func (s *session) keep(l link) error {
	set := s.set.kept()
	if reflect.DeepEqual(set, l.Settings) {
		return nil
	}
	l.Settings = set
	return s.f.setLink(l)
}

// resolve finds the spec's target. base is the commit that a run before began
// at, "" for where the repository is now.
func (s *session) resolve(ctx context.Context, spec *clade.Spec, base string) (*control.Resolved, error) {
	own := *spec
	own.Target.Base = base
	own.Frozen = slices.Clone(spec.Frozen)
	return s.d.c.Settle(ctx, s.f.file(evolution.FileEvolution), &own, nil)
}

func (s *session) root() string { return s.f.root() }

// clean refuses a repository with changes that no commit has: variants start at
// the commit, and would do without them.
func (s *session) clean(ctx context.Context) error {
	g, err := git.Find(ctx)
	if err != nil {
		return err
	}
	facts, err := g.Discover(ctx, s.root())
	if err != nil {
		return err
	}
	repo := facts.Repo(g)
	status, err := repo.Status(ctx)
	if err != nil {
		return err
	}
	prefix := strings.TrimSuffix(facts.Prefix, "/")
	var dirty []string
	for _, p := range slices.Concat(status.Conflicted, status.Staged, status.Unstaged, status.Untracked) {
		own, inside := strings.CutPrefix(p, prefix)
		own = strings.TrimPrefix(own, "/")
		if inside && (below(own, evolution.Root) || below(own, ".clade") || onlyOurs(ctx, repo, facts, p)) || slices.Contains(dirty, p) {
			continue
		}
		dirty = append(dirty, p)
	}
	if len(dirty) == 0 {
		return nil
	}
	slices.Sort(dirty)
	const most = 10
	list := clade.Paths(dirty[:min(most, len(dirty))])
	text := "the repository has changes that are not committed: " + quoted(list)
	if more := len(dirty) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return &clade.Problem{Fault: clade.FaultConflict, Text: text,
		Hint: "commit or stash them: every variant starts at the commit. The folder " + evolution.Root + " may have changes"}
}

func quoted(paths []string) string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = fmt.Sprintf("%q", p)
	}
	return strings.Join(out, ", ")
}

// below reports whether p, or a folder that git lists as a whole, is dir or lies
// in it.
func below(p, dir string) bool {
	p = strings.TrimSuffix(p, "/")
	return p == dir || strings.HasPrefix(p, dir+"/")
}

// onlyOurs reports whether all that changed in .gitignore is the line that
// clade evolution new adds.
func onlyOurs(ctx context.Context, repo *git.Repo, facts git.Facts, p string) bool {
	if path.Base(p) != ".gitignore" {
		return false
	}
	was, err := repo.Run(ctx, "show", "HEAD:"+p)
	if err != nil {
		was = nil // it is new
	}
	now, err := os.ReadFile(filepath.Join(facts.Top, filepath.FromSlash(p)))
	return err == nil && bytes.Equal(withLine(was, variantsIgnored), now)
}
