package evo

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Value is one JSON value as it was written: numbers and text keep their
// spelling, so that what is passed on is passed on exactly. The zero Value is no
// value at all.
type Value struct {
	kind  kind
	raw   string // a scalar as written
	items []Value
	pairs []Pair // in the order of the file
	at    int    // where it begins in the file
}

type kind byte

const (
	none kind = iota
	null
	boolean
	number // NaN, Infinity and -Infinity too, which Python writes
	text
	list
	mapping
)

// A Pair is one entry of a mapping.
type Pair struct {
	Key   string
	Value Value
}

// Exists reports whether there is a value, null included.
func (v Value) Exists() bool { return v.kind != none }

// IsNull reports whether the value is null or none.
func (v Value) IsNull() bool { return v.kind <= null }

// IsObject reports whether the value is a mapping.
func (v Value) IsObject() bool { return v.kind == mapping }

// Pairs are the entries of a mapping in the order of the file, nil for anything
// else.
func (v Value) Pairs() []Pair { return v.pairs }

// Items are the items of a list, nil for anything else.
func (v Value) Items() []Value { return v.items }

// Get returns the value of a key of a mapping, none if there is none.
func (v Value) Get(key string) Value {
	for i := range v.pairs {
		if v.pairs[i].Key == key {
			return v.pairs[i].Value
		}
	}
	return Value{}
}

// Text returns the text that the value is.
func (v Value) Text() (string, bool) {
	if v.kind != text {
		return "", false
	}
	return unquote(v.raw), true
}

// Number returns the number that the value is. What is not finite is none.
func (v Value) Number() (float64, bool) {
	if v.kind != number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.raw, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, false
	}
	if f == 0 && strings.ContainsAny(mantissa(v.raw), "123456789") {
		return 0, false // too small for a number: not zero
	}
	return f, true
}

func mantissa(raw string) string {
	if i := strings.IndexAny(raw, "eE"); i >= 0 {
		return raw[:i]
	}
	return raw
}

// What says what kind of value it is, for errors.
func (v Value) What() string {
	switch v.kind {
	case null:
		return "null"
	case boolean:
		return v.raw
	case number:
		return "the number " + clip(v.raw, 40)
	case text:
		return "text"
	case list:
		return "a list"
	case mapping:
		return "a mapping"
	}
	return "nothing"
}

// Text returns a value that is text.
func Text(s string) Value { return Value{kind: text, raw: quote(s)} }

// Number returns a value that is a number, spelled as Python spells a float.
// What is not finite is null.
func Number(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Value{kind: null, raw: "null"}
	}
	return Value{kind: number, raw: Float(f)}
}

// Int returns a value that is a whole number.
func Int(n int) Value { return Value{kind: number, raw: strconv.Itoa(n)} }

// Bool returns true or false.
func Bool(b bool) Value { return Value{kind: boolean, raw: strconv.FormatBool(b)} }

// Null returns null.
func Null() Value { return Value{kind: null, raw: "null"} }

// List returns a list.
func List(items ...Value) Value { return Value{kind: list, items: items} }

// Object returns a mapping. A key that is given twice has its last value.
func Object(pairs ...Pair) Value {
	v := Value{kind: mapping}
	for _, p := range pairs {
		v = v.With(p.Key, p.Value)
	}
	return v
}

// With returns the mapping with a key set, at its place or at the end.
func (v Value) With(key string, to Value) Value {
	v.kind, v.pairs = mapping, slices.Clone(v.pairs)
	if i := slices.IndexFunc(v.pairs, func(p Pair) bool { return p.Key == key }); i >= 0 {
		v.pairs[i].Value = to
	} else {
		v.pairs = append(v.pairs, Pair{key, to})
	}
	return v
}

// Sorted returns the value with the keys of all its mappings in order.
func (v Value) Sorted() Value {
	if v.items != nil {
		v.items = slices.Clone(v.items)
		for i := range v.items {
			v.items[i] = v.items[i].Sorted()
		}
	}
	if v.pairs != nil {
		v.pairs = slices.Clone(v.pairs)
		for i := range v.pairs {
			v.pairs[i].Value = v.pairs[i].Value.Sorted()
		}
		slices.SortStableFunc(v.pairs, func(a, b Pair) int { return cmp.Compare(a.Key, b.Key) })
	}
	return v
}

// Float spells a number as Python does: 1.0, 0.1, 1e-05, 1e+16.
func Float(f float64) string {
	s := strconv.FormatFloat(f, 'e', -1, 64)
	_, exp, _ := strings.Cut(s, "e")
	if n, _ := strconv.Atoi(exp); n < -4 || n >= 16 {
		return s
	}
	s = strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// clip is s, at most n characters of it.
func clip(s string, n int) string {
	seen := 0
	for i := range s {
		if seen++; seen > n {
			return s[:i] + "…"
		}
	}
	return s
}
