package reflect

import (
	"errors"
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
)

// told is an edit in one line, for comparison.
func told(edits []edit) string {
	var out []string
	for _, e := range edits {
		switch {
		case e.remove:
			out = append(out, "-"+e.path)
		case e.whole != nil:
			out = append(out, e.path+"="+*e.whole)
		default:
			for _, b := range e.blocks {
				out = append(out, e.path+":"+b.search+"→"+b.replace)
			}
		}
	}
	return strings.Join(out, "|")
}

// P14: what is not marked as an edit is none: text, thoughts, examples. P21: what
// is cut or marked wrongly is none either. P24: nor is a patch a file's content.
func TestParse(t *testing.T) {
	t.Parallel()
	const (
		end  = "\n>>>>>>> REPLACE\n"
		diff = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n"
	)
	for name, c := range map[string]struct {
		text, only string
		want       string // "" with wrong
		wrong      string // part of the error
		cut        bool
	}{
		"a whole file":            {text: "Because.\n\n### FILE a.txt\n```\none\ntwo\n```\nSummary: done", want: "a.txt=one\ntwo\n"},
		"an empty file":           {text: "### FILE a.txt\n```\n```\n", want: "a.txt="},
		"a path in marks":         {text: "### FILE: `./dir/a.txt`\n```go\nx\n```", want: "dir/a.txt=x\n"},
		"CRLF":                    {text: "### FILE a\r\n```\r\none\r\n```\r\n", want: "a=one\n"},
		"two files":               {text: "### FILE a\n```\n1\n```\ntext\n### FILE b\n~~~\n2\n~~~\n", want: "a=1\n|b=2\n"},
		"a longer fence":          {text: "### FILE a\n````md\n```\nx\n```\n````\n", want: "a=```\nx\n```\n"},
		"a fence with a language": {text: "### FILE a\n```md\n```sh\nls\n```\nend\n```\n", want: "a=```sh\nls\n```\nend\n"},
		"bare fences inside":      {text: "### FILE a\n```md\n```\nls\n```\nend\n```\n", want: "a=```\nls\n```\nend\n"},
		"an example afterwards":   {text: "### FILE a\n```\nx\n```\n\nTry it:\n```\nrun\n```\n", want: "a=x\n"},
		"a header in long fences": {text: "### FILE a\n````\n### FILE b\n```\nx\n```\n````\n", want: "a=### FILE b\n```\nx\n```\n"},
		"never closed":            {text: "### FILE a\n```\none\n", cut: true},
		"ends at the header":      {text: "### FILE a", cut: true},
		"no fence":                {text: "### FILE a\nsome text\n", wrong: "line 2: the whole content between fences"},
		"an edit":                 {text: "### EDIT a\n<<<<<<< SEARCH\nx\n=======\ny" + end, want: "a:x\n→y\n"},
		"an edit in fences":       {text: "### EDIT a\n```diff\n<<<<<<< SEARCH\nx\n=======\ny" + end + "```\n", want: "a:x\n→y\n"},
		"two blocks, two headers": {text: "### EDIT a\n<<<<<<< SEARCH\nx\n=======\ny" + end + "### EDIT a\n<<<<<<< SEARCH\nz\n=======\n>>>>>>> REPLACE", want: "a:x\n→y\n|a:z\n→"},
		"marks in content":        {text: "### EDIT a\n<<<<<<< SEARCH\nTitle\n=====\n=======\nTitle\n======" + end, want: "a:Title\n=====\n→Title\n======\n"},
		"cut in the search":       {text: "### EDIT a\n<<<<<<< SEARCH\nx\n", cut: true},
		"cut in the replacement":  {text: "### EDIT a\n<<<<<<< SEARCH\nx\n=======\ny\n", cut: true},
		"no middle":               {text: "### EDIT a\n<<<<<<< SEARCH\nx" + end, wrong: "line 4"},
		"no block":                {text: "### EDIT a\nchange x to y\n", wrong: "no SEARCH block"},
		"a stray mark":            {text: "### EDIT a\n=======\n", wrong: "does not belong there"},
		"a deletion":              {text: "### DELETE a\n### FILE b\n```\n```\n", want: "-a|b="},
		"named twice":             {text: "### FILE a\n```\n1\n```\n### FILE a\n```\n2\n```\n", wrong: "named twice"},
		"only a fence":            {text: "Here:\n```\nx\n```\nbye", only: "a", want: "a=x\n"},
		"only a block":            {text: "<<<<<<< SEARCH\nx\n=======\ny" + end, only: "a", want: "a:x\n→y\n"},
		"two fences, one file":    {text: "```\nx\n```\nor\n```\ny\n```\nz", only: "a", want: "", wrong: "more than one fence"},
		"a fence, many files":     {text: "```\nx\n```\n", wrong: "no edit"},
		"thinking aloud":          {text: "I would change the loop.\n", only: "a", wrong: "no edit"},
		"thoughts":                {text: "<think>\n### FILE a\n```\nbad\n```\n</think>\n### FILE a\n```\ngood\n```\n", want: "a=good\n"},
		"thoughts, one fence":     {text: "<thinking>```\nbad\n```</thinking>\n```\ngood\n```\n", only: "a", want: "a=good\n"},
		"only thoughts":           {text: "<think>\n### FILE a\n```\nbad\n```\n", only: "a", cut: true},
		"thoughts in content":     {text: "### FILE a\n```\n<think>\n```\n", want: "a=<think>\n"},
		"a diff":                  {text: "```diff\n" + diff + "```\n", only: "a", wrong: "a unified diff is not read"},
		"a diff of a named file":  {text: "### FILE a\n```\n" + diff + "```\n", wrong: "a: a unified diff is not read"},
		"a diff, no heads":        {text: "### FILE a\n```\n@@ -1 +1 @@\n-one\n+two\n```\n", wrong: "a: a unified diff is not read"},
		"a diff to edit with":     {text: "### EDIT a\n```diff\n" + diff + "```\n", wrong: "no SEARCH block"},
		"a diff for a patch":      {text: "### FILE a.patch\n```\n" + diff + "```\n", want: "a.patch=" + diff},
		"front matter is no diff": {text: "### FILE a\n```\n--- \nname: x\n---\n```\n", want: "a=--- \nname: x\n---\n"},
		"a way round":             {text: "### FILE n/..//./a.txt\n```\nx\n```\n", want: "a.txt=x\n"},
		"twice, a way round":      {text: "### FILE a\n```\n1\n```\n### FILE n/../a\n```\n2\n```\n", wrong: "a is named twice"},
		"above the target":        {text: "### FILE n/../../a\n```\nx\n```\n", wrong: `line 1: "n/../../a" is not a path inside the target`},
		"absolute":                {text: "### DELETE /etc/passwd\n", wrong: "is not a path inside the target"},
		"the target itself":       {text: "### FILE n/..\n```\nx\n```\n", wrong: "is not a path inside the target"},
		"a folder":                {text: "### FILE n/\n```\nx\n```\n", wrong: "is not a path inside the target"},
		"the repository":          {text: "### FILE x/.GIT/hooks/a\n```\nx\n```\n", wrong: "cannot be the path of a file"},
		"too long a name":         {text: "### FILE " + strings.Repeat("a", 256) + "\n```\nx\n```\n", wrong: "cannot be the path of a file"},
		"nothing":                 {text: "", only: "a", wrong: "no edit"},
	} {
		got, err := parse(c.text, c.only)
		switch {
		case c.cut:
			if !errors.Is(err, errCut) {
				t.Errorf("%s: %v, want a cut", name, err)
			}
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: got %q, %v; want an error with %q", name, told(got.edits), err, c.wrong)
			}
		case err != nil || told(got.edits) != c.want:
			t.Errorf("%s: got %q, %v; want %q", name, told(got.edits), err, c.want)
		}
	}
}

