// Package examples holds the examples that clade demo runs, as files: folders to
// evolve, each with its clade.yaml. Any of them can be copied and run elsewhere.
package examples

import "embed"

// FS has one folder per example, by its name.
//
//go:embed packing skill
var FS embed.FS
