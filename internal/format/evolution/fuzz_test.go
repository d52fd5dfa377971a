package evolution

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/cladehq/clade"
)

var position = regexp.MustCompile(`^[a-z]+\.(yaml|json):[1-9][0-9]*:[1-9][0-9]*$`)

func seeds(f *testing.F) {
	for _, g := range goldens(f, "errors", "splices") {
		if _, ok := g.files["evolution.json"]; !ok {
			f.Add(g.evolution(), uint64(1))
		}
	}
	for seed := range uint64(20) {
		a := &author{Rand: rand.New(rand.NewPCG(seed, 5))}
		f.Add(a.write(a.evolution()), seed)
	}
}

// FuzzUpdate: whatever the bytes, reading ends, every error has a position, what
// is taken is taken by the schema too, and a random update is refused as a
// Problem or says exactly what was wanted.
func FuzzUpdate(f *testing.F) {
	seeds(f)
	schema := resolved(f, Schema())
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		New().Detect("evolution.yaml", data)
		d, err := Open("evolution.yaml", data)
		if err != nil {
			for _, e := range faultsOf(err) {
				var p *clade.Problem
				if !errors.As(e, &p) || !position.MatchString(p.Where) || p.Text == "" {
					t.Fatalf("no position: %#v", e)
				}
			}
			return
		}
		if err := schema.Validate(instance(t, "evolution.yaml", data)); err != nil {
			t.Fatalf("the schema refuses it: %v", err)
		}
		a := &author{Rand: rand.New(rand.NewPCG(seed, 6))}
		want := a.change(d.Evolution)
		out, err := d.Update(want)
		if err != nil {
			var p *clade.Problem
			if !errors.As(err, &p) || !position.MatchString(p.Where) {
				t.Fatalf("no position: %#v", err)
			}
			return
		}
		again, err := Parse("evolution.yaml", out.Data)
		if err != nil || !equal(again, tidy(want, d.Evolution)) {
			t.Fatalf("%v: something else is said\n%s\nbefore\n%s", err, out.Data, data)
		}
	})
}

// FuzzResult: whatever the bytes, reading ends, and what is taken is taken by
// the schema too.
func FuzzResult(f *testing.F) {
	for _, g := range goldens(f, "results") {
		f.Add([]byte(g.files["result.json"]))
	}
	schema := resolved(f, ResultSchema())
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseResult("result.json", data, nil)
		if (r == nil) == (err == nil) {
			t.Fatalf("result %v with error %v", r, err)
		}
		if err == nil {
			if err := schema.Validate(instance(t, "result.json", data)); err != nil {
				t.Fatalf("the schema refuses it: %v", err)
			}
		}
	})
}
