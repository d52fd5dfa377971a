package native

import (
	"fmt"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

const commandHint = "write run: with a line for the shell, or argv: with a list"

// commandKeys are the keys of a command; wherever a command is part of
// something larger they stand among its keys.
var commandKeys = []string{"run", "argv", "env", "pass_env", "dir", "timeout", "network"}

// command reads a command that stands alone: a line, or a mapping.
func (d *decoder) command(n *syntax.Node) *clade.Command {
	if n.Kind == syntax.Text {
		return &clade.Command{Run: d.Text(n, commandHint)}
	}
	f := d.Fields(n, commandHint)
	c := d.commandIn(f, true)
	f.Done()
	return &c
}

// commandIn takes the keys of a command out of a larger mapping.
func (d *decoder) commandIn(f *syntax.Fields, required bool) (c clade.Command) {
	run, argv := f.Get("run"), f.Get("argv")
	c.Run = d.Text(run, commandHint)
	c.Argv = d.arguments(argv)
	given := f.Has("run") || f.Has("argv")
	switch {
	case run != nil && argv != nil:
		d.Add(later(run, argv).At, "keep run or argv", "%s has two commands", orDefault(f.Of.Path, "it"))
	case argv != nil && argv.Kind == syntax.List && len(argv.Items) == 0:
		d.Add(argv.At, commandHint, "%s is empty", argv.Path)
	case !given && required && f.Of.Kind == syntax.Mapping:
		d.Add(f.Of.At, commandHint, "%s has no command", f.Of.Path)
	}
	d.surroundings(f, &c)
	return c
}

// surroundings reads where and within what a command runs, over what is known
// of it.
func (d *decoder) surroundings(f *syntax.Fields, c *clade.Command) {
	env, pass, network := f.Get("env"), f.Get("pass_env"), f.Get("network")
	if env != nil {
		c.Env = d.env(env)
	}
	if pass != nil {
		c.Pass = d.Texts(pass, "list names of variables, like [PATH]", func(n *syntax.Node) { d.variable(n.At, n.Path, n.Text) })
	}
	for i, name := range c.Pass {
		at := first(f.Of, "env")
		if pass != nil {
			at = pass.Items[i]
		}
		if _, ok := c.Env[name]; ok && name != "" {
			d.Add(at.At, "keep env or pass_env", "%s: %s is set in env as well", at.Path, syntax.Quote(name))
		}
	}
	c.Dir = orDefault(d.file(f.Get("dir")), c.Dir)
	c.Timeout = orDefault(d.duration(f.Get("timeout")), c.Timeout)
	if network != nil {
		c.Network = d.Bool(network)
	}
}

// arguments reads a list whose first item names a program; the others may be
// empty.
func (d *decoder) arguments(n *syntax.Node) (all []string) {
	for i, item := range d.Each(n, "list the program and its arguments, like [go, test]") {
		if i == 0 || item.Kind != syntax.Text {
			all = append(all, d.Text(item, "name a program first"))
			continue
		}
		d.NoNUL(item)
		all = append(all, item.Text)
	}
	return all
}

func later(a, b *syntax.Node) *syntax.Node {
	if a.At.Before(b.At) {
		return b
	}
	return a
}

var variableForm = pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (d *decoder) variable(at syntax.Pos, path, name string) {
	if !variableForm().MatchString(name) {
		d.Add(at, "letters, digits and _, no digit first", "%s: %s is no name of a variable", path, syntax.Quote(name))
	}
}

// env reads variables. Numbers and booleans are taken as they are written.
func (d *decoder) env(n *syntax.Node) map[string]string {
	if n == nil {
		return nil
	}
	if n.Kind != syntax.Mapping {
		d.Wrong(n, "a mapping", "write NAME: value")
		return nil
	}
	var env map[string]string
	for _, p := range n.Pairs {
		d.variable(p.At, n.Path, p.Key)
		if p.Value.Kind == syntax.List || p.Value.Kind == syntax.Mapping || p.Value.Kind == syntax.Null {
			d.Wrong(p.Value, "text", `write "" for an empty value`)
		}
		d.NoNUL(p.Value)
		if env == nil {
			env = map[string]string{}
		}
		env[p.Key] = p.Value.Text
	}
	return env
}

// gateList reads the gates: mappings, or lines whose names are derived.
func (d *decoder) gateList(n *syntax.Node) (all []clade.Gate) {
	for i, item := range d.Each(n, "list commands, like [go test ./...]") {
		var g clade.Gate
		if item.Kind == syntax.Text {
			g = clade.Gate{ID: fmt.Sprintf("gate-%d", i+1), Command: *d.command(item)}
			if slices.Contains(d.gates, g.ID) {
				d.Add(item.At, "give each a name of its own", "%s: %s is taken", item.Path, syntax.Quote(g.ID))
			}
		} else {
			g = d.gate(item)
		}
		d.gates = append(d.gates, g.ID)
		all = append(all, g)
	}
	return all
}

func (d *decoder) gate(n *syntax.Node) (g clade.Gate) {
	f := d.Fields(n, commandHint)
	g.ID = d.id(f.Need("id", "name the gate, like id: tests"), d.gates)
	g.Command = d.commandIn(f, true)
	f.Done()
	return g
}
