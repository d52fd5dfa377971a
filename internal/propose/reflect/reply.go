package reflect

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cladehq/clade"
)

// An edit is what a reply wants of one file.
type edit struct {
	path   string
	whole  *string // the new content
	blocks []block // instead of whole
	remove bool
}

// A block replaces lines. Both parts end with a newline unless they are empty.
type block struct {
	search, replace string
	line            int // of the reply, from 1, where it begins
}

// errCut reports a reply that ends in the middle of something.
var errCut = errors.New("the reply ends in the middle of an edit")

// A reply is what was read of a model's answer.
type reply struct {
	edits   []edit
	summary string
}

// Words of a block's marks. Seven signs stand before them; five to nine are
// understood.
const (
	markSearch  = "SEARCH"
	markReplace = "REPLACE"
)

// parse reads the edits of a reply. only is the file that an unnamed fence may
// stand for, "" if there is more than one.
func parse(text, only string) (reply, error) {
	text, err := aloud(text)
	if err != nil {
		return reply{}, err
	}
	p := &parser{lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
	var out reply
	for p.at < len(p.lines) {
		line := p.lines[p.at]
		verb, named := header(line)
		switch {
		case verb != "":
			p.at++
			e, err := p.edit(verb, named)
			if err != nil {
				return reply{}, err
			}
			if err := out.add(e); err != nil {
				return reply{}, err
			}
			continue
		case strings.HasPrefix(strings.Trim(line, "*_ "), "Summary:"):
			out.summary = clade.Line(strings.TrimPrefix(strings.Trim(line, "*_ "), "Summary:"), 160)
		}
		p.at++
	}
	if len(out.edits) == 0 {
		return p.unnamed(out, only)
	}
	return out, nil
}

// aloud is an answer without the thoughts that some services leave before it: an
// edit that was thought of is none.
func aloud(answer string) (string, error) {
	for _, name := range []string{"think", "thinking"} {
		rest, ok := strings.CutPrefix(strings.TrimSpace(answer), "<"+name+">")
		if !ok {
			continue
		}
		_, said, ended := strings.Cut(rest, "</"+name+">")
		if !ended {
			return "", errCut
		}
		return said, nil
	}
	return answer, nil
}

func (r *reply) add(e edit) error {
	for i := range r.edits {
		o := &r.edits[i]
		switch {
		case o.path != e.path:
		case o.whole == nil && e.whole == nil && !o.remove && !e.remove:
			o.blocks = append(o.blocks, e.blocks...)
			return nil
		default:
			return fmt.Errorf("%s is named twice; give each file once", e.path)
		}
	}
	r.edits = append(r.edits, e)
	return nil
}

type parser struct {
	lines []string
	at    int
}

// header is the verb and path of a line that begins an edit, "" for other lines.
func header(line string) (verb, path string) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "###")
	if !ok {
		return "", ""
	}
	rest = strings.TrimSpace(strings.TrimLeft(rest, "#"))
	for _, v := range []string{"FILE", "EDIT", "DELETE"} {
		if tail, ok := strings.CutPrefix(rest, v); ok && (strings.HasPrefix(tail, " ") || strings.HasPrefix(tail, ":")) {
			return v, strings.Trim(strings.TrimSpace(strings.TrimPrefix(tail, ":")), "`\"'* ")
		}
	}
	return "", ""
}

