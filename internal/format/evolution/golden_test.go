package evolution

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cladehq/clade"
)

// The archives of testdata hold cases, all written by hand. A case is a folder
// of files; what they are is said in the comment of each archive.
type golden struct {
	name  string // "errors/unknown key"
	files map[string]string
}

func goldens(t testing.TB, archives ...string) (all []*golden) {
	t.Helper()
	for _, a := range archives {
		ar, err := txtar.ParseFile("testdata/" + a + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		byDir := map[string]*golden{}
		for _, f := range ar.Files {
			dir, base := filepath.Split(f.Name)
			g := byDir[dir]
			if g == nil {
				g = &golden{name: a + "/" + filepath.Clean(dir), files: map[string]string{}}
				byDir[dir], all = g, append(all, g)
			}
			g.files[base] = unescape(string(f.Data))
		}
	}
	return all
}

// unescape turns what an archive cannot hold into what it stands for: ␍ at the
// end of a line is a carriage return, ␀ the end of a file without a line end,
// ␉ a tab and ␂ a byte order mark.
func unescape(s string) string {
	return strings.NewReplacer("␍\n", "\r\n", "␀\n", "", "␉", "\t", "␂", "\ufeff").Replace(s)
}

// report is how errors are written in the archives: each with its hint below.
func report(t *testing.T, err error) string {
	t.Helper()
	var b strings.Builder
	for _, e := range faultsOf(err) {
		var p *clade.Problem
		if !errors.As(e, &p) || p.Fault != clade.FaultSpec {
			t.Fatalf("%v is no Problem with a file", e)
		}
		fmt.Fprintln(&b, p.Error())
		if p.Hint != "" {
			fmt.Fprintf(&b, "\t%s\n", p.Hint)
		}
	}
	return b.String()
}

func faultsOf(err error) []error {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return []error{err}
}

// head is an evolution up to its variants.
const head = `evolution_id: 1
slug: faster
created_at: 2026-05-08T14:30:00Z
updated_at: 2026-05-08T14:30:00Z
objective: Make it faster.
budget: {max_variants: 8, parallel: 2}
gates:
  - {id: G1, description: it builds, cmd: make}
  - {id: G2, description: it works, cmd: make test}
rubric:
  - {id: R1, description: time, direction: minimize, cmd: ./bench}
`

// TestGoldenErrors holds what is said of files that are wrong. An archive's
// case has evolution.yaml or result.json and errors, which the schema refuses
// too, semantic, which no schema can say, or syntax. A body is put behind head.
func TestGoldenErrors(t *testing.T) {
	t.Parallel()
	bad := 0
	for _, g := range goldens(t, "errors", "results") {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			_, err := g.parse(t)
			if got, want := report(t, err), g.files["errors"]+g.files["semantic"]+g.files["syntax"]; got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
		if _, good := g.files["good"]; !good {
			bad++
		}
	}
	if bad < 45 {
		t.Errorf("%d bad cases", bad)
	}
}

func (g *golden) parse(t *testing.T) (any, error) {
	t.Helper()
	if r, ok := g.files["result.json"]; ok {
		e, err := Parse("evolution.yaml", []byte(head+"variants: []\n"))
		if err != nil {
			t.Fatal(err)
		}
		return ParseResult("result.json", []byte(r), e)
	}
	return Parse("evolution.yaml", g.evolution())
}

func (g *golden) evolution() []byte {
	if body, ok := g.files["body"]; ok {
		return []byte(head + body)
	}
	return []byte(g.files["evolution.yaml"])
}

// A change is what a case of splices.txtar does to an evolution.
type change struct {
	Status    map[string]Status       `json:"status"`
	Workspace map[string]string       `json:"workspace"`
	Gates     map[string][]GateResult `json:"gates"`
	Rubric    map[string][]Value      `json:"rubric"`
	Append    []Variant               `json:"append"`
	Winner    *Winner                 `json:"winner"`
	Unwin     bool                    `json:"unwin"`
	Applied   *Applied                `json:"applied"`
	UpdatedAt *time.Time              `json:"updated_at"`
}

func (c change) on(e *Evolution) *Evolution {
	out := e.Clone()
	for id, s := range c.Status {
		out.Variant(id).Status = s
	}
	for id, s := range c.Workspace {
		out.Variant(id).Workspace = s
	}
	for id, g := range c.Gates {
		out.Variant(id).Gates = g
	}
	for id, r := range c.Rubric {
		out.Variant(id).Rubric = r
	}
	out.Variants = append(out.Variants, c.Append...)
	if c.Winner != nil || c.Unwin {
		out.Winner = c.Winner
	}
	if c.Applied != nil {
		out.Applied = c.Applied
	}
	if c.UpdatedAt != nil {
		out.UpdatedAt = *c.UpdatedAt
	}
	return out
}

// TestGoldenSplices holds what changes make of files in many styles: a case has
// evolution.yaml or body, change and want, or refused.
func TestGoldenSplices(t *testing.T) {
	t.Parallel()
	all := goldens(t, "splices")
	for _, g := range all {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			name := "evolution.yaml"
			data := g.evolution()
			if j, ok := g.files["evolution.json"]; ok {
				name, data = "evolution.json", []byte(j)
			}
			var c change
			if err := json.Unmarshal([]byte(g.files["change"]), &c); err != nil {
				t.Fatal(err)
			}
			d, err := Open(name, data)
			if err != nil {
				t.Fatal(err)
			}
			out, err := d.Update(c.on(d.Evolution))
			if want, ok := g.files["refused"]; ok {
				if got := report(t, err); got != want || out != nil {
					t.Errorf("got\n%swant\n%s", got, want)
				}
				return
			}
			if err != nil {
				t.Fatalf("refused: %v", err)
			}
			want := g.files["want"]
			if _, ok := g.files["body"]; ok {
				want = head + want
			}
			if got := string(out.Data); got != want {
				t.Errorf("got\n%s\nwant\n%s\n%q", got, want, got)
			}
		})
	}
	if len(all) < 20 {
		t.Errorf("%d cases", len(all))
	}
}
