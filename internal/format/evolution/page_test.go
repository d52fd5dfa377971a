package evolution

import (
	"strings"
	"testing"
)

// TestGoldenPages holds what a refresh makes of EVOLUTION.md: a case of
// pages.txtar has body (an evolution), page.md and want.md.
func TestGoldenPages(t *testing.T) {
	t.Parallel()
	for _, g := range goldens(t, "pages") {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			e, err := Parse("evolution.yaml", g.evolution())
			if err != nil {
				t.Fatal(err)
			}
			p := Page{Evolution: e, Notes: map[string]string{"v1": "slow | but\nsure"}}
			got := string(p.Refresh([]byte(g.files["page.md"])))
			if got != g.files["want.md"] {
				t.Errorf("got\n%s\nwant\n%s\n%q", got, g.files["want.md"], got)
			}
			if again := string(p.Refresh([]byte(got))); again != got {
				t.Errorf("a second refresh makes\n%s", again)
			}
		})
	}
}

func TestBrief(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ page, want string }{
		"between others":   {"# E\n\n## Brief\n\n### Objective\nx\n\n  indented\n\n## Variants\n", "### Objective\nx\n\n  indented"},
		"to the end":       {"## brief ##\na\r\nb\r\n\r\n", "a\r\nb"},
		"headings in code": {"## Brief\n```\n## Variants\n```\nb\n<!--\n## Results\n-->\n# E\n", "```\n## Variants\n```\nb\n<!--\n## Results\n-->"},
		"missing":          {"# E\n<!--\n## Brief\na\n-->\n", ""},
		"empty":            {"## Brief\n\n## Variants\n", ""},
	} {
		got, err := Brief("EVOLUTION.md", []byte(c.page))
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

// FuzzRefresh: whatever a page holds, a refresh ends, a second one changes
// nothing, and every title outside of the three sections is still there.
func FuzzRefresh(f *testing.F) {
	for _, g := range goldens(f, "pages") {
		f.Add([]byte(g.files["page.md"]))
	}
	for _, s := range []string{"", "<!--", "```\n## Results", "## Results\n|", "## TL;DR\n- **Next**: x\r\nNext: y", "# a\n## variants\n* v1", "Results (\n# Results (x"} {
		f.Add([]byte(s))
	}
	e, err := Parse("evolution.yaml", []byte(head+`variants:
  - {id: v1, generation: 1, hypothesis: a, status: evaluated, gates: [{id: G1, passes: true}, {id: G2, passes: true}], rubric: [{id: R1, value: 5}]}
`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		p := Page{Evolution: e}
		out := p.Refresh(page)
		lines := func(b []byte) string { return strings.ReplaceAll(string(b), "\r", "") } // which a mix of line ends may tip
		if again := p.Refresh(out); lines(again) != lines(out) {
			t.Fatalf("%q becomes %q becomes %q", page, out, again)
		}
		for _, s := range sections(page) {
			if s.level == 1 && !strings.EqualFold(s.title, sectionBrief) && !isOurs(page, s) && !strings.Contains(string(out), string(page[s.head:s.body])) {
				t.Fatalf("%q lost %q: %q", page, page[s.head:s.body], out)
			}
		}
		Brief("EVOLUTION.md", page) //nolint:errcheck // it must only end
	})
}

// isOurs reports whether a heading is, or stands below, one that is refreshed.
func isOurs(page []byte, s section) bool {
	for _, title := range []string{sectionTLDR, sectionVariants, sectionResults} {
		if o, ok := find(sections(page), title); ok && o.head <= s.head && s.head < o.end {
			return true
		}
	}
	return false
}
