package native

import (
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

// A decoder makes a spec of a tree and collects what is wrong with it. Its
// methods take nil for what is absent and return the zero value for what is
// absent or wrong, so that one pass finds every fault.
type decoder struct {
	*faults
	gates     []string // ids of the gates
	dataset   bool
	benchmark bool
	models    []clade.Model // those of the file, and those that operators add
}

// duration reads a length of time above 0.
func (d *decoder) duration(n *syntax.Node) clade.Duration {
	if n == nil {
		return 0
	}
	var v clade.Duration
	if n.Kind != syntax.Text || v.UnmarshalText([]byte(n.Text)) != nil {
		d.Wrong(n, "a length of time", "write it with its unit, like 90s, 5m or 1h30m")
	} else if v == 0 {
		d.Wrong(n, "above 0", "")
	}
	return v
}

// size reads a number of bytes above 0.
func (d *decoder) size(n *syntax.Node, def clade.Bytes) clade.Bytes {
	if n == nil {
		return def
	}
	var v clade.Bytes
	if n.Kind != syntax.Text && n.Kind != syntax.Number || v.UnmarshalText([]byte(n.Text)) != nil {
		d.Wrong(n, "a size", "write it like 64MiB, 2GiB or 1000")
	} else if v == 0 {
		d.Wrong(n, "at least one byte", "")
	}
	return v
}

// money reads an amount above 0.
func (d *decoder) money(n *syntax.Node) *clade.Microdollars {
	if n == nil {
		return nil
	}
	var v clade.Microdollars
	if n.Kind != syntax.Number || v.UnmarshalJSON([]byte(n.Text)) != nil {
		d.Wrong(n, "an amount of US dollars", "write it like 2.50, with at most six decimals")
		return nil
	}
	if v <= 0 {
		d.Wrong(n, "above 0", "")
		return nil
	}
	return &v
}

// options reads settings that their implementation checks.
func (d *decoder) options(n *syntax.Node) clade.Options {
	if n == nil {
		return nil
	}
	if n.Kind != syntax.Mapping {
		d.Wrong(n, "a mapping", "")
		return nil
	}
	o, _ := d.any(n).(map[string]any)
	if len(o) == 0 {
		return nil
	}
	return o
}

// without refuses every setting of what has none. A slip is likely to be meant
// for one of the keys around.
func (d *decoder) without(n *syntax.Node, why string, around []string) {
	if d.options(n) == nil {
		return
	}
	for _, p := range n.Pairs {
		hint := "remove it"
		if slices.Contains(around, p.Key) {
			hint = "write it beside with, not in it"
		}
		d.Add(p.At, hint, "unknown key %s in %s: %s", syntax.Quote(p.Key), n.Path, why)
	}
}

// any is the value as encoding/json would give it.
func (d *decoder) any(n *syntax.Node) any { return n.Any() }

// first is the value of the first of keys that a mapping has, or else the mapping.
func first(n *syntax.Node, keys ...string) *syntax.Node {
	for _, key := range keys {
		if v := n.Get(key); v != nil {
			return v
		}
	}
	return n
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
