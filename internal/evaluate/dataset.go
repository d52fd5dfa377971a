package evaluate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/cladehq/clade"
)

// Bounds of a dataset.
const (
	maxDataset = 256 << 20 // bytes
	maxRows    = 1_000_000
	maxCaseID  = 200 // bytes
)

// A row is one line of a dataset: a JSON object, as written or made from the
// columns of a table.
type row struct {
	line   int
	raw    []byte
	fields map[string]json.RawMessage
	digest [sha256.Size]byte // of raw without insignificant white space
}

// Load reads the dataset of spec from its file's bytes and deals the cases into
// splits; cases that no split asks for are left out. Input bytes are those of
// the file: a string field as its text, any other as it is written, the whole
// case as its JSON. Every error is a *clade.Problem at file:line.
//
// Two rows may not be the same case: an id, or without ids a whole row, that
// appears twice is refused, since it would count one case twice.
func Load(spec *clade.Spec, data []byte) ([]Case, error) {
	l := loader{spec.Dataset}
	rows, err := l.rows(data)
	if err != nil {
		return nil, err
	}
	cases := make([]Case, len(rows))
	lines := make(map[string]int, len(rows))
	for i, r := range rows {
		if cases[i], err = l.caseOf(r); err != nil {
			return nil, err
		}
		if first, twice := lines[cases[i].ID]; twice {
			return nil, l.twice(r, first, cases[i].ID)
		}
		lines[cases[i].ID] = r.line
	}
	return l.deal(rows, cases)
}

type loader struct{ *clade.Dataset }

func (l loader) problem(line int, hint, format string, args ...any) error {
	where := l.File
	if line > 0 {
		where = fmt.Sprintf("%s:%d", l.File, line)
	}
	return &clade.Problem{Fault: clade.FaultSpec, Where: where, Text: fmt.Sprintf(format, args...), Hint: hint}
}

func (l loader) twice(r row, first int, id string) error {
	if l.CaseID == "" {
		return l.problem(r.line, "remove one of them", "the case is the same as in line %d", first)
	}
	return l.problem(r.line, "give every case its own "+l.CaseID, "id %s is also in line %d", quote(id), first)
}

// rows reads the file in the format the spec names or its ending tells.
func (l loader) rows(data []byte) ([]row, error) {
	format := l.Format
	if format == "" {
		format = strings.TrimPrefix(path.Ext(l.File), ".")
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(data) > maxDataset {
		return nil, l.problem(0, "leave out cases or keep large inputs in files of their own",
			"the dataset has %d bytes, more than %d", len(data), maxDataset)
	}
	if at := invalidUTF8(data); at >= 0 {
		return nil, l.problem(1+bytes.Count(data[:at], []byte{'\n'}), "save the file as UTF-8", "not valid UTF-8")
	}
	var rows []row
	var err error
	switch strings.ToLower(format) {
	case "json":
		rows, err = l.jsonRows(data)
	case "jsonl", "ndjson":
		rows, err = l.jsonlRows(data)
	case "csv":
		rows, err = l.tableRows(data, ',')
	case "tsv":
		rows, err = l.tableRows(data, '\t')
	default:
		return nil, l.problem(0, "say format: json, jsonl, csv or tsv", "%q is no format of a dataset", format)
	}
	if err == nil && len(rows) == 0 {
		err = l.problem(0, "", "the dataset has no cases")
	}
	return rows, err
}

func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; ; {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
}

// row reads one object.
func (l loader) row(line int, raw []byte) (row, error) {
	doc, err := parseDocument(raw)
	if err != nil {
		return row{}, l.problem(line, "", "%v", err)
	}
	if _, ok := doc.root.(map[string]any); !ok {
		return row{}, l.problem(line, "a case is an object with named fields", "the case is %s", kindOf(doc.root))
	}
	r := row{line: line, raw: raw}
	if err := json.Unmarshal(raw, &r.fields); err != nil {
		return row{}, l.problem(line, "", "%v", err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return row{}, l.problem(line, "", "%v", err)
	}
	r.digest = sha256.Sum256(compact.Bytes())
	return r, nil
}

func (l loader) caseOf(r row) (Case, error) {
	c := Case{ID: hex.EncodeToString(r.digest[:8]), Input: r.raw}
	if l.CaseID != "" {
		id, err := l.field(r, l.CaseID)
		if err != nil {
			return Case{}, err
		}
		if id == "" || len(id) > maxCaseID || strings.ContainsFunc(id, isControl) {
			return Case{}, l.problem(r.line, "", "id %s is empty, longer than %d bytes or has control characters", quote(id), maxCaseID)
		}
		c.ID = id
	}
	if l.Input != "" {
		input, err := l.field(r, l.Input)
		if err != nil {
			return Case{}, err
		}
		c.Input = []byte(input)
	}
	if l.Expected != "" {
		expected, err := l.field(r, l.Expected)
		if err != nil {
			return Case{}, err
		}
		c.Expected = expected
	} else if l.Scorer.Kind != "command" {
		return Case{}, l.problem(0, "name the field in dataset.expected", "scorer %s needs to know what is expected", l.Scorer.Kind)
	}
	return c, nil
}

// field is a field's text: a string's content, anything else as written.
func (l loader) field(r row, name string) (string, error) {
	raw, ok := r.fields[name]
	switch {
	case !ok:
		return "", l.problem(r.line, "", "the case has no field %s", quote(name))
	case string(raw) == "null":
		return "", l.problem(r.line, "", "field %s is null", quote(name))
	case raw[0] != '"':
		return string(raw), nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", l.problem(r.line, "", "field %s: %v", quote(name), err)
	}
	return s, nil
}

func isControl(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }
