package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/door/run"
	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
)

// doctor looks at what this machine can do for clade.
func (d dirs) doctor(ctx context.Context) []control.Check {
	out := []control.Check{d.git(ctx), {Name: "processors", State: "ok", Text: fmt.Sprintf("%d, so %d attempts at once by default", runtime.NumCPU(), runtime.NumCPU())}}
	isolated := d.isolated(ctx)
	if out = append(out, isolated...); !strings.HasPrefix(isolated[0].Text, sandbox.GradeNone) {
		out = append(out, readable())
	}
	if d.cache == "" {
		out = append(out, homeless("cache", cacheVariable))
	} else {
		out = append(out, d.workspaces(ctx),
			usable(control.Check{Name: "cache", State: "ok", Text: fmt.Sprintf("%s, %s", d.cache, run.Size(workspace.Size(d.cache))), Hint: "clade gc --templates frees it"},
				d.cache, cacheVariable))
	}
	if d.state == "" {
		return append(out, homeless("state", stateVariable))
	}
	return append(out, usable(control.Check{Name: "state", State: "ok", Text: d.state}, d.state, stateVariable))
}

// usable is the check c, or that its folder cannot be written: a file is made in
// it, or in the folder that it would be made in, and removed.
func usable(c control.Check, dir, variable string) control.Check {
	if err := probe(dir); err != nil {
		return control.Check{Name: c.Name, State: "bad", Text: "cannot be written: " + err.Error(),
			Hint: "make " + dir + " writable, or set " + variable + " to a folder that is"}
	}
	return c
}

// probe writes a file where dir is, or in the nearest folder above that is there.
func probe(dir string) error {
	for {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
			dir = filepath.Dir(dir)
			continue
		}
		f, err := os.CreateTemp(dir, ".clade-doctor-*")
		if err != nil {
			return err
		}
		_, err = f.WriteString("ok")
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
}

// homeless says that a folder of clade has no place.
func homeless(name, variable string) control.Check {
	return control.Check{Name: name, State: "bad", Text: "there is no home folder to keep it in", Hint: "set HOME, or " + variable}
}

func (d dirs) git(ctx context.Context) control.Check {
	g, err := git.Find(ctx)
	if err != nil {
		c := control.Check{Name: "git", State: "bad", Text: err.Error()}
		var p *clade.Problem
		if errors.As(err, &p) {
			c.Hint = p.Hint
		}
		return c
	}
	return control.Check{Name: "git", State: "ok", Text: g.Version()}
}

// isolated says what of each way of isolation works here. The one that is taken
// comes first; the others are of no concern unless a spec names them.
func (d dirs) isolated(ctx context.Context) []control.Check {
	var first *control.Check
	var others []control.Check
	for _, w := range ways() {
		err := w.probe(ctx)
		switch {
		case err != nil:
			others = append(others, control.Check{Name: "isolation", State: "note", Text: fmt.Sprintf("not %s: %v", w.grade, err)})
			continue
		case w.grade == sandbox.GradeContainer:
			others = append(others, control.Check{Name: "isolation", State: "ok", Text: "container, where a spec names an image"})
			continue
		case w.grade == sandbox.GradeNone && first != nil:
			continue
		}
		c := control.Check{Name: "isolation", State: "ok", Text: w.grade}
		for i, lost := range w.weaker() {
			c.Text += []string{": ", "; "}[min(i, 1)] + lost
		}
		if first != nil {
			c.Text += ", where a spec asks for it"
			others = append(others, c)
			continue
		}
		if w.grade == sandbox.GradeLandlock || w.grade == sandbox.GradeNone {
			c.State, c.Hint = "note", "allow unprivileged user namespaces, or run on Linux outside a container"
		}
		first = &c
	}
	return append([]control.Check{*first}, others...)
}

// readable says what commands see of the user's files.
func readable() control.Check {
	c := control.Check{Name: "files", State: "ok", Text: "home folders and the machine's secrets are hidden from commands"}
	if shown := sight(&clade.Spec{}, nil).Shown; len(shown) > 0 {
		c.Text += ", but for " + strings.Join(shown, ", ")
	}
	c.Hint = "sandbox.read shows more, sandbox.home: show everything in home folders"
	return c
}

func (d dirs) workspaces(ctx context.Context) control.Check {
	spec := clade.Spec{}
	box, err := d.sandbox(ctx, &spec, nil)
	if err != nil {
		return control.Check{Name: "workspaces", State: "bad", Text: err.Error()}
	}
	defer box.Close()
	p, err := workspaces(d.cache, nil, box)
	if err != nil {
		return control.Check{Name: "workspaces", State: "bad", Text: err.Error()}
	}
	defer p.Close()
	c := control.Check{Name: "workspaces", State: "ok", Text: p.Name()}
	if p.Name() != "overlay" {
		c.State, c.Hint = "note", "overlays cost less: they need namespaces and a cache folder that is not on an overlay itself"
	}
	return c
}
