package syntax

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// mostDecoded bounds the values of what Decode reads.
const mostDecoded = 10_000

// Decode reads what a program said, one JSON value, into what into points to:
// structs whose keys are all named by a json tag, with no embedded ones.
//
// It is as encoding/json would read it, but for what that guesses: a key is told
// apart from others exactly, it is known and given once in its object, and the
// text is UTF-8. At most 10,000 values are read, 32 levels deep. Where data is
// refused, into is as it was.
func Decode(data []byte, into any) error {
	if !utf8.Valid(data) {
		return errors.New("JSON is not valid UTF-8")
	}
	var f Faults
	if root := f.ParseJSON(data, mostDecoded); root != nil {
		f.keys(root, reflect.TypeOf(into))
	}
	if len(f) > 0 {
		return f[0].plain()
	}
	out := reflect.New(reflect.TypeOf(into).Elem())
	if err := json.Unmarshal(data, out.Interface()); err != nil {
		return err
	}
	reflect.ValueOf(into).Elem().Set(out.Elem())
	return nil
}

// plain is a fault in one line, for what is not a person's file.
func (f Fault) plain() error {
	text := fmt.Sprintf("line %d, column %d: %s", f.At.Line, f.At.Col, f.Text)
	if f.Hint != "" {
		text += "; " + f.Hint
	}
	return errors.New(text)
}

var readsItself = reflect.TypeFor[json.Unmarshaler]()

// keys refuses the keys of n that t does not have. What reads itself is left to
// do so.
func (f *Faults) keys(n *Node, t reflect.Type) {
	for ; t.Kind() == reflect.Pointer; t = t.Elem() {
		if t.Implements(readsItself) {
			return
		}
	}
	if reflect.PointerTo(t).Implements(readsItself) {
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		f.members(n, t)
	case reflect.Map:
		for _, p := range n.Pairs {
			f.keys(p.Value, t.Elem())
		}
	case reflect.Slice, reflect.Array:
		for _, item := range n.Items {
			f.keys(item, t.Elem())
		}
	}
}

func (f *Faults) members(n *Node, t reflect.Type) {
	var names []string
	var types []reflect.Type
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names, types = append(names, name), append(types, field.Type)
	}
	for _, p := range n.Pairs {
		at := slices.Index(names, p.Key)
		if at < 0 || p.Key == "" || p.Key == "-" {
			f.Add(p.At, Suggest(p.Key, names), "unknown key %s", Quote(p.Key))
			continue
		}
		f.keys(p.Value, types[at])
	}
}
