package evaluate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of a JSON document.
const (
	maxDocument = 4 << 20 // bytes
	maxDepth    = 200     // arrays and objects within each other
)

// A document is one JSON value, read strictly: valid UTF-8, keys told apart
// exactly, no key twice in an object, nothing after the value, at most
// maxDocument bytes and 200 levels deep.
type document struct{ root any }

// parseDocument reads a document.
func parseDocument(data []byte) (document, error) {
	switch {
	case len(data) > maxDocument:
		return document{}, fmt.Errorf("JSON of %d bytes is larger than %d", len(data), maxDocument)
	case len(bytes.TrimSpace(data)) == 0:
		return document{}, errors.New("nothing where JSON should be")
	case !utf8.Valid(data):
		return document{}, errors.New("JSON is not valid UTF-8")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return document{}, jsonError(data, err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	root, err := decodeValue(dec, 0)
	if err != nil {
		return document{}, err
	}
	return document{root}, nil
}

func jsonError(data []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("not JSON: %w", err)
	}
	at := min(max(int(syntax.Offset)-1, 0), len(data))
	line, where := bytes.LastIndexByte(data[:at], '\n')+1, ""
	if n := bytes.Count(data[:at], []byte{'\n'}); n > 0 {
		where = fmt.Sprintf(" in line %d", n+1)
	}
	return fmt.Errorf("not JSON: %w%s: %s", err, where, quote(string(data[line:])))
}

func decodeValue(dec *json.Decoder, depth int) (any, error) {
	tok, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	delim, nested := tok.(json.Delim)
	switch {
	case !nested:
		return tok, nil
	case depth >= maxDepth:
		return nil, fmt.Errorf("JSON is nested more than %d levels deep", maxDepth)
	case delim == '{':
		return decodeObject(dec, depth+1)
	}
	return decodeArray(dec, depth+1)
}

func decodeObject(dec *json.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("not JSON: %w", err)
		}
		key, ok := tok.(string)
		if !ok {
			return nil, fmt.Errorf("not JSON: key %v is no string", tok)
		}
		if _, twice := object[key]; twice {
			return nil, fmt.Errorf("key %s appears twice in one object", quote(key))
		}
		if object[key], err = decodeValue(dec, depth); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token()
	return object, err
}

func decodeArray(dec *json.Decoder, depth int) (any, error) {
	array := []any{}
	for dec.More() {
		v, err := decodeValue(dec, depth)
		if err != nil {
			return nil, err
		}
		array = append(array, v)
	}
	_, err := dec.Token()
	return array, err
}

// Number is the number that a JSON pointer (RFC 6901) leads to; "" is the whole
// document. Only a JSON number counts: never a string, a boolean or null.
func (d document) Number(pointer string) (float64, error) {
	v, err := d.find(pointer)
	if err != nil {
		return 0, err
	}
	n, ok := v.(json.Number)
	if !ok {
		return 0, fmt.Errorf("%s is %s, not a number", quote(pointer), kindOf(v))
	}
	return Number([]byte(n))
}

func (d document) find(pointer string) (any, error) {
	if pointer == "" {
		return d.root, nil
	}
	rest, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return nil, fmt.Errorf("JSON pointer %s does not begin with /", quote(pointer))
	}
	v := d.root
	for part := range strings.SplitSeq(rest, "/") {
		key, err := unescape(part)
		if err != nil {
			return nil, fmt.Errorf("JSON pointer %s: %w", quote(pointer), err)
		}
		if v, ok = step(v, key); !ok {
			return nil, fmt.Errorf("nothing at %s: no %s", quote(pointer), quote(key))
		}
	}
	return v, nil
}

func unescape(part string) (string, error) {
	for i := strings.IndexByte(part, '~'); i >= 0 && i < len(part); i++ {
		if part[i] == '~' && (i+1 == len(part) || part[i+1] != '0' && part[i+1] != '1') {
			return "", errors.New("~ must be followed by 0 or 1")
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~"), nil
}

func step(v any, key string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		next, ok := v[key]
		return next, ok
	case []any:
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(v) || strconv.Itoa(i) != key {
			return nil, false
		}
		return v[i], true
	}
	return nil, false
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "the string " + quote(v)
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return "a number"
}
