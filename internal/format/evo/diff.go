package evo

import (
	"strconv"
	"strings"
)

// A DiffStat says what a patch changes.
type DiffStat struct {
	Files          []string // by their new names, in the order of the patch
	Added, Removed int      // lines
}

// StatDiff reads a patch of git. Lines are counted by what the hunks say they
// have, so that a removed "-- comment" is a line and no header.
func StatDiff(patch string) DiffStat {
	var (
		out      DiffStat
		old, new int // lines that the hunk still has of either side
	)
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case old > 0 || new > 0:
			switch {
			case strings.HasPrefix(line, "+"):
				out.Added++
				new--
			case strings.HasPrefix(line, "-"):
				out.Removed++
				old--
			case !strings.HasPrefix(line, `\`):
				old--
				new--
			}
		case strings.HasPrefix(line, "@@ "):
			old, new = hunk(line)
		case strings.HasPrefix(line, "diff --git "):
			out.Files = append(out.Files, changed(line))
		case strings.HasPrefix(line, "+++ ") && len(out.Files) > 0:
			if name, ok := sideName(line[4:], "b/"); ok {
				out.Files[len(out.Files)-1] = name
			}
		case strings.HasPrefix(line, "rename to ") && len(out.Files) > 0:
			out.Files[len(out.Files)-1] = unquoteName(line[len("rename to "):])
		}
	}
	return out
}

// hunk reads how many lines of either side a hunk has: @@ -1,2 +3 @@.
func hunk(line string) (old, new int) {
	parts := strings.Fields(line)
	if len(parts) < 3 {
		return 0, 0
	}
	return lines(parts[1]), lines(parts[2])
}

func lines(side string) int {
	_, n, ok := strings.Cut(side, ",")
	if !ok {
		return 1
	}
	c, _ := strconv.Atoi(n)
	return c
}

// changed is the file of a "diff --git a/x b/x" line. Both sides are the same
// but for renames, which have a line of their own.
func changed(line string) string {
	rest := strings.TrimPrefix(line, "diff --git ")
	if i := strings.LastIndex(rest, ` "b/`); i >= 0 {
		name, _ := sideName(rest[i+1:], "b/")
		return name
	}
	if half := len(rest) / 2; half > 2 && len(rest)%2 == 1 && rest[half] == ' ' && rest[2:half] == rest[half+3:] {
		return rest[half+3:]
	}
	if i := strings.LastIndex(rest, " b/"); i >= 0 {
		return rest[i+3:]
	}
	return rest
}

// sideName is the file of one side, which may be quoted; not ok for none.
func sideName(s, prefix string) (string, bool) {
	s = strings.TrimSuffix(s, "\t")
	return strings.CutPrefix(unquoteName(s), prefix)
}

// unquoteName resolves the quotes that git puts around unusual names: those of C.
func unquoteName(s string) string {
	if len(s) < 2 || s[0] != '"' {
		return s
	}
	if name, err := strconv.Unquote(s); err == nil {
		return name
	}
	return s
}
