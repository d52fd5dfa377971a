package native

import "github.com/cladehq/clade"

// defaultJump is how many times the largest step accepted before a gain may be
// and still be believed at once.
const defaultJump = 10

var levels = []string{clade.ProtectReject, clade.ProtectWarn, clade.ProtectOff}

// protect reads the countermeasures against candidates that game their
// evaluator. What finds a candidate's own edits rejects; the census only warns,
// since a process that is left over may be a tool's own server.
func (d *decoder) protect(n *node) clade.Protect {
	jump := float64(defaultJump)
	p := clade.Protect{Autoload: clade.ProtectReject, Lint: clade.ProtectReject, Secrets: clade.ProtectReject, Census: clade.ProtectWarn,
		Blank: clade.ProtectWarn, Jump: &jump}
	if n == nil {
		return p
	}
	f := d.fields(n, "write autoload:, lint:, secrets:, census:, blank:, jump:, nonce: or tripwires:")
	level := func(key string, v *string) { *v = orDefault(d.choice(f.get(key), levels...), *v) }
	level("autoload", &p.Autoload)
	level("lint", &p.Lint)
	level("secrets", &p.Secrets)
	level("census", &p.Census)
	p.Blank = orDefault(d.choice(f.get("blank"), clade.ProtectWarn, clade.ProtectOff), p.Blank)
	if at := f.get("jump"); at != nil {
		jump, _ = d.real(at)
		if at.kind == number && jump != 0 && jump < 1 {
			d.wrong(at, "at least 1, or 0 for never", "")
		}
	}
	p.Nonce = d.bool(f.get("nonce"))
	p.Tripwires = d.tripwires(f.get("tripwires"))
	f.done()
	return p
}

func (d *decoder) tripwires(n *node) (all []clade.Tripwire) {
	var ids []string
	for _, item := range d.each(n, "list mappings with id and write") {
		w := d.tripwire(item, ids)
		ids = append(ids, w.ID)
		all = append(all, w)
	}
	return all
}

func (d *decoder) tripwire(n *node, used []string) (w clade.Tripwire) {
	f := d.fields(n, "write a mapping with id and write")
	w.ID = d.id(f.need("id", "name the tripwire, like id: returns-zero"), used)
	write, remove := f.get("write"), f.get("delete")
	w.Write = d.contents(write)
	w.Delete = d.texts(remove, "list files", func(n *node) {
		d.below(n)
		if _, ok := w.Write[n.text]; ok {
			d.add(n.at, "keep write or delete", "%s: %s is written as well", n.path, quote(n.text))
		}
	})
	if n.kind == mapping && write.empty() && remove.empty() {
		d.add(n.at, "write the wrong files in write: {path: content}", "%s changes nothing", n.path)
	}
	w.Expect = d.choice(f.get("expect"), "fail", "worse")
	f.done()
	return w
}

// empty reports whether a list or mapping is absent or has nothing in it.
func (n *node) empty() bool {
	return n == nil || (n.kind == list || n.kind == mapping) && len(n.items)+len(n.pairs) == 0
}

// contents reads whole files by their path.
func (d *decoder) contents(n *node) map[string]string {
	if n == nil {
		return nil
	}
	if n.kind != mapping {
		d.wrong(n, "a mapping", "write path: content")
		return nil
	}
	files := map[string]string{}
	for _, p := range n.pairs {
		d.below(&node{kind: text, at: p.at, path: n.path, text: p.key})
		if p.value.kind != text {
			d.wrong(p.value, "text", `quote it, or write | and the lines below`)
		}
		files[p.key] = p.value.text
	}
	if len(files) == 0 {
		return nil
	}
	return files
}
