package control

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
)

// look counts a look at the run's test cases in the user's index.
func (b *rig) look(ctx context.Context, attempt clade.ID) (int, error) {
	ix, err := b.c.Index()
	if err != nil {
		return 0, err
	}
	look, err := ix.Look(ctx, testCases(b.cases), b.run.Name, attempt)
	return look, errors.Join(err, ix.Close())
}

// testCases names the set of test cases, whatever file they are in and in
// whatever order: SHA-256 of their sorted contents. Another split seed makes
// another set, whose looks are counted from 1.
func testCases(cases []evaluate.Case) string {
	var rows []string
	for _, c := range cases {
		if c.Split != clade.SplitTest {
			continue
		}
		row, err := json.Marshal([][]byte{c.Input, []byte(c.Expected)})
		if err != nil {
			panic(err) // bytes always have JSON
		}
		rows = append(rows, string(row))
	}
	slices.Sort(rows)
	all := sha256.New()
	for _, row := range rows {
		sum := sha256.Sum256([]byte(row))
		all.Write(sum[:])
	}
	return hex.EncodeToString(all.Sum(nil))
}
