package evolution

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

func TestNextID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		names []string
		want  int
	}{
		{nil, 1},
		{[]string{"README.md", ".clade.yaml", "x-1"}, 1},
		{[]string{"2-b", "10-a", "9-c"}, 11},
		{[]string{"007-bond", "3-x"}, 8},
		{[]string{"99999999999999999999-big", "1-a"}, 2},
	} {
		if got := NextID(c.names); got != c.want {
			t.Errorf("%v: %d", c.names, got)
		}
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Optimize CLI startup": "optimize_cli_startup",
		"  --A  b!! ":          "a_b",
		"Größe & Maß":          "groesse_mass",
		"Café e\u0301te\u0301": "cafe_ete",
		"日本語":                  "evolution",
		"":                     "evolution",
		"Shorten the cold start of mycli --version for people": "shorten_the_cold_start_of_mycli_version", // 39
		strings.Repeat("x", 60):                                strings.Repeat("x", 40),
		"a " + strings.Repeat("y", 60):                         "a_" + strings.Repeat("y", 38), // the only gap is too early
	} {
		got := Slug(title)
		if got != want || len(got) > 40 || !slugForm().MatchString(got) {
			t.Errorf("%q: %q", title, got)
		}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	names := []string{"10-start_again", "2-start", "1-optimize_cli_startup", "2-twin", "notes", ".clade.yaml"}
	for arg, want := range map[string]Match{
		"1":      {Dir: "1-optimize_cli_startup"},
		"10":     {Dir: "10-start_again"},
		"2":      {Dir: "2-start", Others: []string{"2-twin"}},
		"cli":    {Dir: "1-optimize_cli_startup"},
		"START":  {Dir: "1-optimize_cli_startup", Others: []string{"2-start", "10-start_again"}},
		"2-twin": {Dir: "2-twin"},
		"again":  {Dir: "10-start_again"},
	} {
		if got, err := Resolve(arg, names); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", arg, got, err)
		}
	}
	for arg, hint := range map[string]string{"3": "there are 4, from 1-optimize_cli_startup to 10-start_again", "": "there are 4, from 1-optimize_cli_startup to 10-start_again", "notes": "there are 4, from 1-optimize_cli_startup to 10-start_again"} {
		_, err := Resolve(arg, names)
		p, ok := err.(*clade.Problem)
		if !ok || p.Fault != clade.FaultNotFound || p.Hint != hint {
			t.Errorf("%q: %#v", arg, err)
		}
	}
	if _, err := Resolve("1", nil); err == nil || err.(*clade.Problem).Hint != "" {
		t.Errorf("%#v", err)
	}
}
