package evolution

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/format/evolution"
	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/proc"
)

// Names beside the evolutions that are there while one is written, and that no
// evolution can have.
const (
	nameLock   = ".clade-lock"
	nameStaged = ".clade-new"
)

// A Seed is an evolution that is not written yet: nothing of it is on disk.
type Seed struct {
	ID    int // the next one as things stand; when it is written it may be another's
	Slug  string
	Found []evolution.Gate // commands of the repository that may be gates, without ids

	title string
	place string // the folder that .agents lies in
	git   *git.Git
	repo  git.Facts
	at    time.Time
}

// Made is what a new evolution consists of.
type Made struct {
	ID     int      `json:"id"`
	Slug   string   `json:"slug"`
	Dir    string   `json:"dir"`   // absolute
	Files  []string `json:"files"` // absolute; .gitignore among them if it needs a line
	DryRun bool     `json:"dry_run,omitempty"`
	YAML   string   `json:"evolution_yaml,omitempty"` // of a preview
	Page   string   `json:"evolution_md,omitempty"`
	Ignore string   `json:"-"` // the line that .gitignore needs, "" if it needs none
	Lands  string   `json:"-"` // what apply would do
}

// Seed begins an evolution. Nothing is written. A title that names an evolution
// which is there, by its id or a fragment of its slug, is refused with what can
// be done with that one, and so is a place that is no work tree of git.
func (d *Door) Seed(ctx context.Context, title string) (*Seed, error) {
	s := &Seed{title: line(title), at: d.clock()}
	if s.title == "" {
		return nil, &clade.Problem{Fault: clade.FaultUsage, Text: "an evolution needs a title", Hint: titleHint}
	}
	if err := s.find(ctx, d); err != nil {
		return nil, err
	}
	if err := s.number(); err != nil {
		return nil, err
	}
	if _, err := s.ignore(ctx, evolution.Dir(s.ID, s.Slug)); err != nil {
		return nil, err
	}
	s.Found = gatesOf(s.place)
	return s, nil
}

// Gates finds commands of the repository that may be gates, without ids.
func (d *Door) Gates(ctx context.Context) ([]evolution.Gate, error) {
	s := &Seed{}
	if err := s.find(ctx, d); err != nil {
		return nil, err
	}
	return gatesOf(s.place), nil
}

// find finds the repository, and where .agents lies in it.
func (s *Seed) find(ctx context.Context, d *Door) (err error) {
	if s.git, err = git.Find(ctx); err != nil {
		return err
	}
	if s.repo, err = s.git.Discover(ctx, d.here); err != nil {
		return err
	}
	if s.repo.Top == "" {
		return &clade.Problem{Fault: clade.FaultNotFound, Where: d.here, Text: "not in a work tree of git", Hint: "evolutions are written where their repository is checked out"}
	}
	s.place = d.placeIn(s.repo.Top)
	return nil
}

// placeIn is where .agents lies or will: as the other verbs find it, or else at
// the root of the work tree.
func (d *Door) placeIn(top string) string {
	root, _, err := d.names()
	if err != nil {
		return top
	}
	place := filepath.Dir(filepath.Dir(root))
	if rel, err := filepath.Rel(top, place); err != nil || !filepath.IsLocal(rel) {
		return top
	}
	return place
}

func (s *Seed) root() string { return filepath.Join(s.place, filepath.FromSlash(evolution.Root)) }

// folders are the folders that evolutions lie in, the outer ones first.
func (s *Seed) folders() (all []string) {
	dir := s.place
	for name := range strings.SplitSeq(evolution.Root, "/") {
		dir = filepath.Join(dir, name)
		all = append(all, dir)
	}
	return all
}

const titleHint = `a title is a few words: clade evolution new "Optimize CLI startup"`

// number gives the seed its id and slug, unless its title names what is there.
func (s *Seed) number() error {
	for _, dir := range s.folders() {
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			return &clade.Problem{Fault: clade.FaultConflict, Where: dir, Text: "is no folder, or a link to one", Hint: "evolutions lie in a folder of the repository itself; move it away"}
		}
	}
	entries, err := os.ReadDir(s.root())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &clade.Problem{Fault: clade.FaultEnvironment, Text: "evolutions cannot be listed", Err: err}
	}
	var names, dirs []string
	for _, e := range entries {
		names = append(names, e.Name())
		if e.IsDir() {
			dirs = append(dirs, e.Name())
		}
	}
	if err := s.taken(dirs); err != nil {
		return err
	}
	s.ID, s.Slug = evolution.NextID(names), evolution.Slug(s.title)
	return nil
}

// taken refuses a title that names an evolution.
func (s *Seed) taken(dirs []string) error {
	m, err := evolution.Resolve(s.title, dirs)
	if slug := evolution.Slug(s.title); err != nil && slug != evolution.Slug("") { // a title of other letters has no slug of its own
		m, err = evolution.Resolve(slug, dirs)
	}
	if err == nil {
		return &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("%q names %s, which is there already", s.title, m.Dir), Hint: s.instead(m.Dir)}
	}
	if _, err := strconv.Atoi(s.title); err == nil {
		return &clade.Problem{Fault: clade.FaultUsage, Text: s.title + " is an id, and none that is there", Hint: titleHint + "; clade evolution list shows what there is"}
	}
	return nil
}

