// Package syntax reads YAML and JSON into one tree of values with their places,
// for every format that clade reads. It knows nothing of what a file means.
//
// Reading is strict and whole: what is wrong is collected, with line and
// column, so that all of it is reported at once. Each value also says where its
// bytes are in the file and in which style it is written, so that a writer can
// change one value and leave every other byte as it is.
package syntax

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deep lists and mappings may be nested, aliases expanded.
const MaxDepth = 32

// Limits are caps on a file. They keep a wrong file from costing seconds or
// gigabytes, since the time of the YAML parser grows with the square of some
// inputs.
type Limits struct {
	Size   int // bytes, a multiple of 1024
	Values int // values, aliases expanded
	Words  int // words and signs of YAML
}

// A Source is a file to be parsed.
type Source struct {
	Name string // its ending decides between YAML and JSON
	Data []byte
	Limits
	What  string // what the file holds, for hints: "spec"
	Empty string // what to do about an empty file
	Large string // what to do about one that is too large
}

// Parse reads a file into a tree. On a fault that hides the rest it returns
// nil; other faults, such as a key given twice, leave a tree.
func (f *Faults) Parse(s Source) *Node {
	if len(s.Data) > s.Size {
		f.Add(Pos{}, s.Large, "is larger than %d KiB", s.Size>>10)
		return nil
	}
	data, back := plain(s.Data)
	if at := foreignByte(data); at >= 0 {
		f.Add(place(data, at), "a "+s.What+" is YAML or JSON in UTF-8", "is not a text file")
		return nil
	}
	if len(bytes.TrimSpace(data)) == 0 {
		f.Add(Pos{}, s.Empty, "is empty")
		return nil
	}
	var root *Node
	if isJSON(s.Name, data) {
		root = f.ParseJSON(data, s.Values)
	} else {
		root = f.parseYAML(data, s)
	}
	if root != nil {
		root.label("")
		root.moveSpans(back)
	}
	return root
}

// isJSON reports whether data is read as JSON: by its ending, or, so that a
// file may come from a pipe, because it is a JSON object.
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
func place(data []byte, offset int) Pos {
	before := data[:min(offset, len(data))]
	line := bytes.LastIndexByte(before, '\n') + 1
	return Pos{bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[line:]) + 1}
}
