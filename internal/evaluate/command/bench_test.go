//go:build unix

package command

import (
	"strconv"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/sandbox"
)

// BenchmarkRecalled is what a stage costs whose samples are all known.
func BenchmarkRecalled(b *testing.B) {
	for _, n := range []int{0, 100, 1000} {
		b.Run(strconv.Itoa(n)+" cases", func(b *testing.B) {
			result := sandbox.Result{}
			result.Stdout.Head, result.Stdout.Size = []byte("1"), 1
			prov := &provider{root: b.TempDir(), commits: map[string]map[string]string{"c1": {}}}
			e := New(Options{Workspaces: prov, Sandbox: fixed{result: &result}, Scratch: b.TempDir()})
			spec := caseSpec("cat")
			spec.Gates = []clade.Gate{gate("g", "true")}
			spec.Measures = append(spec.Measures, measure("m", "echo 1"))
			j := evaluate.Job{Spec: spec, Attempt: &clade.Attempt{ID: 1}, Template: template{}, Memory: newMemory(),
				Subjects: []evaluate.Subject{{ID: 1, Commit: "c1", Tree: "t"}}}
			for i := range n {
				j.Cases = append(j.Cases, evaluate.Case{ID: strconv.Itoa(i), Split: clade.SplitSelect, Input: []byte("1"), Expected: "1"})
			}
			if _, err := e.Evaluate(b.Context(), j); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := e.Evaluate(b.Context(), j); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
