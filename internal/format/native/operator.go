package native

import (
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

const (
	useMutate  = "mutate"  // the built-in operator that edits text
	useCommand = "command" // a command that edits a workspace
	useAgent   = "agent"   // a coding-agent CLI
	useReflect = "reflect" // a model that rewrites files
)

// builtIn are the words of use that name no program of one's own.
var builtIn = []string{useMutate, useAgent, useReflect, useCommand}

const useHint = "write mutate, agent, reflect, command, or NAME for the program clade-operator-NAME"

// programForm is NAME in clade-operator-NAME.
var programForm = pattern(`^[a-z][a-z0-9-]{0,39}$`)

// operators reads the operators; without any, mutate alone.
func (d *decoder) operators(n *syntax.Node) (all []clade.Operator) {
	if n == nil {
		return []clade.Operator{completeOperator(clade.Operator{Use: useMutate})}
	}
	var names []string
	sum, proposing, wrong := 0.0, 0.0, false
	for _, item := range d.Each(n, "list operators, like [mutate]") {
		o := d.operator(item, names)
		names = append(names, o.Name)
		sum += o.Share
		if o.Role == clade.RolePropose {
			proposing += o.Share
		}
		share := item.Get("share")
		wrong = wrong || share != nil && (share.Kind != syntax.Number || o.Share < 0)
		all = append(all, o)
	}
	switch {
	case n.Kind == syntax.List && len(n.Items) == 0:
		d.Add(n.At, "list operators, like [mutate]", "%s is empty", n.Path)
	case wrong: // which was said
	case len(all) > 0 && sum <= 0:
		d.Add(n.At, "give one of them a share above 0", "the shares of all operators are 0")
	case len(all) > 0 && proposing <= 0:
		d.Add(n.At, "add one beside them that does, like mutate", "no operator proposes edits")
	}
	return all
}

func (d *decoder) operator(n *syntax.Node, used []string) (o clade.Operator) {
	if n.Kind == syntax.Text {
		return d.operatorWord(n, used)
	}
	f := d.Fields(n, "write a name, or a mapping with use")
	use := f.Need("use", useHint)
	o.Use = d.use(use)
	name := f.Get("name")
	o.Share = 1
	if share := f.Get("share"); share != nil {
		o.Share = d.atLeast0(share)
	}
	o.Role = orDefault(d.Choice(f.Get("role"), clade.RolePropose, clade.RoleIdeate, clade.RoleReview), clade.RolePropose)
	switch o.Use {
	case useMutate:
		d.mutate(f, &o)
	case useAgent:
		d.agent(f, &o)
	case useReflect:
		d.reflect(f, &o)
	default:
		d.program(f, &o)
	}
	with := f.Get("with")
	o.With = d.with(with, o.Use, f.Known)
	if with != nil {
		d.turns(with.Get("turns"), o)
	}
	f.Done()
	o = completeOperator(o)
	if name != nil {
		o.Name = d.id(name, used)
		return o
	}
	if use != nil {
		d.operatorName(use, o.Name, used)
	}
	return o
}

// operatorWord reads an operator that is given as its use alone.
func (d *decoder) operatorWord(n *syntax.Node, used []string) clade.Operator {
	o := completeOperator(clade.Operator{Use: d.use(n)})
	switch o.Use {
	case useCommand:
		d.Add(n.At, "write use: command and run: with a line for the shell", "%s has no command", n.Path)
	case useAgent:
		d.Add(n.At, "write {use: agent, agent: claude}; "+hostHint, "%s does not say which agent", n.Path)
	}
	d.operatorName(n, o.Name, used)
	return o
}

func (d *decoder) mutate(f *syntax.Fields, o *clade.Operator) {
	f.Refuse("has no use for mutate, which runs no program", "remove it, or write use: command", commandKeys...)
	f.Refuse("has no use for mutate, which asks no model", "remove it, or write use: agent or use: reflect", "agent", "model", "idle")
	if o.Role != clade.RolePropose {
		f.Refuse("has no use for mutate, which proposes edits and nothing else", "remove it", "role")
	}
}

func (d *decoder) agent(f *syntax.Fields, o *clade.Operator) {
	h := d.host(f.Need("agent", hostHint))
	o.Agent, o.Model = h.Name, d.modelName(f.Get("model"))
	o.Command = d.agentCommand(f, h)
	o.Idle = d.duration(f.Get("idle"))
}

func (d *decoder) reflect(f *syntax.Fields, o *clade.Operator) {
	o.Model = d.modelName(f.Get("model"))
	o.Timeout = d.duration(f.Get("timeout"))
	f.Refuse("has no use for reflect, which runs no program", "remove it, or write use: agent or use: command", "run", "argv", "env", "pass_env", "dir")
	f.Refuse("has no use for reflect, whose model clade asks itself", "remove it; the model says where it is", "network")
	f.Refuse("is for use: agent", "remove it, or write use: agent", "agent", "idle")
}

// program reads an operator that is a program of one's own.
func (d *decoder) program(f *syntax.Fields, o *clade.Operator) {
	o.Command = d.commandIn(f, o.Use == useCommand)
	f.Refuse("is for use: agent", "remove it, or write use: agent", "agent", "idle")
	f.Refuse("is for use: agent and use: reflect", "remove it", "model")
	if o.Use != useCommand && o.Use != "" {
		f.Refuse("has no use here: the program is clade-operator-"+o.Use, "remove it, or write use: command", "run", "argv")
	}
}

// with reads an operator's settings. Those of built-in operators are checked, so
// that a slip in them has a place; a program gets all. around are the keys that
// stand beside with.
func (d *decoder) with(n *syntax.Node, use string, around []string) clade.Options {
	switch {
	case n == nil:
	case use == useMutate:
		d.without(n, "mutate has no settings", around)
		return nil
	case use == useAgent:
		f := d.Fields(n, "write turns:")
		d.Whole(f.Get("turns"), 1, 10_000)
		f.Done()
	case use == useReflect:
		f := d.Fields(n, "write attempts: or format:")
		d.Whole(f.Get("attempts"), 1, 5)
		d.Choice(f.Get("format"), "auto", "whole", "blocks")
		f.Refuse("is the model's", "write it in models", "temperature", "max_tokens")
		f.Done()
	}
	return d.options(n)
}

// turns refuses a bound that an agent cannot be told: it would be none.
func (d *decoder) turns(n *syntax.Node, o clade.Operator) {
	h, known := clade.HostOf(o.Agent)
	if n == nil || o.Use != useAgent || !known || h.Turns {
		return
	}
	var told []string
	for _, name := range clade.HostNames() {
		if other, _ := clade.HostOf(name); other.Turns {
			told = append(told, name)
		}
	}
	d.Add(n.At, "remove it: timeout, idle and the budget bound it, too; "+strings.Join(told, " and ")+" can be told",
		"%s: %s cannot be told how many rounds to take", n.Path, h.Name)
}

// operatorName refuses a name derived from use that is taken.
func (d *decoder) operatorName(at *syntax.Node, name string, used []string) {
	for _, u := range used {
		if u == name && name != "" {
			d.Add(at.At, "give each a name: of its own", "%s: an operator called %s is there already", at.Path, syntax.Quote(name))
			return
		}
	}
}

// use reads which operator it is. What is almost a built-in name is allowed,
// since a program may be called so, but unlikely to be meant.
func (d *decoder) use(n *syntax.Node) string {
	use := d.Text(n, useHint)
	if use == "" {
		return ""
	}
	if !programForm().MatchString(use) {
		d.Add(n.At, useHint, "%s: %s is no name of an operator", n.Path, syntax.Quote(use))
		return ""
	}
	if !slices.Contains(builtIn, use) {
		if hint := syntax.Near(n, builtIn); hint != "" {
			d.warn(n.At, "%s: the program clade-operator-%s will be run; %s", n.Path, use, strings.TrimSpace(hint))
		}
	}
	return use
}

func (d *decoder) atLeast0(n *syntax.Node) float64 {
	v, ok := d.Real(n)
	if ok && v < 0 {
		d.Wrong(n, "at least 0", "")
	}
	return v
}
