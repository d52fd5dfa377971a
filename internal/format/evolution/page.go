package evolution

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/cladehq/clade"
)

// The sections of EVOLUTION.md. Those that clade refreshes are told by these
// headings, whatever their level; the heading of the last one goes on with the
// generation.
const (
	sectionTLDR     = "TL;DR"
	sectionBrief    = "Brief"
	sectionVariants = "Variants"
	sectionResults  = "Results"
)

// A section is a heading of EVOLUTION.md and what stands below it, as offsets.
// Headings in code and in HTML comments are none.
type section struct {
	level      int
	title      string
	head, body int // where its heading and its body begin
	end        int // where the body ends: at the next heading of its level or above
}

var headingForm = pattern(`^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$`)

// sections finds the headings of a page.
func sections(page []byte) (all []section) {
	seen := mask(page)
	for at := 0; at < len(page); {
		end := len(page)
		if n := bytes.IndexByte(page[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		line := strings.TrimPrefix(strings.TrimRight(string(seen[at:end]), "\r\n"), "\ufeff")
		if m := headingForm().FindStringSubmatch(line); m != nil {
			all = append(all, section{level: len(m[1]), title: strings.TrimRight(m[2], " \t\x01"), head: at, body: end, end: len(page)})
		}
		at = end
	}
	var next [7]int // by level, where the next heading of it or of one above begins
	for level := range next {
		next[level] = len(page)
	}
	for i := len(all) - 1; i >= 0; i-- {
		all[i].end = next[all[i].level]
		for level := all[i].level; level < len(next); level++ {
			next[level] = all[i].head
		}
	}
	return all
}

// find returns the first section of a title. That of the results may have more
// behind it.
func find(all []section, title string) (section, bool) {
	for _, s := range all {
		if strings.EqualFold(s.title, title) || title == sectionResults && strings.HasPrefix(strings.ToLower(s.title), "results (") {
			return s, true
		}
	}
	return section{}, false
}

// Brief returns the section Brief of EVOLUTION.md as it is, without its heading
// and without blank lines around it. Without one there is nothing to tell a
// worker, which is a *clade.Problem.
func Brief(name string, page []byte) (string, error) {
	s, ok := find(sections(page), sectionBrief)
	if ok {
		if brief := trimLines(string(page[s.body:s.end])); brief != "" {
			return brief, nil
		}
	}
	return "", &clade.Problem{Fault: clade.FaultSpec, Where: name + ":1:1", Text: "there is no section Brief with anything in it",
		Hint: "write ## Brief and below it what every worker is told: the objective, what is held fixed, what may change"}
}

// trimLines takes blank lines off both ends.
func trimLines(s string) string {
	return strings.TrimRight(blankLines().ReplaceAllString(s, ""), " \t\r\n")
}

var blankLines = pattern(`^(?:[ \t]*\r?\n)+`)

// A Page is what EVOLUTION.md is refreshed with.
type Page struct {
	Evolution *Evolution
	// Notes has a remark by variant, for the table.
	Notes map[string]string
	// Next says what to do next; "": what follows from the state.
	Next string
}

// Refresh returns EVOLUTION.md with its sections TL;DR, Variants and Results as
// they are now. Everything else stays as it is, byte for byte: other sections,
// HTML comments, line ends, and in the sections themselves what a person wrote
// beside the lines that clade writes. In TL;DR these are the lines that begin
// with a label (Objective, Budget, Coverage, Winner, Applied, Next) and a colon;
// in Variants, lines for variants that have one
// are left alone; in Results it is the first table. A section that is missing is
// added where it would stand.
func (p Page) Refresh(page []byte) []byte {
	eol := eolOf(page)
	for _, one := range []func([]byte, string) []byte{p.tldr, p.variants, p.results} {
		page = one(page, eol)
	}
	return page
}

// replace puts text in the place of a range of the page.
func replace(page []byte, from, to int, text string) []byte {
	return append(append(append(make([]byte, 0, len(page)+len(text)), page[:from]...), text...), page[to:]...)
}

var labelForm = pattern(`(?m)^(?:[-*+] )?(?:\*\*)?(?:Objective|Budget|Winner|Coverage|Applied|Next)(?:\*\*:|:\*\*|:).*?\r?$`)

// tldr writes the lines of TL;DR over those that are there.
func (p Page) tldr(page []byte, eol string) []byte {
	text := strings.Join(p.summary(), eol)
	s, ok := find(sections(page), sectionTLDR)
	if !ok {
		return p.addTLDR(page, text, eol)
	}
	body := string(page[s.body:s.end])
	own := labelForm().FindAllIndex(mask(page)[s.body:s.end], -1)
	if len(own) == 0 {
		return replace(page, s.body, s.body, lineBreak(page, s.body, eol)+eol+text+eol)
	}
	var out strings.Builder
	at := 0
	for i, o := range own {
		end := o[1] - len(trailing(body[o[0]:o[1]]))
		out.WriteString(body[at:o[0]])
		if i == 0 {
			out.WriteString(text)
			at = end
			continue
		}
		at = end
		if n := strings.IndexByte(body[at:], '\n'); n >= 0 { // the whole line goes
			at += n + 1
		}
	}
	return replace(page, s.body, s.end, out.String()+body[at:])
}

// addTLDR writes the section before the first heading below the title, so that
// nothing of a person's gets into it.
func (p Page) addTLDR(page []byte, text, eol string) []byte {
	all := sections(page)
	if len(all) > 0 && all[0].level == 1 {
		all = all[1:]
	}
	if len(all) == 0 {
		page, s, ok := ensure(page, sectionTLDR, eol)
		if !ok {
			return page
		}
		return replace(page, s.body, s.body, eol+text+eol)
	}
	head := strings.Repeat("#", max(2, all[0].level)) + " " + sectionTLDR
	return replace(page, all[0].head, all[0].head, head+eol+eol+text+eol+eol)
}

func trailing(line string) string { return line[len(strings.TrimRight(line, "\r")):] }

// lineBreak is what must be written at an offset to begin a line there.
func lineBreak(page []byte, at int, eol string) string {
	if at > 0 && page[at-1] != '\n' {
		return eol
	}
	return ""
}

// summary is the lines of TL;DR.
func (p Page) summary() []string {
	e := p.Evolution
	lines := []string{label("Objective", oneLine(e.Objective)), label("Budget", e.Budget.String())}
	if e.State() != StateReady {
		lines = append(lines, label("Coverage", e.coverage()))
	}
	if w := e.Winner; w != nil {
		said := w.Variant
		if r, ok := RowOf(Score(e), w.Variant); ok && r.Eligible {
			said += fmt.Sprintf(", score %.2f", r.Score)
		}
		lines = append(lines, label("Winner", said))
	}
	if a := e.Applied; a != nil {
		lines = append(lines, label("Applied", a.At.Format("2006-01-02 15:04 MST")+", "+clade.Counted(len(a.FilesChanged), "file")))
	}
	if next := p.next(); next != "" {
		lines = append(lines, label("Next", next))
	}
	return lines
}

func label(name, text string) string { return "- **" + name + "**: " + text }

func (p Page) next() string {
	if p.Next != "" {
		return p.Next
	}
	switch id := fmt.Sprint(p.Evolution.ID); p.Evolution.State() {
	case StateApplied:
		return ""
	case StateEvaluated:
		return "`clade evolution apply " + id + "`"
	default:
		return "`clade evolution run " + id + "`"
	}
}

// String says the budget in words.
func (b Budget) String() string {
	s := fmt.Sprintf("%s, %d at a time", clade.Counted(b.MaxVariants, "variant"), b.Parallel)
	if b.MaxMinutes > 0 {
		s += ", " + clade.Counted(b.MaxMinutes, "minute")
	}
	if b.PlateauGenerations > 0 {
		s += ", until " + clade.Counted(b.PlateauGenerations, "generation") + " without a better one"
	}
	return s
}

// coverage is how much of the budget was used.
func (e *Evolution) coverage() string {
	n := 0
	for _, v := range e.Variants {
		if !v.Open() {
			n++
		}
	}
	return fmt.Sprintf("%d/%d · %s", n, e.Budget.MaxVariants, clade.Counted(len(generationsOf(e)), "generation"))
}

// variants adds a line for each variant that has none.
func (p Page) variants(page []byte, eol string) []byte {
	page, s, ok := ensure(page, sectionVariants, eol)
	if !ok {
		return page
	}
	body := string(mask(page)[s.body:s.end])
	var lines []string
	for i := range p.Evolution.Variants {
		v := &p.Evolution.Variants[i]
		if !listed(body, v.ID) {
			lines = append(lines, fmt.Sprintf("- %s (gen %d, parents %s) — %s", v.ID, v.Generation, parents(v), oneLine(v.Hypothesis)))
		}
	}
	if len(lines) == 0 {
		return page
	}
	at := s.body + lastLine(body)
	before := eol
	if at == s.body {
		before = lineBreak(page, at, eol) + eol // a blank line below the heading
	}
	text := before + strings.Join(lines, eol)
	if at == s.body && at < len(page) || at == len(page) {
		text += eol
	}
	return replace(page, at, at, text)
}

// listed reports whether a list has a line for a variant.
func listed(body, id string) bool {
	return regexp.MustCompile(`(?m)^[ \t]*[-*+][ \t]+[*_` + "`" + `]*` + id + `\b`).MatchString(body)
}

var listLine = pattern(`(?m)^[ \t]*[-*+][ \t]+[*_` + "`" + `]*v[1-9][0-9]*\b.*?\r?$`)

// lastLine is where the last line of a list of variants ends, 0 if there is none.
func lastLine(body string) int {
	all := listLine().FindAllStringIndex(body, -1)
	if len(all) == 0 {
		return 0
	}
	last := all[len(all)-1]
	return last[1] - len(trailing(body[last[0]:last[1]]))
}

// ensure adds a section at the end of the page unless it is there. It cannot be
// where the page ends in code or in a comment that is never closed.
func ensure(page []byte, title, eol string) ([]byte, section, bool) {
	if s, ok := find(sections(page), title); ok {
		return page, s, true
	}
	text := "## " + title + eol
	if len(page) > 0 {
		text = lineBreak(page, len(page), eol) + text
		if !bytes.HasSuffix(page, []byte("\n\n")) && !bytes.HasSuffix(page, []byte("\n\r\n")) {
			text = eol + text
		}
	}
	out := replace(page, len(page), len(page), text)
	if s, ok := find(sections(out), title); ok {
		return out, s, true
	}
	return page, section{}, false
}

var tableForm = pattern(`(?m)^[ \t]*\|.*(?:\n[ \t]*\|.*)*`)

// results writes the table, once something was evaluated.
func (p Page) results(page []byte, eol string) []byte {
	last := 0
	for _, v := range p.Evolution.Variants {
		if !v.Open() {
			last = max(last, v.Generation)
		}
	}
	if last == 0 {
		return page
	}
	page, s, ok := ensure(page, sectionResults, eol)
	if !ok {
		return page
	}
	table := strings.ReplaceAll(strings.TrimRight(Table(p.Evolution, Score(p.Evolution), p.Notes), "\n"), "\n", eol)
	body := string(mask(page)[s.body:s.end])
	if m := tableForm().FindStringIndex(body); m != nil {
		m[1] -= len(trailing(body[m[0]:m[1]]))
		page = replace(page, s.body+m[0], s.body+m[1], table)
	} else {
		page = replace(page, s.body, s.body, lineBreak(page, s.body, eol)+eol+table+eol)
	}
	head := strings.Repeat("#", s.level) + fmt.Sprintf(" %s (after gen %d)", sectionResults, last)
	return replace(page, s.head, s.head+len(strings.TrimRight(string(page[s.head:s.body]), "\r\n")), head)
}
