package evaluate

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/cladehq/clade"
)

// deal puts the cases into splits: sorted by a hash of the split seed and their
// digest, the first go to train, the next to select, then test, the rest
// nowhere. So which cases a split has depends on the cases and the seed alone,
// not on their order in the file, and a case more moves at most one case over
// each border between splits.
func (l loader) deal(rows []row, cases []Case) ([]Case, error) {
	sizes, err := l.sizes(len(cases))
	if err == nil && l.Batch > sizes.Train {
		err = l.problem(0, "make dataset.batch smaller, or give train more cases in dataset.splits",
			"a batch of %d is more than the %s there are", l.Batch, clade.Counted(sizes.Train, "train case"))
	}
	if err != nil {
		return nil, err
	}
	keys := make([][sha256.Size]byte, len(rows))
	order := make([]int, len(rows))
	for i, r := range rows {
		keys[i], order[i] = splitKey(l.Seed, r.digest), i
	}
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(keys[a][:], keys[b][:]) })
	next := 0
	for _, split := range []struct {
		name string
		n    int
	}{{clade.SplitTrain, sizes.Train}, {clade.SplitSelect, sizes.Select}, {clade.SplitTest, sizes.Test}} {
		for _, i := range order[next : next+split.n] {
			cases[i].Split = split.name
		}
		next += split.n
	}
	return slices.DeleteFunc(cases, func(c Case) bool { return c.Split == "" }), nil
}

// sizes are those the spec gives, or thirds: what does not divide goes to test
// first, then to select.
func (l loader) sizes(n int) (clade.SplitSizes, error) {
	s := l.Splits
	switch {
	case s == clade.SplitSizes{} && n < 3:
		return s, l.problem(0, "add cases", "%d cases are too few for three splits", n)
	case s == clade.SplitSizes{}:
		return clade.SplitSizes{Train: n / 3, Select: (n + 1) / 3, Test: (n + 2) / 3}, nil
	case s.Train < 0 || s.Select < 1 || s.Test < 0:
		return s, l.problem(0, "dataset.splits.select decides the search and must be at least 1",
			"splits of %d train, %d select and %d test cases make no search", s.Train, s.Select, s.Test)
	case s.Train > n || s.Select > n || s.Test > n || s.Train+s.Select+s.Test > n:
		return s, l.problem(0, "add cases or make the splits smaller",
			"%d cases are fewer than %d train + %d select + %d test", n, s.Train, s.Select, s.Test)
	}
	return s, nil
}

func splitKey(seed uint64, digest [sha256.Size]byte) [sha256.Size]byte {
	return sha256.Sum256(append(binary.LittleEndian.AppendUint64([]byte("clade split\x00"), seed), digest[:]...))
}
