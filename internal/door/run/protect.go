package run

import (
	"fmt"

	"github.com/cladehq/clade"
)

// A Protection is one countermeasure against candidates that game their
// evaluator, and how it is set.
type Protection struct {
	Name  string `json:"name"`  // its key under protect in the spec
	Level string `json:"level"` // reject, warn, off, or what it is set to
}

// Protections are the countermeasures of a resolved spec, in the order of the
// reference.
func Protections(s *clade.Spec) []Protection {
	p := &s.Protect
	level := func(v string) string {
		if v == "" {
			return clade.ProtectOff
		}
		return v
	}
	jump, nonce, wires := clade.ProtectOff, clade.ProtectOff, clade.ProtectOff
	if p.Jump != nil && *p.Jump > 0 {
		jump = fmt.Sprintf("%g×", *p.Jump)
	}
	if p.Nonce {
		nonce = "wanted"
	}
	if n := len(p.Tripwires); n > 0 {
		wires = fmt.Sprint(n)
	}
	return []Protection{{"autoload", level(p.Autoload)}, {"lint", level(p.Lint)}, {"secrets", level(p.Secrets)}, {"census", level(p.Census)},
		{"blank", level(p.Blank)}, {"jump", jump}, {"nonce", nonce}, {"tripwires", wires}}
}
