package native

import (
	"strings"

	"github.com/cladehq/clade"
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
func (d *decoder) host(n *node) clade.Host {
	name := d.text(n, hostHint)
	if name == "" {
		return clade.Host{}
	}
	h, ok := clade.HostOf(name)
	if !ok {
		d.add(n.at, orDefault(near(n, clade.HostNames()), hostHint), "%s: no coding agent is called %s", n.path, quote(name))
	}
	return h
}

// agentCommand takes the keys of a command that belongs to a coding agent: a
// known one brings its program along, custom needs one.
func (d *decoder) agentCommand(f *fields, h clade.Host) clade.Command {
	c := d.commandIn(f, h.Name == clade.HostCustom)
	if h.Name != clade.HostCustom && h.Name != "" {
		f.refuse("has no use beside agent: "+h.Name, "remove it, or write agent: custom", "run", "argv", "dir")
	}
	c.Timeout = orDefault(c.Timeout, defaultAgentTimeout)
	return c
}

// rollout reads which agent answers cases.
func (d *decoder) rollout(n *node) (*clade.Rollout, clade.Host) {
	if n == nil {
		return nil, clade.Host{}
	}
	f := d.fields(n, "write a mapping with agent")
	h := d.host(f.need("agent", hostHint))
	r := &clade.Rollout{Agent: h.Name, Model: d.modelName(f.get("model"))}
	r.As = d.choice(f.get("as"), "skill", "instructions", "workspace")
	r.Fixtures = d.file(f.get("fixtures"))
	f.done()
	return r, h
}
