package run

import (
	"context"
	"os"
	"path/filepath"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
)

// A Plan is what a run of a spec would do.
type Plan struct {
	File     string     `json:"file"`
	Target   string     `json:"target"`
	From     string     `json:"from,omitempty"`
	State    string     `json:"state_dir"`
	Digest   string     `json:"digest"`
	Spec     clade.Spec `json:"spec"`
	LeftOut  []string   `json:"left_out,omitempty"`
	Warnings []string   `json:"warnings,omitempty"`
	// Protections are the countermeasures against candidates that game their
	// evaluator, as the spec sets them.
	Protections []Protection `json:"protections"`
	*control.Forecast
	// Base is what the base measured, when it was asked for.
	Base *Row `json:"base,omitempty"`
	// Stop says why a run would end at its baseline.
	Stop string `json:"stop,omitempty"`
}

// Plan resolves the spec at path and says what a run would do and cost. With
// measure it also evaluates the base, as a run would, and keeps nothing.
func (d *Door) Plan(ctx context.Context, path string, ch Changes, measure bool, step func(string)) (*Plan, error) {
	r, err := d.resolve(ctx, path, ch)
	if err != nil {
		return nil, err
	}
	p := &Plan{File: r.File, Target: r.Target, From: r.From, State: r.State, Digest: r.Digest, Spec: r.Spec, LeftOut: r.LeftOut,
		Protections: Protections(&r.Spec)}
	for _, w := range r.Warnings {
		p.Warnings = append(p.Warnings, w.Where+": "+w.Text)
	}
	if p.Forecast, err = d.c.Forecast(ctx, r); err != nil {
		return p, err
	}
	if p.Warnings = append(p.Warnings, p.Forecast.Warnings...); !measure {
		return p, nil
	}
	return p, d.c.Measure(ctx, r, step, func(v clade.View) error {
		base := row(v.Life(clade.Base))
		p.Base = &base
		if h := v.Head(); h.Stop == clade.StopEvaluator || h.Stop != clade.StopNone && !v.Life(clade.Base).Scored {
			p.Stop = h.Reason
		}
		for n := range v.Notes(clade.NoteWarning) {
			p.Warnings = append(p.Warnings, n.Body)
		}
		return nil
	})
}

// An Initial is a starter spec that was written.
type Initial struct {
	File  string   `json:"file"`
	Notes []string `json:"notes,omitempty"`
}

// Init writes a starter spec for a folder, "" meaning the working folder. It
// never replaces a file.
func (d *Door) Init(_ context.Context, dir string) (*Initial, error) {
	if dir == "" {
		dir = d.here
	}
	data, notes, err := d.c.Starter(dir)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, control.SpecNames[0])
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if os.IsExist(err) {
		return nil, &clade.Problem{Fault: clade.FaultConflict, Text: file + " is there already", Hint: "clade plan says what it does"}
	}
	if err != nil {
		return nil, &clade.Problem{Fault: clade.FaultEnvironment, Text: "cannot write " + file, Err: err}
	}
	if _, err := f.Write(data); err != nil {
		_ = f.Close()
		_ = os.Remove(file)
		return nil, &clade.Problem{Fault: clade.FaultEnvironment, Text: "cannot write " + file, Err: err}
	}
	return &Initial{File: file, Notes: notes}, f.Close()
}

// Schema is the JSON Schema of clade.yaml.
func (d *Door) Schema() []byte { return d.c.Schema() }

// GC frees what nothing needs; see control.GC.
func (d *Door) GC(ctx context.Context, o control.Collection) (*control.Swept, error) {
	return d.c.GC(ctx, o)
}

// Checked is the result of looking over a run's stored state.
type Checked struct {
	Run     string   `json:"run"`
	Wrong   []string `json:"wrong"`
	Rebuilt bool     `json:"rebuilt,omitempty"`
}

// Check verifies a run's stored state; with rebuild it first makes the
// projections anew from the log.
func (d *Door) Check(ctx context.Context, name string, rebuild bool) (*Checked, error) {
	r, err := d.c.Open(ctx, name, d.here)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out := &Checked{Run: r.Name, Rebuilt: rebuild, Wrong: []string{}}
	if rebuild {
		if err := r.Rebuild(ctx); err != nil {
			return out, err
		}
	}
	wrong, err := r.Check(ctx)
	out.Wrong = append(out.Wrong, wrong...)
	if err == nil && len(wrong) > 0 {
		err = &clade.Problem{Fault: clade.FaultCorrupt, Text: "run " + r.Name + " has damaged state: " + wrong[0],
			Hint: "clade store rebuild " + r.Name + " makes everything but the log anew; nothing was deleted"}
	}
	return out, err
}
