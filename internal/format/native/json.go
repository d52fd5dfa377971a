package native

import (
	"bytes"
	"encoding/json"
	"errors"
)

// json parses a JSON file. Once it is known to be JSON it is read token by
// token, since encoding/json keeps neither places nor duplicate keys.
func (f *faults) json(data []byte) *node {
	if err := json.Unmarshal(data, new(json.RawMessage)); err != nil {
		f.jsonSyntax(data, err)
		return nil
	}
	r := jsonReader{faults: f, data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	r.dec.UseNumber()
	root, err := r.value(0)
	if err != nil && err != errReported {
		f.add(r.next(), "", "is no JSON: %v", err)
	}
	if err != nil {
		return nil
	}
	return root
}

func (f *faults) jsonSyntax(data []byte, err error) {
	var syntax *json.SyntaxError
	switch {
	case !errors.As(err, &syntax):
		f.add(pos{}, "", "is no JSON: %v", err)
	case int(syntax.Offset) >= len(data):
		f.add(place(data, len(data)), "", "is no JSON: it ends too early")
	default:
		f.add(place(data, int(syntax.Offset)-1), "", "is no JSON: %v", err)
	}
}

var errReported = errors.New("already among the faults")

type jsonReader struct {
	*faults
	data []byte
	dec  *json.Decoder
	left int
}

// next is the place of the token that comes next.
func (r *jsonReader) next() pos {
	at := int(r.dec.InputOffset())
	for at < len(r.data) && bytes.IndexByte([]byte(" \t\r\n,:"), r.data[at]) >= 0 {
		at++
	}
	return place(r.data, at)
}

func (r *jsonReader) value(depth int) (*node, error) {
	n := &node{at: r.next()}
	if depth > maxDepth {
		r.add(n.at, "", "is nested deeper than %d levels", maxDepth)
		return nil, errReported
	}
	if r.left++; r.left > maxNodes {
		r.add(n.at, "", "has more than %d values", maxNodes)
		return nil, errReported
	}
	tok, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	switch v := tok.(type) {
	case json.Delim:
		if v == '[' {
			return n, r.items(n, depth)
		}
		return n, r.pairs(n, depth)
	case string:
		n.kind, n.text = text, v
	case json.Number:
		n.kind, n.text = number, v.String()
	case bool:
		n.kind, n.text = boolean, map[bool]string{true: "true", false: "false"}[v]
	}
	return n, nil
}

func (r *jsonReader) items(n *node, depth int) error {
	n.kind = list
	for r.dec.More() {
		item, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	_, err := r.dec.Token()
	return err
}

func (r *jsonReader) pairs(n *node, depth int) error {
	n.kind = mapping
	for r.dec.More() {
		at := r.next()
		tok, err := r.dec.Token()
		if err != nil {
			return err
		}
		value, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		r.put(n, pair{tok.(string), at, value})
	}
	_, err := r.dec.Token()
	return err
}
