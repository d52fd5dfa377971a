package native

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Caps on a file. A spec written by hand is a few kilobytes; the caps keep a
// wrong file from costing seconds or gigabytes, since the time of the YAML
// parser grows with the square of some inputs.
const (
	maxSize   = 256 << 10 // bytes
	maxDepth  = 32        // lists and mappings inside one another
	maxNodes  = 5_000     // values, aliases expanded
	maxTokens = 20_000    // words and signs of YAML
)

// source parses data into a tree. On a fault that hides the rest it returns nil.
func (f *faults) source(data []byte) *node {
	if len(data) > maxSize {
		f.add(pos{}, "move data into files of their own", "is larger than 256 KiB")
		return nil
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if at := foreignByte(data); at >= 0 {
		f.add(place(data, at), "a spec is YAML or JSON in UTF-8", "is not a text file")
		return nil
	}
	if len(bytes.TrimSpace(data)) == 0 {
		f.add(pos{}, "clade init writes a first spec", "is empty")
		return nil
	}
	var root *node
	if isJSON(f.name, data) {
		root = f.json(data)
	} else {
		root = f.yaml(data)
	}
	if root != nil {
		root.label("")
	}
	return root
}

// isJSON reports whether data is read as JSON: by its ending, or, so that a
// spec may come from a pipe, because it is a JSON object.
func isJSON(name string, data []byte) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".json":
		return true
	case ".yaml", ".yml":
		return false
	}
	return bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) && json.Valid(data)
}

// foreignByte is the offset of the first byte that no text file has, or -1.
func foreignByte(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 || r < ' ' && r != '\t' && r != '\n' && r != '\r' {
			return i
		}
		i += n
	}
	return -1
}

// place turns an offset into a line and a column.
func place(data []byte, offset int) pos {
	before := data[:min(offset, len(data))]
	line := bytes.LastIndexByte(before, '\n') + 1
	return pos{bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[line:]) + 1}
}
