package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/examples"
	"github.com/cladehq/clade/examples/picture"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/door/run"
	"github.com/cladehq/clade/internal/git"
)

// An exhibit is an example that demo can run.
type exhibit struct {
	name       string
	needs      string // a program beside git
	candidates int    // 0: as its spec has it
	drawn      string // file that picture can draw, "" for none
	about      string
}

var exhibits = []exhibit{
	{"packing", "go", 300, "packing.txt", "pack 26 discs into a square, the sum of their radii as large as possible"},
	{"skill", "awk", 0, "", "mend a skill that answers 4 of 30 cases right"},
}

func (e *env) demoCmd() *cobra.Command {
	var keep string
	var changes run.Changes
	c := &cobra.Command{
		Use: "demo [packing|skill]", Short: "See it work, offline, in under a minute", ValidArgs: []string{"packing", "skill"},
		Args: cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		Long: `Copies an example into a new git repository, searches it, shows the candidates and
how the winner proved itself, and applies the winner there. packing needs Go, skill
only sh and awk.

The repository is removed at the end unless --keep names a folder for it.`,
		Example: "  clade demo\n  clade demo skill --keep ./skill-demo",
	}
	c.Flags().StringVar(&keep, "keep", "", "make the repository in this new or empty folder and keep it")
	c.Flags().IntVar(&changes.Candidates, "candidates", 0, "how many candidates to try (packing: 300)")
	c.RunE = func(c *cobra.Command, args []string) error {
		x := exhibits[0]
		for _, y := range exhibits {
			if y.name == first(args) {
				x = y
			}
		}
		if changes.Candidates == 0 {
			changes.Candidates = x.candidates
		}
		if keep != "" && e.dir != "" && !filepath.IsAbs(keep) {
			keep = filepath.Join(e.dir, keep)
		}
		s := &show{e: e, x: x, keep: keep, changes: changes}
		return s.do(c.Context())
	}
	return c
}

// A show is one demonstration.
type show struct {
	e       *env
	x       exhibit
	keep    string // where to make the repository, "" for a folder that is removed
	changes run.Changes

	dir     string // the repository
	door    *run.Door
	run     string
	status  *run.Status
	applied *run.Applied
	picture string // file that was drawn
}

func (s *show) do(ctx context.Context) (err error) {
	if _, err := exec.LookPath(s.x.needs); err != nil {
		return &clade.Problem{Fault: clade.FaultEnvironment, Text: "the " + s.x.name + " example needs " + s.x.needs + ", which is not on PATH",
			Hint: "clade demo skill needs only git, sh and awk"}
	}
	remove, err := s.place()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := s.stage(ctx); err != nil {
		return err
	}
	if s.door, err = s.e.Door(s.dir); err != nil {
		return err
	}
	started, err := s.door.Start(ctx, s.dir, s.changes, s.e.told)
	if err != nil {
		return err
	}
	s.run = started.Run
	defer func() { err = errors.Join(err, s.forget(ctx)) }()
	s.e.started(started)
	if err := s.e.search(ctx, s.door, s.run, false); err != nil {
		return s.ended(err)
	}
	if err := s.look(ctx); err != nil {
		return err
	}
	if s.applied, err = s.door.Apply(ctx, s.run, run.ApplyOptions{Step: s.e.step}); err != nil {
		return err
	}
	return s.conclude(ctx)
}

// place makes the folder and says how it goes away.
func (s *show) place() (remove func() error, err error) {
	remove = func() error { return nil }
	if s.keep == "" {
		top, err := os.MkdirTemp("", "clade-demo-")
		if err != nil {
			return nil, &clade.Problem{Fault: clade.FaultEnvironment, Text: "cannot make a folder for the demo", Err: err}
		}
		remove = func() error { return os.RemoveAll(top) }
		s.dir = filepath.Join(top, s.x.name)
	} else {
		s.dir = s.keep
		if names, err := os.ReadDir(s.dir); err == nil && len(names) > 0 {
			return nil, &clade.Problem{Fault: clade.FaultConflict, Text: s.dir + " is not empty", Hint: "name a new folder"}
		}
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return nil, errors.Join(&clade.Problem{Fault: clade.FaultEnvironment, Text: "cannot make " + s.dir, Err: err}, remove())
	}
	real, err := filepath.Abs(s.dir)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	s.dir = real
	return remove, nil
}

