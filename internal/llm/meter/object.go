package meter

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// An object is a JSON object as its members, in order, each value as it was
// written: a request is changed where it must be and nowhere else.
type object struct {
	members []member
	changed bool
}

type member struct {
	key string
	raw []byte
}

var (
	errNoObject = errors.New("no JSON object")
	errTwice    = errors.New("a key is there twice")
)

// parse splits an object. A key that is there twice is refused: the service might
// read the one that clade does not.
func parse(body []byte) (*object, error) {
	if !json.Valid(body) {
		return nil, errNoObject
	}
	at := space(body, 0)
	if body[at] != '{' {
		return nil, errNoObject
	}
	o := &object{}
	for at = space(body, at+1); body[at] != '}'; {
		end := value(body, at)
		key, err := unquote(body[at:end])
		if err != nil {
			return nil, err
		}
		if o.find(key) >= 0 {
			return nil, errTwice
		}
		at = space(body, space(body, end)+1) // after the colon
		end = value(body, at)
		o.members = append(o.members, member{key, body[at:end]})
		if at = space(body, end); body[at] == ',' {
			at = space(body, at+1)
		}
	}
	return o, nil
}

func unquote(b []byte) (s string, err error) {
	if !bytes.ContainsRune(b, '\\') {
		return string(b[1 : len(b)-1]), nil
	}
	return s, json.Unmarshal(b, &s)
}

// space is where b goes on after blanks from at.
func space(b []byte, at int) int {
	for at < len(b) && (b[at] == ' ' || b[at] == '\n' || b[at] == '\t' || b[at] == '\r') {
		at++
	}
	return at
}

// value is the end of the value that begins at at. b is valid JSON.
func value(b []byte, at int) int {
	switch b[at] {
	case '"':
		return closing(b, at)
	case '{', '[':
		depth := 0
		for {
			switch b[at] {
			case '"':
				at = closing(b, at) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return at + 1
				}
			}
			at++
		}
	}
	for at < len(b) && !bytes.ContainsRune([]byte(" \n\t\r,]}"), rune(b[at])) {
		at++
	}
	return at
}

func (o *object) find(key string) int {
	return slices.IndexFunc(o.members, func(m member) bool { return m.key == key })
}

// get returns a member's value, nil if there is none.
func (o *object) get(key string) []byte {
	if at := o.find(key); at >= 0 {
		return o.members[at].raw
	}
	return nil
}

// number is a member's value rounded down, 0 if it is no number above that.
func (o *object) number(key string) int64 {
	var f float64
	if json.Unmarshal(o.get(key), &f) != nil || !(f > 0) {
		return 0
	}
	return int64(min(f, mostTokens))
}

func (o *object) truth(key string) bool { return string(o.get(key)) == "true" }

func (o *object) text(key string) string {
	var s string
	if json.Unmarshal(o.get(key), &s) != nil {
		return ""
	}
	return s
}

// inner is a member that is an object itself; nil if it is none.
func (o *object) inner(key string) *object {
	raw := o.get(key)
	if raw == nil {
		return nil
	}
	in, err := parse(raw)
	if err != nil {
		return nil
	}
	return in
}

// set puts a value in a member's place, or at the end.
func (o *object) set(key string, raw []byte) {
	o.changed = true
	if at := o.find(key); at >= 0 {
		o.members[at].raw = raw
		return
	}
	o.members = append(o.members, member{key, raw})
}

func (o *object) setJSON(key string, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers, strings and booleans always have JSON
	}
	o.set(key, raw)
}

func (o *object) drop(keys ...string) {
	was := len(o.members)
	o.members = slices.DeleteFunc(o.members, func(m member) bool { return slices.Contains(keys, m.key) })
	o.changed = o.changed || len(o.members) < was
}

// bytes writes the object.
func (o *object) bytes() []byte {
	size := 2
	for _, m := range o.members {
		size += len(m.key) + len(m.raw) + 4
	}
	out := append(make([]byte, 0, size), '{')
	for i, m := range o.members {
		if i > 0 {
			out = append(out, ',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			panic(err) // a string always has JSON
		}
		out = append(append(append(out, key...), ':'), m.raw...)
	}
	return append(out, '}')
}

// keep filters the members of an array that are objects, which stays may change;
// raw is returned as it is when it is no array or nothing changes.
func keep(raw []byte, stays func(*object) bool) []byte {
	var all []json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return raw
	}
	out, gone := []byte{'['}, false
	for _, item := range all {
		if o, err := parse(item); err == nil {
			if !stays(o) {
				gone = true
				continue
			}
			if o.changed {
				item, gone = o.bytes(), true
			}
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	if !gone {
		return raw
	}
	return append(out, ']')
}
