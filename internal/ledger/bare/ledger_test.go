package bare_test

import (
	"testing"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/ledger/bare"
	"github.com/cladehq/clade/internal/ledger/ledgertest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func(t *testing.T, dir string) ledger.Ledger { return open(t, dir) })
}

func open(t testing.TB, dir string) *bare.Ledger {
	t.Helper()
	l, err := bare.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