// stage copies the example and commits it.
func (s *show) stage(ctx context.Context) error {
	files, err := fs.Sub(examples.FS, s.x.name)
	if err != nil {
		return err
	}
	if err := os.CopyFS(s.dir, files); err != nil {
		return fmt.Errorf("copy the example: %w", err)
	}
	g, err := git.Find(ctx)
	if err != nil {
		return err
	}
	repo := g.At(git.Place{Dir: filepath.Join(s.dir, ".git"), WorkTree: s.dir,
		Config: []string{"user.name=clade demo", "user.email=demo@localhost", "core.autocrlf=false"}})
	for _, args := range [][]string{
		{"init", "-q", "--template=", "--initial-branch=main"}, {"add", "--all"}, {"commit", "-q", "-m", "the " + s.x.name + " example"},
	} {
		if _, err := repo.Run(ctx, args...); err != nil {
			return fmt.Errorf("make a repository in %s: %w", s.dir, err)
		}
	}
	return nil
}

// forget removes what the run left outside a folder that is not kept.
func (s *show) forget(ctx context.Context) error {
	if s.keep != "" {
		return nil
	}
	_, err := s.door.GC(context.WithoutCancel(ctx), control.Collection{Remove: []string{s.run}})
	return err
}

// ended says of an interrupted search that it cannot be resumed when its folder
// is not kept.
func (s *show) ended(err error) error {
	if s.keep == "" && clade.FaultOf(err) == clade.FaultInterrupted {
		return &clade.Problem{Fault: clade.FaultInterrupted, Text: "interrupted; the demo's repository and its run are removed"}
	}
	return err
}

// look shows the candidates and where the winner comes from.
func (s *show) look(ctx context.Context) (err error) {
	if s.status, err = s.door.Status(ctx, s.run, 5); err != nil || s.e.json {
		return err
	}
	root, err := s.door.Tree(ctx, s.run, false)
	if err != nil {
		return err
	}
	w := s.e.Stdout
	fmt.Fprintf(w, "\nthe best %d of %d\n", len(s.status.Top), s.status.Judged)
	printRows(w, s.status.Measures, s.status.Top)
	if size(root) <= 20 {
		fmt.Fprintf(w, "\nthe lineage\n")
		printTree(w, s.status.Measures, root)
		return nil
	}
	fmt.Fprintf(w, "\nthe winner's line, of a tree of %d\n", size(root))
	printLine(w, s.status.Measures, line(root, s.status.Winner.ID))
	return nil
}

func size(n *run.Node) int {
	sum := 1
	for _, c := range n.Children {
		sum += size(c)
	}
	return sum
}

// line is the way from a node down to the one called id, nil when that does not
// descend from it.
func line(n *run.Node, id clade.ID) []*run.Node {
	if n.ID == id {
		return []*run.Node{n}
	}
	for _, c := range n.Children {
		if rest := line(c, id); rest != nil {
			return append([]*run.Node{n}, rest...)
		}
	}
	return nil
}

// printLine shows both ends of a line.
func printLine(w io.Writer, measures []clade.Measure, line []*run.Node) {
	const head, tail = 4, 6
	for i, n := range line {
		switch {
		case len(line) > head+tail && i == head:
			fmt.Fprintf(w, "  │  %d more\n", len(line)-head-tail)
		case len(line) > head+tail && i > head && i < len(line)-tail:
		default:
			label := fmt.Sprint(n.ID)
			if n.ID == clade.Base {
				label = "base"
			}
			fmt.Fprintf(w, "%4s  %s  %s\n", label, values(measures, n.Values), clip(printable(what(n.Row)), 60))
		}
	}
}

