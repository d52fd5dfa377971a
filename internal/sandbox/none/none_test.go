package none_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/cladehq/clade/internal/sandbox/none"
	"github.com/cladehq/clade/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSuite(t *testing.T) {
	s, err := none.New(none.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sandboxtest.Run(t, s, sandboxtest.Holds{})
}
