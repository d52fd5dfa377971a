package native

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// json parses a JSON file. It reads token by token, since encoding/json keeps
// neither places nor duplicate keys.
func (f *faults) json(data []byte) *node {
	r := jsonReader{faults: f, data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	r.dec.UseNumber()
	root, err := r.value(0)
	if err == nil {
		if _, end := r.dec.Token(); end != io.EOF {
			f.add(r.next(), "remove it", "there is something after the end of the spec")
			return nil
		}
		return root
	}
	if err != errReported {
		f.add(r.fail(err), "", "is no JSON: %v", jsonReason(err))
	}
	return nil
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

func (r *jsonReader) fail(err error) pos {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return place(r.data, int(syntax.Offset)-1)
	}
	return place(r.data, len(r.data))
}

func jsonReason(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends too early")
	}
	return err
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
