package native

import "github.com/cladehq/clade/internal/syntax"

// maxSize is the largest spec, in bytes, and maxNodes the most values in one.
// One written by hand is a few kilobytes.
const (
	maxSize  = 256 << 10
	maxNodes = 5_000
)

// source parses data into a tree. On a fault that hides the rest it returns nil.
func (f *faults) source(data []byte) *syntax.Node {
	return f.Parse(syntax.Source{
		Name: f.name, Data: data,
		Limits: syntax.Limits{Size: maxSize, Values: maxNodes, Words: 20_000},
		What:   "spec",
		Empty:  "clade init writes a first spec",
		Large:  "move data into files of their own",
	})
}
