package evo

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/cladehq/clade/internal/format"
	"github.com/cladehq/clade/internal/syntax"
)

// A Rest is what a record was read from, kept beside what is known of it: keys
// that are not known, and how known ones were spelled, survive a write. Records
// embed it; that of a record that was not read is empty.
type Rest struct{ original Value }

// Extra are the keys that were read and are not known, in the order of the file.
func (r Rest) extra(known []field) []Pair {
	var out []Pair
	for _, p := range r.original.pairs {
		if !slices.ContainsFunc(known, func(f field) bool { return f.name == p.Key }) {
			out = append(out, p)
		}
	}
	return out
}

// A field is one field of a record: `evo:"name"` is always written,
// `evo:"name,omitempty"` only if it has a value or had one in the file that it
// was read from, and `evo:"name,need"` must be in the file.
type field struct {
	index      int
	name       string
	omit, need bool
}

var restType = reflect.TypeFor[Rest]()

// layouts are the fields of the types that were met in one file: reading tags
// takes longer than all the rest.
type layouts map[reflect.Type][]field

func (l layouts) of(t reflect.Type) []field {
	out, ok := l[t]
	if ok {
		return out
	}
	for i := range t.NumField() {
		name, flags, _ := strings.Cut(t.Field(i).Tag.Get("evo"), ",")
		if name != "" {
			out = append(out, field{i, name, flags == "omitempty", flags == "need"})
		}
	}
	l[t] = out
	return out
}

// read makes a record of a file.
func read[T any](name string, data []byte) (*T, []format.Warning, error) {
	v, err := Parse(name, data)
	if err != nil {
		return nil, nil, err
	}
	d := decoder{name: name, data: data, layouts: layouts{}}
	out := new(T)
	d.structure(v, reflect.ValueOf(out).Elem(), "")
	if err := d.Err(name); err != nil {
		return nil, nil, err
	}
	return out, d.warnings, nil
}

// A decoder is strict about types: what is there is of its type or null.
type decoder struct {
	name string
	data []byte
	layouts
	syntax.Faults
	warnings []format.Warning
}

func (d *decoder) wrong(v Value, path, want string) {
	d.Add(position(d.data, v.at), "", "%s is %s, not %s", cmp.Or(path, "the file"), v.What(), want)
}

func (d *decoder) decode(v Value, into reflect.Value, path string) {
	if into.Type() == reflect.TypeFor[Value]() {
		into.Set(reflect.ValueOf(v))
		return
	}
	if v.kind == null {
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		d.pointer(v, into, path)
	case reflect.Struct:
		d.structure(v, into, path)
	case reflect.Slice:
		if v.kind != list {
			d.wrong(v, path, "a list")
			return
		}
		into.Set(reflect.MakeSlice(into.Type(), len(v.items), len(v.items)))
		for i, item := range v.items {
			d.item(item, into.Index(i), path+"["+strconv.Itoa(i)+"]")
		}
	case reflect.Map:
		if v.kind != mapping {
			d.wrong(v, path, "a mapping")
			return
		}
		into.Set(reflect.MakeMapWithSize(into.Type(), len(v.pairs)))
		for _, p := range v.pairs {
			item := reflect.New(into.Type().Elem()).Elem()
			d.item(p.Value, item, syntax.Join(path, p.Key))
			into.SetMapIndex(reflect.ValueOf(p.Key), item)
		}
	default:
		d.scalar(v, into, path)
	}
}

// item reads what is in a list or a mapping, where null stands for nothing.
func (d *decoder) item(v Value, into reflect.Value, path string) {
	if v.kind == null && into.Type() != reflect.TypeFor[Value]() {
		d.wrong(v, path, "a value")
		return
	}
	d.decode(v, into, path)
}

// pointer reads what may be null. A number that is not finite is read as none,
// with a warning: the program stored what its benchmarks printed.
func (d *decoder) pointer(v Value, into reflect.Value, path string) {
	if _, finite := v.Number(); into.Type().Elem().Kind() == reflect.Float64 && v.kind == number && !finite {
		d.warnings = append(d.warnings, format.Warning{Where: syntax.Where(d.name, position(d.data, v.at)),
			Text: fmt.Sprintf("%s is %s, which is no number: it is read as none", path, v.raw)})
		return
	}
	into.Set(reflect.New(into.Type().Elem()))
	d.decode(v, into.Elem(), path)
}

func (d *decoder) structure(v Value, into reflect.Value, path string) {
	if v.kind != mapping {
		d.wrong(v, path, "a mapping")
		return
	}
	for i := range into.NumField() {
		if into.Field(i).Type() == restType {
			into.Field(i).Set(reflect.ValueOf(Rest{v}))
		}
	}
	for _, f := range d.layouts.of(into.Type()) {
		at := syntax.Join(path, f.name)
		given := v.Get(f.name)
		if given.Exists() {
			d.decode(given, into.Field(f.index), at)
		} else if f.need {
			d.Add(position(d.data, v.at), "", "%s is missing", at)
		}
	}
}

