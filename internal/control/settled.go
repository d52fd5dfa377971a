package control

import (
	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/strategy"
)

// Settled reports whether an attempt has come to its end but for the verdict:
// nothing runs, and it is not tried again.
func Settled(l *clade.Life) bool { return strategy.Settled(l) }

// Unconfirmed reports whether an attempt was rejected because what was measured
// of it did not come again when it was measured again.
func Unconfirmed(l *clade.Life) bool { return !l.Open && strategy.Unconfirmed(l) }
