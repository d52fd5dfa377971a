package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/cladehq/clade"
)

// A stat is one path of a patch, with how many lines it gains and loses.
type stat struct {
	path       string
	what       string // "new", "deleted", "mode", … ; "" if its content changes
	binary     bool
	plus, less int
}

// statOf reads a unified diff as git writes it, without renames.
func statOf(patch []byte) (all []stat) {
	var s *stat
	body := false // within a hunk, where lines may begin with anything
	for line := range bytes.Lines(patch) {
		text := strings.TrimRight(string(line), "\r\n")
		switch {
		case strings.HasPrefix(text, "diff --git "):
			path := pathOf(text)
			if n := len(all); n == 0 || all[n-1].path != path { // what becomes another kind is there twice
				all = append(all, stat{path: path})
			}
			s, body = &all[len(all)-1], false
		case s == nil:
		case strings.HasPrefix(text, "@@ "):
			body = true
		case body && strings.HasPrefix(text, "+"):
			s.plus++
		case body && strings.HasPrefix(text, "-"):
			s.less++
		case body:
		case strings.HasPrefix(text, "new file mode "):
			s.what = strings.TrimSpace(map[bool]string{true: "new", false: "now"}[s.what == ""] + kindOf(text))
		case strings.HasPrefix(text, "deleted file mode "):
			s.what = "deleted" + kindOf(text)
		case strings.HasPrefix(text, "old mode "):
			s.what = "mode " + strings.TrimPrefix(text, "old mode ")
		case strings.HasPrefix(text, "new mode "):
			s.what += " → " + strings.TrimPrefix(text, "new mode ")
		case strings.HasPrefix(text, "Binary files "), strings.HasPrefix(text, "GIT binary patch"):
			s.binary = true
		}
	}
	return all
}

// pathOf is the path of a patch's first line, "diff --git a/PATH b/PATH": both are
// the same path, quoted alike.
func pathOf(line string) string {
	names := strings.TrimPrefix(line, "diff --git ")
	name := names[min(len(names), len(names)/2+1):] // a space stands between two of one length
	if quoted, ok := strings.CutPrefix(name, `"b/`); ok {
		return `"` + quoted
	}
	return strings.TrimPrefix(name, "b/")
}

// kindOf says of a mode what it is, where it is no plain file.
func kindOf(line string) string {
	switch {
	case strings.HasSuffix(line, " 120000"):
		return " link"
	case strings.HasSuffix(line, " 100755"):
		return " executable"
	}
	return ""
}

// printStat prints a line for each path of a patch, and how much it is in all.
func printStat(w io.Writer, patch []byte) {
	all := statOf(patch)
	plus, less := 0, 0
	table(w, func(tw io.Writer) {
		for _, s := range all {
			plus, less = plus+s.plus, less+s.less
			count := fmt.Sprintf("+%d −%d", s.plus, s.less)
			if s.binary {
				count = "binary"
			}
			fmt.Fprintf(tw, "%s\t%s\t%s\n", printable(s.path), count, s.what)
		}
	})
	fmt.Fprintf(w, "%s, +%d −%d\n", clade.Counted(len(all), "file"), plus, less)
}