// P20: a SEARCH part that fits nowhere, or in two places, is refused; blanks at the
// ends of lines and CR LF are forgiven. P22: what is put in stands on lines of its
// own, as it is indented, and nothing is glued to its neighbours.
func TestApply(t *testing.T) {
	t.Parallel()
	one := func(search, replace string) []edit {
		return []edit{{path: "a", blocks: []block{{search: search, replace: replace, line: 7}}}}
	}
	text := func(s string) []edit { return []edit{{path: "a", whole: &s}} }
	for name, c := range map[string]struct {
		have  string
		edits []edit
		want  string
		loose bool
		wrong string
	}{
		"in the middle":            {"1\n2\n3\n", one("2\n", "two\n"), "1\ntwo\n3\n", false, ""},
		"at the end, no newline":   {"1\n2", one("2\n", "two\nmore\n"), "1\ntwo\nmore", false, ""},
		"deleted":                  {"1\n2\n3\n", one("2\n", ""), "1\n3\n", false, ""},
		"CRLF is kept":             {"1\r\n2\r\n3\r\n", one("2\n", "two\nmore\n"), "1\r\ntwo\r\nmore\r\n3\r\n", false, ""},
		"CRLF is kept whole":       {"1\r\n2\r\n", text("one\ntwo\n"), "one\r\ntwo\r\n", false, ""},
		"no newline at the end":    {"1", text("one\n"), "one", false, ""},
		"blanks at the end":        {"1 \n2\n", one("1\n", "one\n"), "one\n2\n", true, ""},
		"indentation is not blank": {"  1\n", one("1\n", "one\n"), "", false, "not in the file"},
		"twice":                    {"x\ny\nx\n", one("x\n", "z\n"), "", false, "fits 2 places, first at lines 1 and 3"},
		"nowhere":                  {"x\n", one("q\n", "z\n"), "", false, `reply line 7: the SEARCH part is not in the file; its first line is "q"`},
		"an empty search":          {"x\n", one("", "z\n"), "", false, "SEARCH part is empty"},
		"half a line":              {"xyz\n", one("xy\n", "z\n"), "", false, "not in the file"},
		"the same":                 {"x\n", one("x\n", "x\n"), "", false, ""},
	} {
		changes, loose, err := apply(c.edits, []file{{path: "p/a", name: "a", mode: ledger.ModeExec, data: []byte(c.have)}}, func(n string) string { return "p/" + n })
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: %v, want %q", name, err, c.wrong)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want == "":
			if len(changes) > 0 {
				t.Errorf("%s: %q", name, changes[0].Data)
			}
		case len(changes) != 1 || string(changes[0].Data) != c.want || changes[0].Path != "p/a" || changes[0].Mode != ledger.ModeExec || len(loose) > 0 != c.loose:
			t.Errorf("%s: %+v, loose %v", name, changes, loose)
		}
	}
	if _, _, err := apply([]edit{{path: "new", blocks: []block{{search: "x\n"}}}}, nil, func(n string) string { return n }); err == nil {
		t.Error("a file that is not there was edited")
	}
	if _, _, err := apply([]edit{{path: "new", remove: true}}, nil, func(n string) string { return n }); err == nil {
		t.Error("a file that is not there was deleted")
	}
}

