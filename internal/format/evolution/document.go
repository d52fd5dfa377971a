package evolution

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format"
	"github.com/cladehq/clade/internal/syntax"
)

// A Document is evolution.yaml as it was written, and what it says.
type Document struct {
	Name      string // appears in positions
	Data      []byte // must not be changed
	Evolution *Evolution
	Warnings  []format.Warning
	root      *syntax.Node
}

// Open reads evolution.yaml so that it can be changed. Errors are as of Parse.
func Open(name string, data []byte) (*Document, error) {
	r := reader{name: name}
	e, root := r.evolution(data)
	if err := r.Err(name); err != nil {
		return nil, err
	}
	return &Document{Name: name, Data: data, Evolution: e, Warnings: r.warnings, root: root}, nil
}

// Update returns a document that says what want says, with only those bytes of
// d changed that had to be. Want is d's evolution (a Clone of it) with any of
// these changes:
//
//   - a variant's Status, Workspace, Gates or Rubric;
//   - variants appended;
//   - Winner, Applied, UpdatedAt.
//
// Everything else is written by people, and a want that differs there is an
// error. Times are written to the second, in UTC; output of gates on one line.
// The new bytes are read again and compared with want: a change that cannot be
// made safely, because an anchor's other users would change with it or because
// it could not be found where a value is written, is refused as *clade.Problem
// with its place, and nothing comes back.
func (d *Document) Update(want *Evolution) (*Document, error) {
	want = tidy(want, d.Evolution)
	if err := writable(d.Evolution, want); err != nil {
		return nil, err
	}
	out, err := d.update(want, false)
	if err != nil { // a comment that stands behind may be taken into text behind |
		out, err = d.update(want, true)
	}
	return out, err
}

func (d *Document) update(want *Evolution, oneLine bool) (*Document, error) {
	w := newWriter(d, oneLine)
	w.evolution(d.Evolution, want)
	if w.lost != nil {
		return nil, w.refuse(*w.lost, "it cannot be told where it is written")
	}
	data, ok := splice(d.Data, w.edits)
	if !ok {
		return nil, w.refuse(w.first(), "changes overlap")
	}
	out, err := Open(d.Name, data)
	switch {
	case err != nil:
		return nil, w.refuse(w.first(), "what is written could not be read again: "+said(err))
	case d.root.Span.Known() && !out.root.Span.Known():
		return nil, w.refuse(w.first(), "what is written could not be found again")
	case !equal(out.Evolution, want):
		return nil, w.refuse(w.first(), "something else would change with it")
	}
	return out, nil
}

// said is what is wrong with bytes that are never written, so that their places
// would mean nothing to anybody.
func said(err error) string {
	var p *clade.Problem
	if errors.As(err, &p) {
		return p.Text
	}
	return err.Error()
}

func (w *writer) refuse(at syntax.Pos, why string) error {
	return &clade.Problem{Fault: clade.FaultSpec, Where: syntax.Where(w.doc.Name, at),
		Text: "cannot be changed safely here: " + why,
		Hint: "write the values of this variant out, without anchors and aliases, one key to a line"}
}

// tidy is want as it is written: times to the second, no line ends at the end.
func tidy(want, have *Evolution) *Evolution {
	out := want.Clone()
	second := func(t *time.Time, was time.Time) {
		if !t.Equal(was) {
			*t = t.UTC().Truncate(time.Second)
		} else {
			*t = was
		}
	}
	second(&out.UpdatedAt, have.UpdatedAt)
	if out.Applied != nil {
		was := time.Time{}
		if have.Applied != nil {
			was = have.Applied.At
		}
		second(&out.Applied.At, was)
		out.Applied.FilesChanged = some(out.Applied.FilesChanged)
	}
	for i := range out.Variants {
		v := &out.Variants[i]
		v.Parents, v.Gates, v.Rubric = some(v.Parents), some(v.Gates), some(v.Rubric)
		v.Hypothesis, v.Approach = strings.TrimRight(v.Hypothesis, "\n"), strings.TrimRight(v.Approach, "\n")
		for k := range v.Gates {
			if i >= len(have.Variants) || !slices.Contains(have.Variants[i].Gates, v.Gates[k]) {
				v.Gates[k].Output = oneLine(clade.Clean(v.Gates[k].Output))
			}
		}
	}
	if out.Winner != nil {
		out.Winner.Rationale = strings.TrimRight(out.Winner.Rationale, "\n")
	}
	return out
}

// some is nil for an empty list, which is how one is read.
func some[T any](all []T) []T {
	if len(all) == 0 {
		return nil
	}
	return all
}

// writable refuses a want that differs in what only people write.
func writable(have, want *Evolution) error {
	if len(want.Variants) < len(have.Variants) {
		return errors.New("changing evolution.yaml: variants are never removed")
	}
	frozen := func(e *Evolution) *Evolution {
		c := e.Clone()
		c.UpdatedAt, c.Winner, c.Applied, c.Variants = time.Time{}, nil, nil, c.Variants[:len(have.Variants)]
		for i := range c.Variants {
			v := &c.Variants[i]
			v.Status, v.Workspace, v.Gates, v.Rubric = "", "", nil, nil
		}
		return c
	}
	if !equal(frozen(have), frozen(want)) {
		return errors.New("changing evolution.yaml: only status, workspace, gates and rubric of a variant, new variants, winner, applied and updated_at are written")
	}
	return nil
}

// equal compares two evolutions by what they say.
func equal(a, b *Evolution) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	null, none := []byte(`"variants":null`), []byte(`"variants":[]`)
	return errA == nil && errB == nil && bytes.Equal(bytes.Replace(x, null, none, 1), bytes.Replace(y, null, none, 1))
}

// An edit replaces a range of bytes.
type edit struct {
	syntax.Span
	text string
}

func byPlace(a, b edit) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(min(1, a.End-a.Start), min(1, b.End-b.Start)))
}

// splice makes edits, which must not overlap. Of several at one place those that
// only insert come first, in the order in which they were asked for.
func splice(data []byte, edits []edit) ([]byte, bool) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, byPlace)
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(data) {
			return nil, false
		}
		out.Write(data[at:e.Start])
		out.WriteString(e.text)
		at = e.End
	}
	out.Write(data[at:])
	return out.Bytes(), true
}
