package namespace_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/cladehq/clade/internal/sandbox/namespace"
	"github.com/cladehq/clade/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	namespace.Main()
	goleak.VerifyTestMain(m)
}

func open(t testing.TB, o namespace.Options) *namespace.Sandbox {
	t.Helper()
	s, err := namespace.New(o)
	if err != nil {
		t.Skip(err)
	}
	return s
}

func TestSuite(t *testing.T) {
	s := open(t, namespace.Options{})
	memory, processes := s.Held()
	sandboxtest.Run(t, s, sandboxtest.Holds{Memory: memory == "cgroup", Processes: processes == "cgroup"})
}