func (p *parser) edit(verb, said string) (e edit, err error) {
	if said == "" {
		return e, fmt.Errorf("line %d: a file is not named", p.at)
	}
	if e.path, err = cleaned(said); err != nil {
		return e, fmt.Errorf("line %d: %w", p.at, err)
	}
	path := e.path
	switch verb {
	case "DELETE":
		e.remove = true
	case "FILE":
		var whole string
		if whole, err = p.fenced(); err == nil {
			e.whole = &whole
		}
	case "EDIT":
		e.blocks, err = p.blocks()
	}
	if err == nil && e.whole != nil && isPatch(*e.whole) && !patchFile(path) {
		err = errPatch
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return e, err
}

// nameMost is the longest name of a file that file systems hold, bytes.
const nameMost = 255

// cleaned is a path as a tree has it, whichever way it was written. One that leads
// elsewhere, or that no tree can hold, is refused.
func cleaned(said string) (string, error) {
	p := path.Clean(said)
	if p == "." || p == ".." || strings.HasPrefix(p, "../") || path.IsAbs(p) || strings.HasSuffix(said, "/") {
		return "", fmt.Errorf("%q is not a path inside the target", clade.Line(said, 200))
	}
	for part := range strings.SplitSeq(p, "/") {
		if len(part) > nameMost || strings.EqualFold(part, ".git") || strings.ContainsRune(part, 0) {
			return "", fmt.Errorf("%q cannot be the path of a file", clade.Line(said, 200))
		}
	}
	return p, nil
}

var errPatch = errors.New("a unified diff is not read: give the whole content, or SEARCH and REPLACE blocks")

// isPatch reports whether text is a unified diff: many models answer with one,
// and it must not become the file.
func isPatch(text string) bool {
	old, hunk := false, false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "diff --git "):
			old = true
		case strings.HasPrefix(line, "@@ "):
			hunk = true
		}
	}
	return hunk && (old || strings.HasPrefix(text, "@@ "))
}

func patchFile(path string) bool {
	return strings.HasSuffix(path, ".diff") || strings.HasSuffix(path, ".patch")
}

// fence is the marks that a fence line begins with and what follows them, "" for
// other lines.
func fence(line string) (marks, info string) {
	line = strings.TrimRight(strings.TrimLeft(line, " "), " \t")
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, c)
		if n := len(line) - len(rest); n >= 3 && !strings.Contains(rest, "`") {
			return line[:n], strings.TrimSpace(rest)
		}
	}
	return "", ""
}

// section is the end of the lines that belong to the current header: the next
// header that is not inside what a fence longer than three marks encloses, or
// the end of the reply.
func (p *parser) section(from int) int {
	for i := from; i < len(p.lines); i++ {
		if verb, _ := header(p.lines[i]); verb != "" {
			return i
		}
	}
	return len(p.lines)
}

// fenced reads the whole content of a file. Content may hold fences of its own:
// a longer outer fence ends at its like; one of three marks ends where the
// fences opened inside it (those with a language) are closed, or at the last bare
// fence when there are more of them than that explains.
func (p *parser) fenced() (string, error) {
	for p.at < len(p.lines) && strings.TrimSpace(p.lines[p.at]) == "" {
		p.at++
	}
	if p.at == len(p.lines) {
		return "", errCut
	}
	open, _ := fence(p.lines[p.at])
	if open == "" {
		return "", fmt.Errorf("line %d: the whole content between fences is wanted here", p.at+1)
	}
	first := p.at + 1
	last := p.closing(open, first)
	if last < 0 {
		return "", errCut
	}
	p.at = last + 1
	if last == first {
		return "", nil
	}
	return strings.Join(p.lines[first:last], "\n") + "\n", nil
}

// closing is the line of the fence that closes open, −1 if there is none.
func (p *parser) closing(open string, first int) int {
	if len(open) > 3 {
		for i := first; i < len(p.lines); i++ {
			if m, info := fence(p.lines[i]); info == "" && len(m) >= len(open) && m[0] == open[0] {
				return i
			}
		}
		return -1
	}
	end := p.section(first)
	balanced, last, depth := -1, -1, 1
	for i := first; i < end; i++ {
		m, info := fence(p.lines[i])
		switch {
		case m == "" || m[0] != open[0]:
		case info != "" && balanced < 0:
			depth++
		case info == "":
			last = i
			if depth--; depth == 0 && balanced < 0 {
				balanced = i
			}
		}
	}
	if balanced < 0 {
		return -1
	}
	if last > balanced && p.onlyText(balanced+1, end) {
		return balanced
	}
	return last
}

