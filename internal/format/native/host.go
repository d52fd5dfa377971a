package native

import (
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

// Clocks of what asks models, where the file sets none. limits.wall is for
// evaluation, and much too short for them.
const (
	defaultAgentTimeout   = clade.Duration(20 * 60e9)
	defaultAgentIdle      = clade.Duration(10 * 60e9)
	defaultReflectTimeout = clade.Duration(5 * 60e9)
)

var hostHint = "there are " + strings.Join(clade.HostNames(), ", ")

// host reads the name of a coding-agent CLI.
func (d *decoder) host(n *syntax.Node) clade.Host {
	name := d.Text(n, hostHint)
	if name == "" {
		return clade.Host{}
	}
	h, ok := clade.HostOf(name)
	if !ok {
		d.Add(n.At, orDefault(syntax.Near(n, clade.HostNames()), hostHint), "%s: no coding agent is called %s", n.Path, syntax.Quote(name))
	}
	return h
}

// agentCommand takes the keys of a command that belongs to a coding agent: a
// known one brings its program along, custom needs one.
func (d *decoder) agentCommand(f *syntax.Fields, h clade.Host) clade.Command {
	c := d.commandIn(f, h.Name == clade.HostCustom)
	if h.Name != clade.HostCustom && h.Name != "" {
		f.Refuse("has no use beside agent: "+h.Name, "remove it, or write agent: custom", "run", "argv", "dir")
	}
	return c
}

// rollout reads which agent answers cases.
func (d *decoder) rollout(n *syntax.Node) (*clade.Rollout, clade.Host) {
	if n == nil {
		return nil, clade.Host{}
	}
	f := d.Fields(n, "write a mapping with agent")
	h := d.host(f.Need("agent", hostHint))
	r := &clade.Rollout{Agent: h.Name, Model: d.modelName(f.Get("model"))}
	r.As = d.Choice(f.Get("as"), "skill", "instructions", "workspace")
	r.Fixtures = d.file(f.Get("fixtures"))
	f.Done()
	return r, h
}
