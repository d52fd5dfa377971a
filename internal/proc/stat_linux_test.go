package proc

import (
	"errors"
	"strings"
	"testing"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	// Field 22, counted by hand from proc_pid_stat(5).
	const rest = " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 19"
	for name, test := range map[string]struct {
		in, want string
		gone     bool
	}{
		"plain":         {in: "12 (sh) S" + rest, want: "4711"},
		"name of evil":  {in: "12 (a) R 1 (b) c) S" + rest, want: "4711"},
		"name of lines": {in: "12 (a\nb) S" + rest, want: "4711"},
		"zombie":        {in: "12 (sh) Z" + rest, gone: true},
		"dead":          {in: "12 (sh) X" + rest, gone: true},
		"short":         {in: "12 (sh) S 1 2"},
		"no name":       {in: "12 S"},
		"empty":         {in: ""},
	} {
		got, err := parseStat([]byte(test.in))
		if got != test.want || errors.Is(err, ErrGone) != test.gone || (err == nil) != (test.want != "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestParseMark(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in   string
		want Mark
	}{
		"only":       {"CLADE_MARK=a\x00", "a"},
		"among":      {"A=1\x00CLADE_MARK=a/b\x00B=CLADE_MARK=c\x00", "a/b"},
		"in a value": {"A=CLADE_MARK=c\x00", ""},
		"prefix":     {"XCLADE_MARK=c\x00", ""},
		"none":       {"", ""},
	} {
		got, ok := parseMark([]byte(test.in))
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, %v", name, got, ok)
		}
	}
}

func TestExecuting(t *testing.T) {
	t.Parallel()
	stat := func(state, flags, envEnd string) string {
		f := strings.Fields(strings.Repeat("7 ", 50)) // fields 3 to 52
		f[0], f[6], f[48] = state, flags, envEnd
		return "12 (a) b) " + strings.Join(f, " ")
	}
	for name, test := range map[string]struct {
		in   string
		want bool
	}{
		"executing":         {stat("R", "4194304", "0"), true},
		"empty environment": {stat("S", "4194304", "140722000"), false},
		"kernel thread":     {stat("S", "2097216", "0"), false},
		"zombie":            {stat("Z", "4194304", "0"), false},
		"short":             {"12 (a) S 1", false},
		"nothing":           {"", false},
	} {
		if got := executing([]byte(test.in)); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("12 (sh) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 19"))
	f.Add([]byte(")"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		_, _ = parseStat(b)
		_ = executing(b)
		_, _ = parseMark(b)
	})
}
