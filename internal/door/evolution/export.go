package evolution

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/format/evolution"
)

// ExportOptions say what of a run is exported.
type ExportOptions struct {
	Title string // the slug is made of it; "": the run's name
	Top   int    // most candidates, not counting the ancestors of these; 0: 100
	Step  func(string)
}

const defaultTop = 100

// An Exported run is the evolution that was made of it.
type Exported struct {
	Made
	Run      string   `json:"run"`
	Variants int      `json:"variants"`
	LeftOut  int      `json:"left_out,omitempty"` // candidates
	Winner   string   `json:"winner,omitempty"`
	Applied  bool     `json:"applied,omitempty"`
	Notes    []string `json:"notes,omitempty"` // what is not as it was in the run
}

// Export writes a run, named as elsewhere, as an evolution of its own: a new
// directory where clade evolution new would make one for the run's target, with
// the candidates and their trees. The run stays as it is, and is not the one
// behind the evolution. Measures that no axis can read are refused by name.
func (d *Door) Export(ctx context.Context, run string, o ExportOptions) (_ *Exported, err error) {
	r, err := d.c.Open(ctx, run, d.here)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	x, where, err := exportingOf(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := x.unsayable(); err != nil {
		return nil, err
	}
	at := &Door{c: d.c, here: where, clock: d.clock}
	s, err := at.seedFor(ctx, either(line(o.Title), r.Name), x)
	if err != nil {
		return nil, err
	}
	x.number()
	if o.Step == nil {
		o.Step = func(string) {}
	}
	g := &growing{d: at, s: s, x: x, run: r, o: o, out: &Exported{Run: r.Name}}
	m, err := s.grow(ctx, nil, func(dir string) error { return g.fill(ctx, folder{dir}) })
	if err != nil {
		return nil, err
	}
	g.out.Made = *m
	if g.settings {
		g.out.Files = append(g.out.Files, filepath.Join(m.Dir, fileSettings))
	}
	return g.out, nil
}

// exportingOf is what an export says of a run, and the folder of its target.
func exportingOf(ctx context.Context, r *control.Run) (x *exporting, where string, err error) {
	x = &exporting{name: r.Name}
	if err := r.View(ctx, func(v clade.View) error {
		where, x.spec, x.from = r.Where(v), v.Head().Spec, v.Head().From
		return nil
	}); err != nil {
		return nil, "", err
	}
	if where, err = filepath.EvalSymlinks(where); err != nil {
		return nil, "", &clade.Problem{Fault: clade.FaultNotFound, Text: "the target of run " + r.Name + " is gone", Err: err}
	}
	if x.only = x.spec.Target.Only; x.spec.Target.Kind == clade.TargetFile {
		x.only = []string{noGlob.Replace(filepath.Base(where))}
		if !strings.ContainsAny(filepath.Base(where), "*?[") {
			x.only = []string{filepath.Base(where)}
		}
		where = filepath.Dir(where)
	}
	return x, where, x.evolved(ctx, r)
}

// evolved finds the evolution that a run was opened for, if it was and it is
// still there: it says what the spec does not.
func (x *exporting) evolved(ctx context.Context, r *control.Run) error {
	if x.spec.Search.Names != variantNames {
		return nil
	}
	var file string
	err := r.Read(ctx, 0, func(rec clade.Record) error {
		if o, ok := rec.Event.(clade.Opened); ok {
			file = o.File
		}
		return errFound
	})
	if err != nil && !errors.Is(err, errFound) {
		return err
	}
	if filepath.Base(file) != evolution.FileEvolution {
		return nil
	}
	if doc, err := (folder{filepath.Dir(file)}).read(); err == nil { // else it is exported by its spec alone
		x.own = doc.Evolution
	}
	return nil
}

var errFound = errors.New("found")

// seedFor is a seed where the run's target is: also where that is a plain folder.
func (d *Door) seedFor(ctx context.Context, title string, x *exporting) (*Seed, error) {
	s := &Seed{title: title, at: d.clock()}
	err := s.find(ctx, d)
	if clade.FaultOf(err) == clade.FaultNotFound && x.spec.Target.Kind != clade.TargetGit {
		s.place, err = d.placeIn(d.here), nil
	}
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(s.place, d.here)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, fmt.Errorf("exporting a run: %s is not below %s", d.here, s.place)
	}
	if x.rel = filepath.ToSlash(rel); x.rel == "." {
		x.rel = ""
	}
	x.place = strings.TrimSuffix(strings.TrimSuffix(x.spec.Target.Prefix, x.rel), "/")
	return s, s.number()
}

// A growing is an evolution that is made of a run, in a folder that nobody knows
// yet.
type growing struct {
	d        *Door
	s        *Seed
	x        *exporting
	run      *control.Run
	o        ExportOptions
	out      *Exported
	settings bool // a file of them was written
}

