package evaluate

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
)

// jsonRows reads an array of objects, one element at a time.
func (l loader) jsonRows(data []byte) ([]row, error) {
	at := lineCounter{data: data}
	dec := json.NewDecoder(bytes.NewReader(data))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('[') {
		return nil, l.problem(1, "write [{…}, {…}], or one object a line in a .jsonl file", "the dataset is no JSON array")
	}
	var rows []row
	for dec.More() {
		line := at.line(skip(data, int(dec.InputOffset())))
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, l.problem(line, "", "%v", err)
		}
		r, err := l.row(line, raw)
		if err != nil {
			return nil, err
		}
		if rows = append(rows, r); len(rows) > maxRows {
			return nil, l.tooMany(line)
		}
	}
	line := at.line(int(dec.InputOffset()))
	if _, err := dec.Token(); err != nil {
		return nil, l.problem(line, "", "the array does not end: %v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, l.problem(at.line(skip(data, int(dec.InputOffset()))), "", "there is something after the array")
	}
	return rows, nil
}

// skip is the offset of the next value after white space and a comma.
func skip(data []byte, at int) int {
	for at < len(data) && bytes.IndexByte([]byte(" \t\r\n,"), data[at]) >= 0 {
		at++
	}
	return at
}

// lineCounter numbers lines of ascending offsets without counting any twice.
type lineCounter struct {
	data      []byte
	at, lines int
}

func (c *lineCounter) line(offset int) int {
	if offset > c.at {
		c.lines += bytes.Count(c.data[c.at:offset], []byte{'\n'})
		c.at = offset
	}
	return c.lines + 1
}

// jsonlRows reads an object a line; blank lines are skipped.
func (l loader) jsonlRows(data []byte) ([]row, error) {
	var rows []row
	line := 0
	for text := range bytes.Lines(data) {
		line++
		text = bytes.TrimSpace(text)
		if len(text) == 0 {
			continue
		}
		r, err := l.row(line, text)
		if err != nil {
			return nil, err
		}
		if rows = append(rows, r); len(rows) > maxRows {
			return nil, l.tooMany(line)
		}
	}
	return rows, nil
}

// tableRows reads a table whose first line names the columns. A row becomes an
// object of strings with the columns in their order. Line ends inside quotes
// become \n, so that git's line-end conversion does not change a case.
func (l loader) tableRows(data []byte, comma rune) ([]row, error) {
	in := csv.NewReader(bytes.NewReader(data))
	in.Comma, in.LazyQuotes = comma, comma == '\t'
	header, err := in.Read()
	if err != nil {
		return nil, l.problem(1, "", "no header line: %v", err)
	}
	if err := l.checkHeader(header); err != nil {
		return nil, err
	}
	var rows []row
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, l.tableProblem(err, len(header), len(record))
		}
		line, _ := in.FieldPos(0)
		raw, err := objectOf(header, record)
		if err != nil {
			return nil, l.problem(line, "", "%v", err)
		}
		r, err := l.row(line, raw)
		if err != nil {
			return nil, err
		}
		if rows = append(rows, r); len(rows) > maxRows {
			return nil, l.tooMany(line)
		}
	}
}

func (l loader) checkHeader(header []string) error {
	seen := map[string]bool{}
	for _, name := range header {
		if name == "" || seen[name] {
			return l.problem(1, "name every column once", "column %s is empty or appears twice", quote(name))
		}
		seen[name] = true
	}
	return nil
}

func (l loader) tableProblem(err error, want, got int) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return l.problem(0, "", "%v", err)
	}
	if errors.Is(parse.Err, csv.ErrFieldCount) {
		return l.problem(parse.Line, "", "%d fields where the header has %d", got, want)
	}
	return l.problem(parse.Line, "", "%v in column %d", parse.Err, parse.Column)
}

func (l loader) tooMany(line int) error {
	return l.problem(line, "leave out cases", "the dataset has more than %d cases", maxRows)
}

func objectOf(names, values []string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i := range names {
		b.WriteByte("{,"[min(i, 1)])
		if err := enc.Encode(names[i]); err != nil {
			return nil, err
		}
		b.Truncate(b.Len() - 1)
		b.WriteByte(':')
		if err := enc.Encode(values[i]); err != nil {
			return nil, err
		}
		b.Truncate(b.Len() - 1)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
