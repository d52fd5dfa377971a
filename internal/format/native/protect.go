package native

import (
	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

// defaultJump is how many times the largest step accepted before a gain may be
// and still be believed at once.
const defaultJump = 10

var levels = []string{clade.ProtectReject, clade.ProtectWarn, clade.ProtectOff}

// protect reads the countermeasures against candidates that game their
// evaluator, over what is known of them.
func (d *decoder) protect(n *syntax.Node, p clade.Protect) clade.Protect {
	if n == nil {
		return p
	}
	f := d.Fields(n, "write autoload:, lint:, secrets:, census:, blank:, jump:, nonce: or tripwires:")
	level := func(key string, v *string) { *v = orDefault(d.Choice(f.Get(key), levels...), *v) }
	level("autoload", &p.Autoload)
	level("lint", &p.Lint)
	level("secrets", &p.Secrets)
	level("census", &p.Census)
	p.Blank = orDefault(d.Choice(f.Get("blank"), clade.ProtectWarn, clade.ProtectOff), p.Blank)
	if at := f.Get("jump"); at != nil {
		jump, _ := d.Real(at)
		p.Jump = &jump
		if at.Kind == syntax.Number && jump != 0 && jump < 1 {
			d.Wrong(at, "at least 1, or 0 for never", "")
		}
	}
	if nonce := f.Get("nonce"); nonce != nil {
		p.Nonce = d.Bool(nonce)
	}
	if tripwires := f.Get("tripwires"); tripwires != nil {
		p.Tripwires = d.tripwires(tripwires)
	}
	f.Done()
	return p
}

func (d *decoder) tripwires(n *syntax.Node) (all []clade.Tripwire) {
	var ids []string
	for _, item := range d.Each(n, "list mappings with id and write") {
		w := d.tripwire(item, ids)
		ids = append(ids, w.ID)
		all = append(all, w)
	}
	return all
}

func (d *decoder) tripwire(n *syntax.Node, used []string) (w clade.Tripwire) {
	f := d.Fields(n, "write a mapping with id and write")
	w.ID = d.id(f.Need("id", "name the tripwire, like id: returns-zero"), used)
	write, remove := f.Get("write"), f.Get("delete")
	w.Write = d.contents(write)
	w.Delete = d.Texts(remove, "list files", func(n *syntax.Node) {
		d.below(n)
		if _, ok := w.Write[n.Text]; ok {
			d.Add(n.At, "keep write or delete", "%s: %s is written as well", n.Path, syntax.Quote(n.Text))
		}
	})
	if n.Kind == syntax.Mapping && empty(write) && empty(remove) {
		d.Add(n.At, "write the wrong files in write: {path: content}", "%s changes nothing", n.Path)
	}
	w.Expect = d.Choice(f.Get("expect"), "fail", "worse")
	f.Done()
	return w
}

// empty reports whether a list or mapping is absent or has nothing in it.
func empty(n *syntax.Node) bool {
	return n == nil || (n.Kind == syntax.List || n.Kind == syntax.Mapping) && len(n.Items)+len(n.Pairs) == 0
}

// contents reads whole files by their path.
func (d *decoder) contents(n *syntax.Node) map[string]string {
	if n == nil {
		return nil
	}
	if n.Kind != syntax.Mapping {
		d.Wrong(n, "a mapping", "write path: content")
		return nil
	}
	files := map[string]string{}
	for _, p := range n.Pairs {
		d.below(&syntax.Node{Kind: syntax.Text, At: p.At, Path: n.Path, Text: p.Key})
		if p.Value.Kind != syntax.Text {
			d.Wrong(p.Value, "text", `quote it, or write | and the lines below`)
		}
		files[p.Key] = p.Value.Text
	}
	if len(files) == 0 {
		return nil
	}
	return files
}
