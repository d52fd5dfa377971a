package native

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
)

//go:embed overlay.json
var overlaySchema []byte

// sharedKeys are those that an overlay says as clade.yaml does.
var sharedKeys = []string{"frozen", "setup", "carry", "lock", "operators", "models", "limits", "sandbox", "protect", "final", "slots", "seed"}

// OverlaySchema returns the JSON Schema (draft 2020-12) of an overlay: its own
// keys, those it shares with clade.yaml, and the definitions of both.
func OverlaySchema() []byte {
	whole, own := object(schema), object(overlaySchema)
	keys, shared := own["properties"].(map[string]any), whole["properties"].(map[string]any)
	for _, key := range sharedKeys {
		keys[key] = shared[key]
	}
	defs := whole["$defs"].(map[string]any)
	maps.Copy(defs, own["$defs"].(map[string]any))
	own["$defs"] = defs
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(own); err != nil {
		panic(fmt.Sprintf("overlay.json: %v", err)) // what was decoded can be encoded
	}
	return out.Bytes()
}

// object decodes one of the embedded schemas.
func object(data []byte) (o map[string]any) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		panic(fmt.Sprintf("an embedded schema: %v", err)) // tests read them
	}
	return o
}
