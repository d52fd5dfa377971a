package control

import (
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
)

func TestTestCases(t *testing.T) {
	t.Parallel()
	test := func(input, expected string) evaluate.Case {
		return evaluate.Case{ID: input, Split: clade.SplitTest, Input: []byte(input), Expected: expected}
	}
	train := evaluate.Case{ID: "c", Split: clade.SplitTrain, Input: []byte("c")}
	same := testCases([]evaluate.Case{test("a", "1"), test("b", "2")})
	for name, c := range map[string]struct {
		cases []evaluate.Case
		same  bool
	}{
		"another order":       {[]evaluate.Case{test("b", "2"), test("a", "1")}, true},
		"other training":      {[]evaluate.Case{train, test("a", "1"), test("b", "2")}, true},
		"another case":        {[]evaluate.Case{test("a", "1"), test("c", "2")}, false},
		"another expectation": {[]evaluate.Case{test("a", "1"), test("b", "3")}, false},
		"one less":            {[]evaluate.Case{test("a", "1")}, false},
		"one twice":           {[]evaluate.Case{test("a", "1"), test("b", "2"), test("b", "2")}, false},
	} {
		if got := testCases(c.cases); (got == same) != c.same {
			t.Errorf("%s: %s and %s", name, got, same)
		}
	}
}
