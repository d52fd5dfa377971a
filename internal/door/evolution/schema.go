package evolution

import "github.com/cladehq/clade/internal/format/evolution"

// Schema is the JSON Schema of evolution.yaml.
func (d *Door) Schema() []byte { return evolution.Schema() }

// ResultSchema is the JSON Schema of a variant's result.json.
func (d *Door) ResultSchema() []byte { return evolution.ResultSchema() }

// SettingsSchema is the JSON Schema of .clade.yaml beside evolutions.
func (d *Door) SettingsSchema() []byte { return d.c.OverlaySchema() }
