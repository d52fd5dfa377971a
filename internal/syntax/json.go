package syntax

import (
	"bytes"
	"encoding/json"
	"errors"
)

// ParseJSON reads JSON of at most so many values. Once it is known to be JSON
// it is read token by token, since encoding/json keeps neither places nor
// duplicate keys. Paths are left empty.
func (f *Faults) ParseJSON(data []byte, most int) *Node {
	if err := json.Unmarshal(data, new(json.RawMessage)); err != nil {
		f.jsonSyntax(data, err)
		return nil
	}
	r := jsonReader{Faults: f, data: data, dec: json.NewDecoder(bytes.NewReader(data)), most: most}
	r.dec.UseNumber()
	root, err := r.value(0)
	if err != nil && err != errReported {
		f.Add(place(data, r.next()), "", "is no JSON: %v", err)
	}
	if err != nil {
		return nil
	}
	return root
}

func (f *Faults) jsonSyntax(data []byte, err error) {
	var syntax *json.SyntaxError
	switch {
	case !errors.As(err, &syntax):
		f.Add(Pos{}, "", "is no JSON: %v", err)
	case int(syntax.Offset) >= len(data):
		f.Add(place(data, len(data)), "", "is no JSON: it ends too early")
	default:
		f.Add(place(data, int(syntax.Offset)-1), "", "is no JSON: %v", err)
	}
}

var errReported = errors.New("already among the faults")

type jsonReader struct {
	*Faults
	data []byte
	dec  *json.Decoder
	left int
	most int
}

// next is the offset of the token that comes next.
func (r *jsonReader) next() int {
	at := int(r.dec.InputOffset())
	for at < len(r.data) && bytes.IndexByte([]byte(" \t\r\n,:"), r.data[at]) >= 0 {
		at++
	}
	return at
}

func (r *jsonReader) value(depth int) (*Node, error) {
	from := r.next()
	n := &Node{At: place(r.data, from), Span: Span{Start: from}, Style: Plain}
	if depth > MaxDepth {
		r.Add(n.At, "", "is nested deeper than %d levels", MaxDepth)
		return nil, errReported
	}
	if r.left++; r.left > r.most {
		r.Add(n.At, "", "has more than %d values", r.most)
		return nil, errReported
	}
	tok, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	switch v := tok.(type) {
	case json.Delim:
		n.Style = Flow
		if v == '[' {
			err = r.items(n, depth)
		} else {
			err = r.pairs(n, depth)
		}
	case string:
		n.Kind, n.Text, n.Style = Text, v, Double
	case json.Number:
		n.Kind, n.Text = Number, v.String()
	case bool:
		n.Kind, n.Text = Boolean, map[bool]string{true: "true", false: "false"}[v]
	}
	n.Span.End = int(r.dec.InputOffset())
	return n, err
}

func (r *jsonReader) items(n *Node, depth int) error {
	n.Kind = List
	for r.dec.More() {
		item, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.Items = append(n.Items, item)
	}
	_, err := r.dec.Token()
	return err
}

func (r *jsonReader) pairs(n *Node, depth int) error {
	n.Kind = Mapping
	seen := map[string]Pos{}
	for r.dec.More() {
		from := r.next()
		tok, err := r.dec.Token()
		if err != nil {
			return err
		}
		key := Span{from, int(r.dec.InputOffset())}
		value, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		r.put(n, Pair{Key: tok.(string), At: place(r.data, from), Span: key, Value: value}, seen)
	}
	_, err := r.dec.Token()
	return err
}
