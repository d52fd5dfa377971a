package native

import "github.com/cladehq/clade/internal/syntax"

// maxSize is the largest spec, in bytes, and maxNodes the most values in one.
// One written by hand is a few kilobytes.
const (
	maxSize  = 256 << 10
	maxNodes = 5_000
)

// source parses a whole spec into a tree. On a fault that hides the rest it
// returns nil.
func (f *faults) source(data []byte) *syntax.Node {
	return f.parse(data, "clade init writes a first spec")
}

// parse is source for a partial spec, too; empty is what to do about an empty one.
func (f *faults) parse(data []byte, empty string) *syntax.Node {
	return f.Parse(syntax.Source{
		Name: f.name, Data: data,
		Limits: syntax.Limits{Size: maxSize, Values: maxNodes, Words: 20_000},
		What:   "spec",
		Empty:  empty,
		Large:  "move data into files of their own",
	})
}
