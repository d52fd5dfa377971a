package evaluate

import (
	"testing"

	"github.com/cladehq/clade"
)

func TestScore(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		scorer           clade.Scorer
		answer, expected string
		want             float64
		bad              bool
	}{
		"exact":                        {clade.Scorer{Kind: "exact"}, "Paris\r\n", "Paris", 1, false},
		"exact, inner space counts":    {clade.Scorer{Kind: "exact"}, " Paris", "Paris", 0, false},
		"exact, expected with newline": {clade.Scorer{Kind: "exact"}, "Paris", "Paris\n", 1, false},
		"exact, empty answer":          {clade.Scorer{Kind: "exact"}, "\n", "Paris", 0, false},
		"exact, both empty (B29)":      {clade.Scorer{Kind: "exact"}, "\n", "", 0, true},
		"exact, something for nothing": {clade.Scorer{Kind: "exact"}, "x", "", 0, false},
		"contains":                     {clade.Scorer{Kind: "contains"}, "It is Paris.", "Paris", 1, false},
		"contains not":                 {clade.Scorer{Kind: "contains"}, "It is Rome.", "Paris", 0, false},
		"contains nothing":             {clade.Scorer{Kind: "contains"}, "It is Rome.", "", 0, true},
		"contains, both empty (B29)":   {clade.Scorer{Kind: "contains"}, "", "", 0, true},
		"last number":                  {clade.Scorer{Kind: "last_number"}, "3 + 4 = 7.", "7", 1, false},
		"last number, thousands":       {clade.Scorer{Kind: "last_number"}, "so $1,234.50!", "1234.5", 1, false},
		"last number of a worked one":  {clade.Scorer{Kind: "last_number"}, "#### 18", "16 + 2 = 18\n#### 18", 1, false},
		"last number, negative":        {clade.Scorer{Kind: "last_number"}, "x = -3", "-3", 1, false},
		"last number, a range":         {clade.Scorer{Kind: "last_number"}, "pages 3-5", "5", 1, false},
		"last number, zeros":           {clade.Scorer{Kind: "last_number"}, "007", "7", 1, false},
		"last number, zero":            {clade.Scorer{Kind: "last_number"}, "0.0", "0", 1, false},
		"last number, wrong":           {clade.Scorer{Kind: "last_number"}, "7 or 8", "7", 0, false},
		"last number, none":            {clade.Scorer{Kind: "last_number"}, "seven", "7", 0, false},
		"last number, none expected":   {clade.Scorer{Kind: "last_number"}, "7", "seven", 0, true},
		"last number, too large":       {clade.Scorer{Kind: "last_number"}, "1e999", "7", 0, false},
		"close":                        {clade.Scorer{Kind: "numeric_close", Tolerance: 0.01}, "99.1\n", "100", 1, false},
		"close, negative":              {clade.Scorer{Kind: "numeric_close", Tolerance: 0.01}, "-99.1", "-100", 1, false},
		"not close":                    {clade.Scorer{Kind: "numeric_close", Tolerance: 0.01}, "98.9", "100", 0, false},
		"close, prose":                 {clade.Scorer{Kind: "numeric_close", Tolerance: 0.01}, "about 100", "100", 0, false},
		"close, NaN":                   {clade.Scorer{Kind: "numeric_close", Tolerance: 0.01}, "NaN", "100", 0, false},
		"close, no tolerance":          {clade.Scorer{Kind: "numeric_close"}, "0.5", "5e-1", 1, false},
		"close, prose expected":        {clade.Scorer{Kind: "numeric_close"}, "1", "one", 0, true},
		"unknown":                      {clade.Scorer{Kind: "vibes"}, "1", "1", 0, true},
	} {
		got, err := Score(tc.scorer, []byte(tc.answer), tc.expected)
		if got != tc.want || (err != nil) != tc.bad {
			t.Errorf("%s: %v, %v; want %v, error %v", name, got, err, tc.want, tc.bad)
		}
	}
}

func FuzzScore(f *testing.F) {
	f.Add([]byte("a -1,234.5e3"), "1")
	f.Add([]byte("-"), "-0")
	f.Fuzz(func(t *testing.T, answer []byte, expected string) {
		for _, kind := range []string{"exact", "contains", "last_number", "numeric_close"} {
			got, err := Score(clade.Scorer{Kind: kind, Tolerance: 0.1}, answer, expected)
			if got != 0 && got != 1 || err != nil && got != 0 {
				t.Errorf("%s of %q against %q = %v, %v", kind, answer, expected, got, err)
			}
		}
	})
}
