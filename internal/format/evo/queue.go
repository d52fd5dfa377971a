package evo

import (
	"bytes"
	"errors"
	"fmt"
)

// A Directive is one line of inject/events/*.jsonl: what the user tells all
// orchestrators, or one experiment's agent.
type Directive struct {
	Rest
	SchemaVersion int    `evo:"schema_version,need"`
	ID            string `evo:"id,need"` // see EventID
	TS            string `evo:"ts"`
	Text          string `evo:"text"`
}

// Line is the directive as it stands in its file, with its line end.
func (d *Directive) Line() []byte {
	c := *d
	if c.SchemaVersion == 0 {
		c.SchemaVersion = 1
	}
	return []byte(compact(encode(&c)) + "\n")
}

// ReadDirectives reads such a file, oldest first. What follows the last line end
// is a line that is being written, and is left to the next reader: next is where
// it begins. Errors name the line.
func ReadDirectives(name string, data []byte) (all []Directive, next int, err error) {
	next = bytes.LastIndexByte(data, '\n') + 1
	var faults []error
	for i, line := range bytes.Split(data[:next], []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		d, _, err := read[Directive](fmt.Sprintf("%s:%d", name, i+1), line)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all = append(all, *d)
	}
	return all, next, errors.Join(faults...)
}

// DirectiveDoc is what direct-status prints of a directive: whether it is
// queued, and who acknowledged it when and how often; count 0 for nobody.
func DirectiveDoc(id string, d *Directive, by, at string, count int) string {
	out := "event:    " + id + "\nqueued:   not found in workspace.jsonl\n"
	if d != nil {
		out = "event:    " + id + " ('" + oneLine(d.Text) + "')\nqueued:   " + d.TS + "\n"
	}
	out += "delivered:    (no record)\n"
	if count == 0 {
		return out + "acked:        (no ack yet)\n"
	}
	if by == "" {
		by = "(unattributed)"
	}
	return out + fmt.Sprintf("acked by:     %s at %s (count=%d)\n", by, at, count)
}
