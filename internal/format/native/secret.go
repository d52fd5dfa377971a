package native

import (
	"strings"

	"github.com/cladehq/clade/internal/syntax"
)

// secretForm is how keys of well-known services look: keys of models, tokens of
// code hosts and of chats, access keys of a cloud.
var secretForm = pattern(`\b(sk-([A-Za-z0-9]+-)*[A-Za-z0-9_]{16,}|AIza[A-Za-z0-9_-]{30,}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|xox[abprs]-[A-Za-z0-9-]{20,}|AKIA[A-Z0-9]{16}\b)`)

const secretHint = "name the variable that holds it, in key_env of a model or in pass_env"

// secret reports whether text holds what looks like a key. Keys are drawn, so
// they have digits, which tells them from long names.
func secret(text string) bool {
	for _, m := range secretForm().FindAllString(text, -1) {
		if strings.ContainsAny(m, "0123456789") {
			return true
		}
	}
	return false
}

// secrets refuses every text that looks like a key, since a spec is kept in the
// log of its runs. Nothing more is said of such a text, so that no error
// repeats it.
func (d *decoder) secrets(n *syntax.Node) {
	if n.Kind == syntax.Text && secret(n.Text) {
		d.Add(n.At, secretHint, "%s holds what looks like a key, and this file is kept", orDefault(n.Path, "the spec"))
		n.Kind, n.Text = syntax.Broken, ""
	}
	for _, item := range n.Items {
		d.secrets(item)
	}
	kept := n.Pairs[:0:0]
	for _, p := range n.Pairs {
		if secret(p.Key) {
			d.Add(p.At, secretHint, "%s has a key of a service for a name, and this file is kept", orDefault(n.Path, "the spec"))
			continue
		}
		d.secrets(p.Value)
		kept = append(kept, p)
	}
	n.Pairs = kept
}