// fill writes everything into the folder.
func (g *growing) fill(ctx context.Context, f folder) error {
	draft := g.x.draft(g.s)
	out := &outgoing{Run: g.run, x: g.x}
	err := g.run.View(ctx, func(v clade.View) (err error) {
		out.names, g.out.LeftOut, err = g.x.names(v, draft, cmp.Or(g.o.Top, defaultTop))
		return err
	})
	if err != nil {
		return unplaced(err)
	}
	yaml, page, err := evolution.Seed(draft)
	if err != nil {
		return unplaced(err)
	}
	if err := stage(f.dir, yaml, page); err != nil {
		return err
	}
	if g.x.from != "" { // variants are measured against the commit that they were made from
		if err := f.setLink(link{Base: g.x.from}); err != nil {
			return err
		}
	}
	if err := g.set(f); err != nil {
		return err
	}
	g.o.Step("writing " + clade.Counted(len(out.names), "variant"))
	doc, err := f.mirror(ctx, out, g.s.at)
	if err == nil {
		err = g.applied(ctx, f, doc, out.names)
	}
	if err == nil {
		doc, err = f.mirror(ctx, out, g.s.at) // the page says it, too
	}
	if err != nil {
		return err
	}
	if g.out.Variants = len(doc.Evolution.Variants); doc.Evolution.Winner != nil {
		g.out.Winner = doc.Evolution.Winner.Variant
	}
	g.out.Notes = g.x.notes
	return g.origin(f)
}

// set writes the settings beside evolution.yaml, and refuses where they cannot
// make it measured as the run was.
func (g *growing) set(f folder) error {
	have, err := g.says(f)
	if err != nil {
		return err
	}
	data, err := g.x.settings(have)
	if err != nil {
		return err
	}
	if data != nil {
		g.settings = true
		if err := atomicfile.Write(f.file(fileSettings), data, 0o644); err != nil {
			return err
		}
		if have, err = g.says(f); err != nil {
			return unplaced(err)
		}
	}
	not, err := g.x.kept(have)
	if err != nil || len(not) == 0 {
		return err
	}
	return &clade.Problem{Fault: clade.FaultConflict, Text: fmt.Sprintf("an evolution here would be measured otherwise than run %s: by its own %s", g.run.Name, strings.Join(not, ", ")),
		Hint: filepath.Join(g.s.root(), fileSettings) + " says so for every evolution, and one cannot take it back"}
}

// says is the spec of the evolution as its files have it by now.
func (g *growing) says(f folder) (*clade.Spec, error) {
	doc, err := f.read()
	if err != nil {
		return nil, err
	}
	s, _, err := g.d.spec(f, doc, g.x.spec.Brief, Settings{})
	return s, err
}

// applied says of an evolution whose winner was landed that it was. Of another
// candidate than the winner it cannot say so.
func (g *growing) applied(ctx context.Context, f folder, doc *evolution.Document, names map[clade.ID]string) error {
	all, err := g.run.Landed(ctx)
	if err != nil || len(all) == 0 || all[len(all)-1].Undone {
		return err
	}
	last, won := all[len(all)-1], doc.Evolution.Winner
	if won == nil || names[last.Winner] != won.Variant {
		g.x.note("%s was applied and is not the winner here, which %s cannot say", either(names[last.Winner], "a candidate that is left out"), evolution.FileEvolution)
		return nil
	}
	paths, err := g.run.Changed(ctx, last.Applying)
	if err != nil {
		return err
	}
	applied := &evolution.Applied{At: last.At}
	for _, p := range paths {
		if p, ok := g.x.outer(p); ok {
			applied.FilesChanged = append(applied.FilesChanged, p)
		}
	}
	g.out.Applied = true
	_, err = f.update(ctx, g.s.at, func(d *evolution.Document) (*evolution.Evolution, evolution.Page, error) {
		want := d.Evolution.Clone()
		want.Applied = applied
		return want, evolution.Page{}, nil
	})
	return err
}

// origin says on the page where the evolution comes from and what of that is not
// in it.
func (g *growing) origin(f folder) error {
	page, err := load(f.file(evolution.FilePage))
	if page == nil || err != nil {
		return err
	}
	lines := []string{fmt.Sprintf("Exported from run `%s` of clade on %s.", g.run.Name, g.s.at.UTC().Format("2006-01-02"))}
	if n := g.out.LeftOut; n > 0 {
		lines = append(lines, fmt.Sprintf("%s of it are left out; those that are here are the best by composite, and their ancestors.", clade.Counted(n, "candidate")))
	}
	for _, n := range g.x.notes {
		lines = append(lines, strings.ToUpper(n[:1])+n[1:]+".")
	}
	id := fmt.Sprint(g.s.ID) // no run is behind it that could be applied
	data := strings.Replace(string(page.data), "`clade evolution apply "+id+"`", "`clade evolution import "+id+"`", 1)
	data += "\n## Origin\n\n- " + strings.Join(lines, "\n- ") + "\n"
	return atomicfile.Write(page.name, []byte(data), page.perm)
}
