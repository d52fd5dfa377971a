package native

import (
	"fmt"
	"slices"

	"github.com/cladehq/clade"
)

const commandHint = "write run: with a line for the shell, or argv: with a list"

// commandKeys are the keys of a command; wherever a command is part of
// something larger they stand among its keys.
var commandKeys = []string{"run", "argv", "env", "pass_env", "dir", "timeout", "network"}

// command reads a command that stands alone: a line, or a mapping.
func (d *decoder) command(n *node) *clade.Command {
	if n.kind == text {
		return &clade.Command{Run: d.text(n, commandHint)}
	}
	f := d.fields(n, commandHint)
	c := d.commandIn(f, true)
	f.done()
	return &c
}

// commandIn takes the keys of a command out of a larger mapping.
func (d *decoder) commandIn(f *fields, required bool) (c clade.Command) {
	run, argv := f.get("run"), f.get("argv")
	c.Run = d.text(run, commandHint)
	c.Argv = d.arguments(argv)
	given := f.has("run") || f.has("argv")
	switch {
	case run != nil && argv != nil:
		d.add(later(run, argv).at, "keep run or argv", "%s has two commands", orDefault(f.of.path, "it"))
	case argv != nil && argv.kind == list && len(argv.items) == 0:
		d.add(argv.at, commandHint, "%s is empty", argv.path)
	case !given && required && f.of.kind == mapping:
		d.add(f.of.at, commandHint, "%s has no command", f.of.path)
	}
	c.Env = d.env(f.get("env"))
	c.Pass = d.texts(f.get("pass_env"), "list names of variables, like [PATH]", func(n *node) {
		d.variable(n.at, n.path, n.text)
		if _, ok := c.Env[n.text]; ok {
			d.add(n.at, "keep env or pass_env", "%s: %s is set in env as well", n.path, quote(n.text))
		}
	})
	c.Dir = d.file(f.get("dir"))
	c.Timeout = d.duration(f.get("timeout"))
	c.Network = d.bool(f.get("network"))
	return c
}

// arguments reads a list whose first item names a program; the others may be
// empty.
func (d *decoder) arguments(n *node) (all []string) {
	for i, item := range d.each(n, "list the program and its arguments, like [go, test]") {
		if i == 0 || item.kind != text {
			all = append(all, d.text(item, "name a program first"))
			continue
		}
		d.noNUL(item)
		all = append(all, item.text)
	}
	return all
}

func later(a, b *node) *node {
	if a.at.before(b.at) {
		return b
	}
	return a
}

var variableForm = pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (d *decoder) variable(at pos, path, name string) {
	if !variableForm().MatchString(name) {
		d.add(at, "letters, digits and _, no digit first", "%s: %s is no name of a variable", path, quote(name))
	}
}

// env reads variables. Numbers and booleans are taken as they are written.
func (d *decoder) env(n *node) map[string]string {
	if n == nil {
		return nil
	}
	if n.kind != mapping {
		d.wrong(n, "a mapping", "write NAME: value")
		return nil
	}
	var env map[string]string
	for _, p := range n.pairs {
		d.variable(p.at, n.path, p.key)
		if p.value.kind == list || p.value.kind == mapping || p.value.kind == null {
			d.wrong(p.value, "text", `write "" for an empty value`)
		}
		d.noNUL(p.value)
		if env == nil {
			env = map[string]string{}
		}
		env[p.key] = p.value.text
	}
	return env
}

// gateList reads the gates: mappings, or lines whose names are derived.
func (d *decoder) gateList(n *node) (all []clade.Gate) {
	for i, item := range d.each(n, "list commands, like [go test ./...]") {
		var g clade.Gate
		if item.kind == text {
			g = clade.Gate{ID: fmt.Sprintf("gate-%d", i+1), Command: *d.command(item)}
			if slices.Contains(d.gates, g.ID) {
				d.add(item.at, "give each a name of its own", "%s: %s is taken", item.path, quote(g.ID))
			}
		} else {
			g = d.gate(item)
		}
		d.gates = append(d.gates, g.ID)
		all = append(all, g)
	}
	return all
}

func (d *decoder) gate(n *node) (g clade.Gate) {
	f := d.fields(n, commandHint)
	g.ID = d.id(f.need("id", "name the gate, like id: tests"), d.gates)
	g.Command = d.commandIn(f, true)
	f.done()
	return g
}
