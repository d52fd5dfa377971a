package run

import (
	"fmt"
	"testing"

	"github.com/cladehq/clade"
)

func TestProtections(t *testing.T) {
	t.Parallel()
	jump := 10.0
	strict := clade.Protect{Autoload: "reject", Lint: "warn", Secrets: "reject", Census: "warn", Blank: "warn", Jump: &jump, Nonce: true, Tripwires: make([]clade.Tripwire, 2)}
	for want, p := range map[string]clade.Protect{
		"[{autoload reject} {lint warn} {secrets reject} {census warn} {blank warn} {jump 10×} {nonce wanted} {tripwires 2}]": strict,
		"[{autoload off} {lint off} {secrets off} {census off} {blank off} {jump off} {nonce off} {tripwires off}]":           {},
	} {
		if got := fmt.Sprint(Protections(&clade.Spec{Protect: p})); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
