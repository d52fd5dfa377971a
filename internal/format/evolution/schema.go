package evolution

import (
	"bytes"
	_ "embed"
)

//go:embed evolution.schema.json
var evolutionSchema []byte

//go:embed result.schema.json
var resultSchema []byte

// Schema returns the JSON Schema (draft 2020-12) of evolution.yaml: everything
// that can be said of it without comparing one part with another.
func Schema() []byte { return bytes.Clone(evolutionSchema) }

// ResultSchema returns the JSON Schema (draft 2020-12) of result.json.
func ResultSchema() []byte { return bytes.Clone(resultSchema) }
