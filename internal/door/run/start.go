package run

import (
	"context"
)

// A Started run is one that was just opened.
type Started struct {
	Run      string   `json:"run"`
	Where    string   `json:"where"`
	State    string   `json:"state_dir"`
	From     string   `json:"from,omitempty"`
	LeftOut  []string `json:"left_out,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Start opens a run of the spec at path. It searches nothing yet. step is told
// what takes time.
func (d *Door) Start(ctx context.Context, path string, ch Changes, step func(string)) (*Started, error) {
	r, err := d.resolve(ctx, path, ch)
	if err != nil {
		return nil, err
	}
	warnings, err := d.c.Refuse(ctx, r)
	if err != nil {
		return nil, err
	}
	r.Source.Progress = step
	run, err := d.c.Create(ctx, r)
	if err != nil {
		return nil, err
	}
	s := &Started{Run: run.Name, Where: r.Target, State: r.State, From: r.From, LeftOut: r.LeftOut}
	for _, w := range r.Warnings {
		s.Warnings = append(s.Warnings, w.Where+": "+w.Text)
	}
	s.Warnings = append(s.Warnings, warnings...)
	return s, run.Close()
}