// conclude says what was done and what can be done next.
func (s *show) conclude(ctx context.Context) error {
	w := s.e.Stdout
	var drawn string
	if s.x.drawn != "" {
		var err error
		if drawn, err = s.draw(ctx); err != nil {
			return err
		}
	}
	if s.e.json {
		return s.e.line(struct {
			Event   string   `json:"event"`
			Example string   `json:"example"`
			Run     string   `json:"run"`
			Winner  clade.ID `json:"winner"`
			Applied []string `json:"applied"`
			Dir     string   `json:"dir,omitempty"` // when kept
			Picture string   `json:"picture,omitempty"`
		}{"demo", s.x.name, s.run, s.applied.Winner, s.applied.Paths, s.kept(), s.picture})
	}
	if drawn != "" {
		fmt.Fprintf(w, "\n%s", drawn)
	}
	fmt.Fprintf(w, "\napplied: %s of candidate %d in the demo's repository\n\n", clade.Counted(len(s.applied.Paths), "file"), s.applied.Winner)
	if s.keep == "" {
		fmt.Fprintf(w, `The repository and its run are removed now; clade demo --keep DIR keeps them to look
at. A prepared copy of the example stays in the cache, so that another demo starts at
once; clade gc --templates frees it.
`)
	} else {
		if s.picture != "" {
			fmt.Fprintf(w, "a picture of it: %s\n", s.picture)
		}
		fmt.Fprintf(w, `kept in %s; look around there:
  clade log     why each decision was taken
  clade show    all that is known of the winner
  git diff      what apply wrote; clade undo takes it back
rm -rf removes it, state and all.
`, s.dir)
	}
	fmt.Fprintf(w, `
with a project of your own, in its folder:
  clade init             writes a first clade.yaml, to be read and changed
  clade plan --measure   says what a run does and may cost, and measures the base
  clade run              searches; your files are only read
  clade apply            shows the winner's diff, asks, and writes it
`)
	return nil
}

func (s *show) kept() string {
	if s.keep == "" {
		return ""
	}
	return s.dir
}

// draw shows what was evolved before and after, and when the folder is kept
// writes a picture of the whole run into it.
func (s *show) draw(ctx context.Context) (string, error) {
	before, err := examples.FS.ReadFile(s.x.name + "/" + s.x.drawn)
	if err != nil {
		return "", err
	}
	after, err := os.ReadFile(filepath.Join(s.dir, s.x.drawn))
	if err != nil {
		return "", err
	}
	was, err := picture.ParsePacking(string(before))
	if err != nil {
		return "", err
	}
	is, err := picture.ParsePacking(string(after))
	if err != nil {
		return "", err
	}
	rows, err := s.door.Rows(ctx, s.run)
	if err != nil {
		return "", err
	}
	if s.keep != "" {
		s.picture = filepath.Join(s.dir, "demo.svg")
		r := picture.Run{Title: s.status.Objective, Best: bests(rows), Before: was, After: is}
		if err := os.WriteFile(s.picture, picture.SVG(r), 0o644); err != nil {
			return "", err
		}
	}
	return picture.Text(14, []string{fmt.Sprintf("before: %.4f", was.Sum()), fmt.Sprintf("after: %.4f", is.Sum())}, was, is), nil
}

// bests are the best score so far: the base's, then after each attempt that
// proposed something.
func bests(rows []run.Row) (out []float64) {
	for _, r := range rows {
		switch {
		case r.ID == clade.Base:
			if r.Score == nil {
				return nil
			}
			out = append(out, *r.Score)
		case r.Operator == "":
		case r.Score != nil:
			out = append(out, max(*r.Score, out[len(out)-1]))
		default:
			out = append(out, out[len(out)-1])
		}
	}
	return out
}
