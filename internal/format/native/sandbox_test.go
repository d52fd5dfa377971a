package native

import (
	"slices"
	"testing"

	"github.com/cladehq/clade/internal/sandbox"
)

// TestGradesAreThoseOfSandbox: the contract comes later, so the names are
// written twice and held equal here.
func TestGradesAreThoseOfSandbox(t *testing.T) {
	t.Parallel()
	if !slices.Equal(grades, sandbox.Grades) {
		t.Errorf("grades %v, sandboxes know %v", grades, sandbox.Grades)
	}
}