func (d *decoder) scalar(v Value, into reflect.Value, path string) {
	if want := set(v, into); want != "" {
		d.wrong(v, path, want)
	}
}

// set reads a scalar and says what was wanted if it is something else.
func set(v Value, into reflect.Value) (want string) {
	switch into.Kind() {
	case reflect.String:
		s, ok := v.Text()
		if !ok {
			return "text"
		}
		into.SetString(s)
	case reflect.Bool:
		if v.kind != boolean {
			return "true or false"
		}
		into.SetBool(v.raw == "true")
	case reflect.Int:
		f, ok := v.Number()
		if !ok || f != math.Trunc(f) || math.Abs(f) > syntax.Exact {
			return "a whole number"
		}
		into.SetInt(int64(f))
	case reflect.Float64:
		f, ok := v.Number()
		if !ok {
			return "a finite number"
		}
		into.SetFloat(f)
	}
	return ""
}

// encode makes a value of a record, its fields in their order and then what is
// not known.
func encode(record any) Value { return layouts{}.encode(reflect.ValueOf(record)) }

func (l layouts) encode(r reflect.Value) Value {
	switch r.Kind() {
	case reflect.Pointer:
		if r.IsNil() {
			return Null()
		}
		return l.encode(r.Elem())
	case reflect.Struct:
		if v, ok := r.Interface().(Value); ok {
			if !v.Exists() {
				return Null()
			}
			return v
		}
		return l.record(r)
	case reflect.Slice:
		items := make([]Value, r.Len()) // never nil, which is no list
		for i := range items {
			items[i] = l.encode(r.Index(i))
		}
		return List(items...)
	case reflect.Map:
		out := Value{kind: mapping}
		keys := r.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			out.pairs = append(out.pairs, Pair{k.String(), l.encode(r.MapIndex(k))})
		}
		return out
	case reflect.String:
		return Text(r.String())
	case reflect.Bool:
		return Bool(r.Bool())
	case reflect.Int:
		return Int(int(r.Int()))
	default:
		return Number(r.Float())
	}
}

func (l layouts) record(r reflect.Value) Value {
	var rest Rest
	for i := range r.NumField() {
		if r.Field(i).Type() == restType {
			rest = r.Field(i).Interface().(Rest)
		}
	}
	fields := l.of(r.Type())
	out := Value{kind: mapping}
	for _, f := range fields {
		was, is := rest.original.Get(f.name), r.Field(f.index)
		switch empty := isEmpty(is); {
		case was.Exists() && same(was, is):
			out.pairs = append(out.pairs, Pair{f.name, was})
		case empty && !was.Exists() && (f.omit || rest.original.Exists()):
		default:
			out.pairs = append(out.pairs, Pair{f.name, l.encode(is)})
		}
	}
	out.pairs = append(out.pairs, rest.extra(fields)...)
	if p, ok := addressed(r).(publisher); ok && !rest.original.Exists() {
		for _, key := range p.published() {
			if !out.Get(key.Key).Exists() {
				out.pairs = append(out.pairs, key)
			}
		}
	}
	return out
}

// A publisher has keys that are written with a value that means nothing, except
// where a record was read without them.
type publisher interface{ published() []Pair }

func isEmpty(r reflect.Value) bool {
	switch r.Kind() {
	case reflect.Slice, reflect.Map:
		return r.Len() == 0
	case reflect.Struct:
		v, ok := r.Interface().(Value)
		return ok && !v.Exists()
	}
	return r.IsZero()
}

// same reports whether a field still has the value that it was read from, so
// that its spelling can be kept. What holds records is compared by them.
func same(was Value, is reflect.Value) bool {
	if was.kind == null || was.kind == number && unfit(was) && is.Kind() == reflect.Pointer {
		return isEmpty(is)
	}
	switch is.Kind() {
	case reflect.Pointer:
		return !is.IsNil() && is.Elem().Kind() != reflect.Struct && same(was, is.Elem())
	case reflect.Slice, reflect.Map:
		return is.Len() == 0 && len(was.items)+len(was.pairs) == 0
	case reflect.Struct:
		return false
	}
	read := reflect.New(is.Type()).Elem()
	return set(was, read) == "" && read.Equal(is)
}

func unfit(v Value) bool {
	_, ok := v.Number()
	return !ok
}

func addressed(r reflect.Value) any {
	if r.CanAddr() {
		return r.Addr().Interface()
	}
	return nil
}
