package native

import (
	"strings"

	"github.com/cladehq/clade"
)

const (
	useMutate  = "mutate"  // the built-in operator that edits text
	useCommand = "command" // a command that edits a workspace
)

// programForm is NAME in clade-operator-NAME.
var programForm = pattern(`^[a-z][a-z0-9-]{0,39}$`)

// operators reads the operators; without any, mutate alone.
func (d *decoder) operators(n *node) (all []clade.Operator) {
	if n == nil {
		return []clade.Operator{{Use: useMutate, Name: useMutate, Share: 1}}
	}
	var names []string
	sum := 0.0
	for _, item := range d.each(n, "list operators, like [mutate]") {
		o := d.operator(item, names)
		names = append(names, o.Name)
		sum += o.Share
		all = append(all, o)
	}
	switch {
	case n.kind == list && len(n.items) == 0:
		d.add(n.at, "list operators, like [mutate]", "%s is empty", n.path)
	case len(all) > 0 && sum <= 0:
		d.add(n.at, "give one of them a share above 0", "the shares of all operators are 0")
	}
	return all
}

func (d *decoder) operator(n *node, used []string) (o clade.Operator) {
	if n.kind == text {
		o = clade.Operator{Use: d.use(n), Share: 1}
		o.Name = o.Use
		if o.Use == useCommand {
			d.add(n.at, "write use: command and run: with a line for the shell", "%s has no command", n.path)
		}
		d.operatorName(n, o.Name, used)
		return o
	}
	f := d.fields(n, "write a name, or a mapping with use")
	use := f.need("use", "write mutate, command, or NAME for the program clade-operator-NAME")
	o.Use = d.use(use)
	name := f.get("name")
	o.Share = 1
	if share := f.get("share"); share != nil {
		o.Share = d.atLeast0(share)
	}
	o.Command = d.commandIn(f, o.Use == useCommand)
	o.With = d.options(f.get("with"))
	switch o.Use {
	case useMutate:
		f.refuse("has no use for mutate, which runs no program", "remove it, or write use: command", commandKeys...)
	case useCommand, "":
	default:
		f.refuse("has no use here: the program is clade-operator-"+o.Use, "remove it, or write use: command", "run", "argv")
	}
	f.done()
	if name != nil {
		o.Name = d.id(name, used)
		return o
	}
	o.Name = o.Use
	if use != nil {
		d.operatorName(use, o.Name, used)
	}
	return o
}

// operatorName refuses a name derived from use that is taken.
func (d *decoder) operatorName(at *node, name string, used []string) {
	for _, u := range used {
		if u == name && name != "" {
			d.add(at.at, "give each a name: of its own", "%s: an operator called %s is there already", at.path, quote(name))
			return
		}
	}
}

// use reads which operator it is. What is almost a built-in name is allowed,
// since a program may be called so, but unlikely to be meant.
func (d *decoder) use(n *node) string {
	use := d.text(n, "write mutate, command, or NAME for the program clade-operator-NAME")
	if use == "" {
		return ""
	}
	if !programForm().MatchString(use) {
		d.add(n.at, "write mutate, command, or NAME for the program clade-operator-NAME", "%s: %s is no name of an operator", n.path, quote(use))
		return ""
	}
	if use != useMutate && use != useCommand {
		if hint := near(n, []string{useMutate, useCommand}); hint != "" {
			d.warn(n.at, "%s: the program clade-operator-%s will be run; %s", n.path, use, strings.TrimSpace(hint))
		}
	}
	return use
}

func (d *decoder) atLeast0(n *node) float64 {
	v, ok := d.real(n)
	if ok && v < 0 {
		d.wrong(n, "at least 0", "")
	}
	return v
}
