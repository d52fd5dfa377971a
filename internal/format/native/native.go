// Package native reads and writes clade's own format: clade.yaml and
// clade.json, whole or laid over a spec that another format made. It owns their
// JSON Schemas, the reference page made from them, and starter specs for folders
// of known kinds.
//
// Reading is strict and whole: every fault of a file is reported at once, with
// its place and a way to mend it. It looks at nothing but the bytes; whether a
// path exists or a program can be found is found out by whoever resolves the
// spec.
package native

import (
	"bytes"
	_ "embed"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format"
)

// Format reads clade.yaml and clade.json.
type Format struct{}

var _ format.Format = (*Format)(nil)

// New returns the native format.
func New() *Format { return &Format{} }

// Name implements format.Format.
func (*Format) Name() string { return "clade.yaml" }

// Read implements format.Format. The name appears in positions, and its ending
// decides between YAML and JSON; without a known ending JSON is recognised.
func (*Format) Read(name string, data []byte) (*clade.Spec, []format.Warning, error) {
	d := &decoder{faults: &faults{name: name}}
	root := d.source(data)
	if root == nil {
		return nil, nil, d.err()
	}
	d.secrets(root)
	s := d.spec(root)
	if err := d.err(); err != nil {
		return nil, d.warnings, err
	}
	return s, d.warnings, nil
}

// Keys at the top of a file that tell what it is.
var (
	foreign = []string{"evolution_id", "rubric"} // an evolution.yaml
	ours    = []string{"objective", "measures"}
)

// Detect implements format.Format: a file called clade, or one that has a
// version and an objective or measures, and none of another format's keys.
func (*Format) Detect(name string, data []byte) bool {
	keys := topKeys(name, data)
	has := func(k string) bool { return slices.Contains(keys, k) }
	if slices.ContainsFunc(foreign, has) {
		return false
	}
	switch strings.ToLower(filepath.Base(name)) {
	case "clade.yaml", "clade.yml", "clade.json":
		return true
	}
	return has("version") && slices.ContainsFunc(ours, has)
}

var keyLine = pattern(`(?m)^(?:"([a-z_]+)"|([a-z_]+))[ \t]*:`)

// topKeys lists the keys at the top of a file, by looking at its lines where
// it cannot be parsed.
func topKeys(name string, data []byte) (keys []string) {
	quiet := &faults{name: name}
	if root := quiet.source(data); root != nil {
		for _, p := range root.Pairs {
			keys = append(keys, p.Key)
		}
		return keys
	}
	for _, m := range keyLine().FindAllSubmatch(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), -1) {
		keys = append(keys, string(m[1])+string(m[2]))
	}
	return keys
}

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of the format: everything
// that can be said of a spec without comparing one part with another.
func Schema() []byte { return bytes.Clone(schema) }