// instead says what can be done with an evolution that is there.
func (s *Seed) instead(dir string) string {
	id, _, _ := strings.Cut(dir, "-")
	const other = "; another evolution needs another title"
	doc, err := folder{filepath.Join(s.root(), dir)}.read()
	switch {
	case err != nil:
		return "clade evolution show " + id + " says what is wrong with it" + other
	case doc.Evolution.State() == evolution.StateApplied:
		return "it is done: clade evolution show " + id + " shows it" + other
	case doc.Evolution.Winner != nil:
		return "clade evolution apply " + id + " lands its winner" + other
	}
	return "clade evolution run " + id + " goes on with it" + other
}

// Preview returns the evolution as it would be written, and writes nothing. What
// is wrong with the draft is reported at once, as *clade.Problem.
func (s *Seed) Preview(ctx context.Context, d Draft) (*Made, error) {
	if err := CheckObjective(d.Objective); err != nil {
		return nil, err
	}
	yaml, page, err := evolution.Seed(d.of(*s))
	if err != nil {
		return nil, unplaced(err)
	}
	ignore, err := s.ignore(ctx, evolution.Dir(s.ID, s.Slug))
	if err != nil {
		return nil, err
	}
	m := s.made(ignore)
	m.YAML, m.Page, m.Lands = string(yaml), string(page), d.Scope.lands()
	return m, nil
}

func (s *Seed) made(i *ignoring) *Made {
	m := &Made{ID: s.ID, Slug: s.Slug, Dir: filepath.Join(s.root(), evolution.Dir(s.ID, s.Slug))}
	m.Files = []string{filepath.Join(m.Dir, evolution.FileEvolution), filepath.Join(m.Dir, evolution.FilePage)}
	if i.needed() {
		m.Files, m.Ignore = append(m.Files, i.name), variantsIgnored
	}
	return m
}

// lands says what apply would do, in one line.
func (s DraftScope) lands() string {
	what := "everything the winner changed"
	if len(s.Include) > 0 {
		what = "what the winner changed of " + strings.Join(s.Include, ", ")
	}
	text := "apply would show " + what + ", ask, and write it into your files"
	if len(s.Exclude) > 0 {
		text += "; it refuses a winner that changed any of " + strings.Join(s.Exclude, ", ")
	}
	return text
}

// Write writes the evolution: its directory comes into being whole, with an id
// of its own however many are written at the same time, or nothing is left.
// Writing is called when files are about to be made, and what it returns when
// they are; nil: nobody is told.
func (s *Seed) Write(ctx context.Context, d Draft, writing func() (done func())) (m *Made, err error) {
	if _, err := s.Preview(ctx, d); err != nil {
		return nil, err // before a folder is made
	}
	return s.grow(ctx, writing, func(dir string) error {
		yaml, page, err := evolution.Seed(d.of(*s))
		if err != nil {
			return unplaced(err)
		}
		return stage(dir, yaml, page)
	})
}

// grow has fill make the evolution's directory under another name, once its id is
// known, and puts it in its place.
func (s *Seed) grow(ctx context.Context, writing func() (done func()), fill func(dir string) error) (m *Made, err error) {
	made, lock, err := s.enter(ctx)
	defer func() {
		if lock != nil {
			err = errors.Join(err, lock.Remove())
		}
		if err != nil {
			for i := range made {
				_ = os.Remove(made[len(made)-1-i]) // others may have begun to use it
			}
			m, err = nil, unwritten(s.root(), err)
		}
	}()
	if err != nil {
		return nil, err
	}
	if writing != nil {
		defer writing()()
	}
	if err := s.number(); err != nil { // another one may have been written since
		return nil, err
	}
	return s.plant(ctx, fill)
}

// enter makes the folders that evolutions lie in, where they are missing, and
// locks the inner one. It returns those that it made, also with an error.
func (s *Seed) enter(ctx context.Context) (made []string, lock *proc.Lock, err error) {
	for {
		for _, dir := range s.folders() {
			if err := os.Mkdir(dir, 0o777); err == nil {
				made = append(made, dir)
			} else if !errors.Is(err, fs.ErrExist) {
				return made, nil, err
			}
		}
		lock, err = proc.WaitLock(ctx, filepath.Join(s.root(), nameLock), false)
		if !errors.Is(err, fs.ErrNotExist) { // whoever failed took the folders away again
			return made, lock, err
		}
	}
}

// plant makes the directory beside its place and moves it there. The lock is
// held.
func (s *Seed) plant(ctx context.Context, fill func(dir string) error) (_ *Made, err error) {
	staged := filepath.Join(s.root(), nameStaged)
	if err := os.RemoveAll(staged); err != nil { // whoever left it has died
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(staged)) }()
	if err := fill(staged); err != nil {
		return nil, err
	}
	ignore, err := s.ignore(ctx, evolution.Dir(s.ID, s.Slug))
	if err != nil {
		return nil, err
	}
	m := s.made(ignore)
	if err := ignore.write(); err != nil {
		return nil, err
	}
	if err := os.Rename(staged, m.Dir); err != nil {
		return nil, errors.Join(err, ignore.undo())
	}
	if err := atomicfile.SyncDir(s.root()); err != nil {
		return nil, errors.Join(err, os.RemoveAll(m.Dir), ignore.undo())
	}
	return m, nil
}

// stage fills the directory of an evolution.
func stage(dir string, yaml, page []byte) error {
	if err := os.MkdirAll(filepath.Join(dir, evolution.DirVariants), 0o777); err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(dir, evolution.FileEvolution), yaml, 0o644); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, evolution.FilePage), page, 0o644)
}

// unwritten says that nothing was written, unless err says so in its own words.
func unwritten(where string, err error) error {
	if clade.FaultOf(err) != "" {
		return err
	}
	return &clade.Problem{Fault: clade.FaultEnvironment, Where: where, Text: "the evolution cannot be written, and nothing of it was", Err: err}
}
