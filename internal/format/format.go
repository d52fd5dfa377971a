// Package format declares how a file of some kind becomes a spec. Each child
// reads one kind; which kind a file is, is told by its content.
package format

import "github.com/cladehq/clade"

// A Warning is something a person should know that stops nothing.
type Warning struct {
	Where string // file:line:column
	Text  string
}

// A Format reads one kind of file.
type Format interface {
	// Name is what people call the kind: "clade.yaml".
	Name() string
	// Detect reports whether data, from a file of this name, is of this kind.
	Detect(name string, data []byte) bool
	// Read returns the spec as written, defaults filled in; the target is not
	// looked at. Every error is a *clade.Problem with file:line:column. All
	// faults of a file are reported at once (errors.Join).
	Read(name string, data []byte) (*clade.Spec, []Warning, error)
}