// onlyText reports whether the fences from line a to b are whole pairs that a
// blank line sets apart: examples in what follows an edit, no part of it.
func (p *parser) onlyText(a, b int) bool {
	if a >= b || strings.TrimSpace(p.lines[a]) != "" {
		return false
	}
	open := false
	for i := a; i < b; i++ {
		if m, _ := fence(p.lines[i]); m != "" {
			open = !open
		}
	}
	return !open
}

// mark is which mark of a block a line is, "" for other lines.
func mark(line string) string {
	line = strings.TrimSpace(line)
	for _, m := range []struct{ sign, word, name string }{{"<", markSearch, "search"}, {">", markReplace, "end"}, {"=", "", "middle"}} {
		rest := strings.TrimLeft(line, m.sign)
		n := len(line) - len(rest)
		if n == 7 && strings.TrimSpace(rest) == m.word || m.word != "" && n >= 5 && n <= 9 && strings.TrimSpace(rest) == m.word {
			return m.name
		}
	}
	return ""
}

// blocks reads the blocks of a section. Fences around them are not content.
func (p *parser) blocks() (out []block, err error) {
	for p.at < len(p.lines) {
		line := p.lines[p.at]
		switch verb, _ := header(line); {
		case verb != "" && len(out) == 0:
			return nil, fmt.Errorf("line %d: there is no SEARCH block", p.at+1)
		case verb != "":
			return out, nil
		case mark(line) == "search":
			b, err := p.block()
			if err != nil {
				return nil, err
			}
			out = append(out, b)
		case mark(line) != "":
			return nil, fmt.Errorf("line %d: %q does not belong there", p.at+1, clade.Line(line, 40))
		default:
			p.at++
		}
	}
	if len(out) == 0 {
		return nil, errors.New("there is no SEARCH block")
	}
	return out, nil
}

func (p *parser) block() (b block, err error) {
	b.line = p.at + 1
	var part []string
	state := "search"
	for p.at++; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		switch m := mark(line); {
		case m == "middle" && state == "search":
			b.search, part, state = joined(part), nil, "middle"
		case m == "end" && state == "middle":
			b.replace = joined(part)
			p.at++
			return b, nil
		case m == "search" || m == "end":
			return b, fmt.Errorf("line %d: %q does not belong there: a block is SEARCH, =======, REPLACE", p.at+1, clade.Line(line, 40))
		default:
			part = append(part, line)
		}
	}
	return b, errCut
}

func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

func fences(lines []string) bool {
	return slices.ContainsFunc(lines, func(l string) bool { m, _ := fence(l); return m != "" })
}

// unnamed takes the one fence of a reply that names no file for the only file
// there is. Anything else is no edit: text is never taken for content.
func (p *parser) unnamed(out reply, only string) (reply, error) {
	for i, line := range p.lines {
		if mark(line) == "search" && only != "" {
			p.at = i
			e := edit{path: only}
			var err error
			if e.blocks, err = p.blocks(); err != nil {
				return reply{}, err
			}
			out.edits = []edit{e}
			return out, nil
		}
	}
	for i, line := range p.lines {
		if m, _ := fence(line); m == "" || only == "" {
			continue
		}
		p.at = i
		whole, err := p.fenced()
		if err != nil {
			return reply{}, err
		}
		if fences(p.lines[p.at:]) || fences(strings.Split(whole, "\n")) && !strings.Contains(line, "````") {
			return reply{}, errors.New("there is more than one fence and none is named: put ### FILE and the path above the content")
		}
		if isPatch(whole) && !patchFile(only) {
			return reply{}, errPatch
		}
		out.edits = []edit{{path: only, whole: &whole}}
		return out, nil
	}
	return reply{}, errors.New("the reply has no edit: put ### FILE or ### EDIT and the path above it")
}
