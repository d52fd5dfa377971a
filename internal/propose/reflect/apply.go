package reflect

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/cladehq/clade/internal/ledger"
)

// A file is a text file of the parent's tree.
type file struct {
	path string // in the tree
	name string // as the model knows it: relative to the target
	mode ledger.Mode
	data []byte
}

// apply turns edits into changes against files. New files may be made where
// allowed reports so. loose names what fitted only when blanks at the ends of
// lines were left out of account.
func apply(edits []edit, files []file, path func(name string) string) (changes []ledger.Change, loose []string, err error) {
	known := map[string]file{}
	for _, f := range files {
		known[f.name] = f
	}
	for _, e := range edits {
		f, there := known[e.path]
		if !there {
			f = file{path: path(e.path), name: e.path, mode: ledger.ModeFile}
		}
		c := ledger.Change{Path: f.path, Mode: f.mode}
		switch {
		case e.remove && !there:
			return nil, nil, fmt.Errorf("%s is not there and cannot be deleted", e.path)
		case e.remove:
			changes = append(changes, ledger.Change{Path: f.path, Delete: true})
			continue
		case e.whole != nil:
			c.Data = whole(f.data, *e.whole)
		case !there:
			return nil, nil, fmt.Errorf("%s was not shown, so it cannot be edited in place; give it whole (### FILE) if it is new", e.path)
		default:
			var slack bool
			if c.Data, slack, err = replaced(f.data, e.blocks); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", e.path, err)
			}
			if slack {
				loose = append(loose, e.path)
			}
		}
		if there && bytes.Equal(c.Data, f.data) {
			continue
		}
		changes = append(changes, c)
	}
	return changes, loose, nil
}

// whole is new content with the line endings of the old, and without a newline at
// the end if the old one has none there.
func whole(old []byte, text string) []byte {
	if len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
		text = strings.TrimSuffix(text, "\n")
	}
	return []byte(ending(old, text))
}

func ending(old []byte, text string) string {
	if crlf(old) {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// crlf reports whether most lines end with CR LF.
func crlf(b []byte) bool {
	return 2*bytes.Count(b, []byte("\r\n")) > bytes.Count(b, []byte("\n"))
}

// replaced carries out blocks one after the other. slack says that one fitted
// only without the blanks at the ends of lines.
func replaced(data []byte, blocks []block) (out []byte, slack bool, err error) {
	out = data
	for _, b := range blocks {
		if strings.TrimSpace(b.search) == "" {
			return nil, false, fmt.Errorf("reply line %d: the SEARCH part is empty", b.line)
		}
		start, end, loose, err := find(out, b.search)
		if err != nil {
			return nil, false, fmt.Errorf("reply line %d: %w", b.line, err)
		}
		slack = slack || loose
		with := ending(data, b.replace)
		if end == len(out) && !bytes.HasSuffix(out, []byte("\n")) {
			with = strings.TrimSuffix(strings.TrimSuffix(with, "\n"), "\r")
		}
		out = append(append(append([]byte(nil), out[:start]...), with...), out[end:]...)
	}
	return out, slack, nil
}

// find is where the lines of search lie in data: exactly, or else without the
// blanks at the ends of lines. They must lie in one place only.
func find(data []byte, search string) (start, end int, loose bool, err error) {
	want := strings.Split(strings.TrimSuffix(search, "\n"), "\n")
	for _, trim := range []string{"\r", " \t\r"} {
		var at []int
		lines := bytes.SplitAfter(data, []byte("\n"))
		for i := 0; i+len(want) <= len(lines); i++ {
			if same(lines[i:i+len(want)], want, trim) {
				at = append(at, i)
			}
		}
		switch len(at) {
		case 0:
			continue
		case 1:
			start = len(bytes.Join(lines[:at[0]], nil))
			return start, start + len(bytes.Join(lines[at[0]:at[0]+len(want)], nil)), trim != "\r", nil
		}
		return 0, 0, false, fmt.Errorf("the SEARCH part fits %d places, first at lines %d and %d: make it longer", len(at), at[0]+1, at[1]+1)
	}
	return 0, 0, false, fmt.Errorf("the SEARCH part is not in the file; its first line is %q", strings.TrimSpace(want[0]))
}

func same(lines [][]byte, want []string, trim string) bool {
	for i, w := range want {
		have := bytes.TrimSuffix(lines[i], []byte("\n"))
		if string(bytes.TrimRight(have, trim)) != strings.TrimRight(w, trim) {
			return false
		}
	}
	return true
}

// contradiction says which file of a change cannot be beside another one, "" when
// all can: what is a file cannot be a folder too. tree has the paths that are
// there.
func contradiction(changes []ledger.Change, tree []string) string {
	stays, gone := map[string]bool{}, map[string]bool{}
	for _, c := range changes {
		if gone[c.Path] = c.Delete; !c.Delete {
			stays[c.Path] = true
		}
	}
	for _, p := range tree {
		if !gone[p] {
			stays[p] = true
		}
	}
	for p := range stays {
		for dir := parent(p); dir != ""; dir = parent(dir) {
			if stays[dir] {
				return fmt.Sprintf("%s cannot be a file and the folder of %s", dir, p)
			}
		}
	}
	return ""
}

// parent is the folder that a path lies in, "" at the top.
func parent(p string) string { return p[:max(0, strings.LastIndexByte(p, '/'))] }