// P20a: what is a file cannot be a folder too, unless it is deleted.
func TestContradictions(t *testing.T) {
	t.Parallel()
	put := func(p string) ledger.Change { return ledger.Change{Path: p, Mode: ledger.ModeFile} }
	tree := []string{"a", "d/e"}
	for name, c := range map[string]struct {
		changes []ledger.Change
		want    string
	}{
		"beside":              {[]ledger.Change{put("a"), put("d/f"), put("ab/c")}, ""},
		"both new":            {[]ledger.Change{put("n"), put("n/x/y")}, "n cannot be a file and the folder of n/x/y"},
		"below a file":        {[]ledger.Change{put("a/b")}, "a cannot be a file and the folder of a/b"},
		"in a folder's place": {[]ledger.Change{put("d")}, "d cannot be a file and the folder of d/e"},
		"which is deleted":    {[]ledger.Change{put("d"), {Path: "d/e", Delete: true}}, ""},
		"a file, deleted":     {[]ledger.Change{put("a/b"), {Path: "a", Delete: true}}, ""},
	} {
		if got := contradiction(c.changes, tree); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Whatever a model says, there is no panic, and every edit has a path.
func FuzzReply(f *testing.F) {
	f.Add("### FILE a\n```\none\n```\n", "one\n")
	f.Add("### EDIT a\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n", "x\r\n")
	f.Add("### EDIT a\n<<<<<<< SEARCH\n\n=======\n~~~\n", "")
	f.Fuzz(func(t *testing.T, text, have string) {
		got, err := parse(text, "a")
		if err != nil {
			return
		}
		for _, e := range got.edits {
			if e.path == "" {
				t.Fatal("an edit without a path")
			}
		}
		_, _, _ = apply(got.edits, []file{{path: "a", name: "a", data: []byte(have)}}, func(n string) string { return n })
	})
}
