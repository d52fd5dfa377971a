package bare

import (
	"fmt"
	"strings"

	"github.com/cladehq/clade/internal/ledger"
)

// checkPath refuses what git, or a file system that git guards against, would
// not hold as the name of a file. The error wraps ledger.ErrPath.
func checkPath(path string) error {
	refuse := func(why string) error {
		return fmt.Errorf("%q %s: %w", path, why, ledger.ErrPath)
	}
	switch {
	case path == "":
		return refuse("is empty")
	case strings.HasPrefix(path, "/"):
		return refuse("is absolute")
	case strings.ContainsRune(path, 0):
		return refuse("contains a zero byte")
	}
	for part := range strings.SplitSeq(path, "/") {
		switch {
		case part == "":
			return refuse("has an empty component")
		case part == "." || part == "..":
			return refuse("has a component " + part)
		case isDotGit(part):
			return refuse("reaches into a repository's own folder")
		}
	}
	return nil
}

// isDotGit reports whether a file system of Linux, macOS or Windows could take
// name for ".git". See verify_path, is_hfs_dotgit and is_ntfs_dotgit in git.
func isDotGit(name string) bool {
	if strings.EqualFold(strings.Map(hfsVisible, name), ".git") {
		return true
	}
	for part := range strings.SplitSeq(name, `\`) {
		part, _, _ = strings.Cut(part, ":") // a named stream of NTFS
		part = strings.TrimRight(part, " .")
		if asciiFold(part) == ".git" || asciiFold(part) == "git~1" {
			return true
		}
	}
	return false
}

// hfsVisible drops the code points that HFS+ ignores in names.
func hfsVisible(r rune) rune {
	switch {
	case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
		return -1
	}
	return r
}

func asciiFold(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// quote writes a path as fast-import reads it: C style, in double quotes.
func quote(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// unquote reads what quote wrote.
func unquote(s string) (string, error) {
	bad := fmt.Errorf("path %s is not quoted", s)
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return "", bad
	}
	s = s[1 : len(s)-1]
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"':
			return "", bad
		case c != '\\':
			b.WriteByte(c)
		case i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
		default:
			n, ok := octal(s[i+1:])
			if !ok {
				return "", bad
			}
			b.WriteByte(n)
			i += 3
		}
	}
	return b.String(), nil
}

// octal reads three digits.
func octal(s string) (byte, bool) {
	if len(s) < 3 {
		return 0, false
	}
	n := 0
	for _, c := range []byte(s[:3]) {
		if c < '0' || c > '7' {
			return 0, false
		}
		n = n*8 + int(c-'0')
	}
	return byte(n), n < 256
}
