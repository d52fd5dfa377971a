package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// table aligns the lines that fn writes, their cells separated by tabs, by the
// width that a terminal gives them: text/tabwriter takes every rune for one
// column.
func table(w io.Writer, fn func(io.Writer)) {
	var b bytes.Buffer
	fn(&b)
	var rows [][]string
	var widths []int
	for line := range strings.Lines(b.String()) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i, cell := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
		rows = append(rows, row)
	}
	const gap = 2
	for _, row := range rows {
		last := len(row) - 1
		for i, cell := range row[:last] {
			row[i] = cell + strings.Repeat(" ", widths[i]+gap-ansi.StringWidth(cell))
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(row, ""), " "))
	}
}

// clip shortens text to n columns of one line.
func clip(s string, n int) string {
	s, rest, cut := strings.Cut(s, "\n")
	if cut && strings.TrimSpace(rest) != "" && ansi.StringWidth(s) <= n {
		return ansi.Truncate(s, n-1, "") + "…"
	}
	return ansi.Truncate(s, n, "…")
}
