package evolution

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWithLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"nothing":             {"", "L\n"},
		"at its end":          {"a\n", "a\nL\n"},
		"no final line end":   {"a", "a\nL\n"},
		"CRLF":                {"a\r\nb\r\n", "a\r\nb\r\nL\r\n"},
		"CRLF, none at last":  {"a\r\nb", "a\r\nb\r\nL\r\n"},
		"there":               {"L\na", "L\na"},
		"there, with CR":      {"a\r\nL\r\n", "a\r\nL\r\n"},
		"there, with a space": {"L \n", "L \n"},
		"not quite":           {"#L\n!L\n", "#L\n!L\nL\n"},
		"an empty line":       {"\n", "\nL\n"},
	} {
		if got := string(withLine([]byte(c.in), "L")); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// FuzzWithLine: what was there stays, the line is there once, and a second time
// changes nothing.
func FuzzWithLine(f *testing.F) {
	for _, seed := range []string{"", "a", "a\r\nb", "L", "\nL\n", "\r", "a\n\r"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := withLine(data, "L")
		if !bytes.HasPrefix(got, data) || !bytes.Equal(withLine(got, "L"), got) {
			t.Errorf("%q becomes %q", data, got)
		}
		if rest := strings.TrimSpace(string(got[len(data):])); rest != "L" && rest != "" {
			t.Errorf("%q is added", rest)
		}
	})
}

// E42: what git ignores already, by whatever rule of the repository, is left
// alone; otherwise git does afterwards.
func TestNewIgnoresE42(t *testing.T) {
	t.Parallel()
	const line = variantsIgnored + "\n"
	for name, c := range map[string]struct{ file, exclude, want string }{
		"no file":            {"", "", line},
		"other rules":        {"bin\n*.tmp", "", "bin\n*.tmp\n" + line},
		"CRLF":               {"bin\r\n", "", "bin\r\n" + variantsIgnored + "\r\n"},
		"there":              {"x\n" + line, "", "x\n" + line},
		"all of agents":      {"/.agents\n", "", "/.agents\n"},
		"any variants":       {"variants\n", "", "variants\n"},
		"the person's own":   {"x\n", line, "x\n"},
		"taken back by them": {line + "!" + line, "", line + "!" + line},
		"only some":          {".agents/evolutions/7-*/variants/\n", "", ".agents/evolutions/7-*/variants/\n" + line},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := repository(t, map[string]string{".git/info/exclude": c.exclude})
			if c.file != "" {
				lay(t, d.here, map[string]string{".gitignore": c.file})
			}
			m, err := written(t, d, "one", aDraft(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if (m.Ignore != "") != (c.file != c.want) {
				t.Errorf("says %q", m.Ignore)
			}
			if _, err := written(t, d, "two", aDraft(), nil); err != nil {
				t.Fatal(err)
			}
			if got := tree(t, d.here)[".gitignore"]; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			s, err := d.Seed(t.Context(), "three")
			if err != nil {
				t.Fatal(err)
			}
			if yes, err := s.ignores(t.Context(), "1-one"); err != nil || yes != (name != "taken back by them") {
				t.Errorf("ignored %t, %v", yes, err)
			}
		})
	}
}

// What could not be used after all is as it was.
func TestIgnoringUndone(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]map[string]string{"no file": {}, "a file": {".gitignore": "x"}, "nothing to do": {".gitignore": variantsIgnored}} {
		d := repository(t, before)
		if len(before) > 0 {
			if err := os.Chmod(filepath.Join(d.here, ".gitignore"), 0o640); err != nil {
				t.Fatal(err)
			}
		}
		s, err := d.Seed(t.Context(), "t")
		if err != nil {
			t.Fatal(err)
		}
		i, err := s.ignore(t.Context(), "1-t")
		if err == nil {
			err = i.write()
		}
		if got := tree(t, d.here)[".gitignore"]; err != nil || !strings.Contains(got, variantsIgnored) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if len(before) > 0 {
			if info, err := os.Stat(i.name); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("%s: %v, %v", name, info, err)
			}
		}
		if err := i.undo(); err != nil {
			t.Error(err)
		}
		same(t, d, before)
	}
}
