package sqlite_test

import (
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/store"
)

func TestRecall(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	l := create(t, s, "r")
	key := evaluate.Key{
		Attempt: 2, Stage: 1, Place: 0, Subject: 2, Tree: "tree", Evaluator: "ev", Check: "score", Case: "c1", Split: "select", Replicate: 1,
	}
	with := func(change func(*evaluate.Key)) evaluate.Key {
		k := key
		change(&k)
		return k
	}
	failed := with(func(k *evaluate.Key) { k.Case = "failed" })
	private := with(func(k *evaluate.Key) { k.Case = "private" })
	first := with(func(k *evaluate.Key) { k.Attempt = 1 })
	borrowed := with(func(k *evaluate.Key) { k.Case, k.Attempt = "borrowed", 4 })
	err := l.Update(t.Context(), func(tx store.Tx) error {
		return tx.Keep(
			store.Kept{Key: key, Sample: clade.Sample{Check: "score", Value: 1}, Share: true},
			store.Kept{Key: key, Sample: clade.Sample{Check: "score", Value: 2}, Share: true}, // the later word
			store.Kept{Key: first, Sample: clade.Sample{Check: "score", Value: 3}, Share: true},
			store.Kept{Key: failed, Sample: clade.Sample{Check: "score", Class: clade.ClassCandidate}, Share: true},
			store.Kept{Key: private, Sample: clade.Sample{Check: "score", Value: 5}},
			store.Kept{Key: borrowed, Sample: clade.Sample{Check: "score", Value: 6, PaidBy: 3}, Share: true},
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	other := open(t, s, "r", false)
	for name, c := range map[string]struct {
		key   evaluate.Key
		share bool
		value float64
		paid  clade.ID
		miss  bool
	}{
		"own":                              {key: key, value: 2},
		"own, although sharing is allowed": {key: key, share: true, value: 2},
		"own, a failure":                   {key: failed},
		"own, private":                     {key: private, value: 5},
		"another attempt's":                {key: with(func(k *evaluate.Key) { k.Attempt, k.Subject, k.Stage = 9, 9, 3 }), share: true, value: 3, paid: 1},
		"not without asking":               {key: with(func(k *evaluate.Key) { k.Attempt = 9 }), miss: true},
		"a private one is not shared":      {key: with(func(k *evaluate.Key) { k.Case, k.Attempt = "private", 9 }), share: true, miss: true},
		"a failure is never shared":        {key: with(func(k *evaluate.Key) { k.Case, k.Attempt = "failed", 9 }), share: true, miss: true},
		"who paid is passed on":            {key: with(func(k *evaluate.Key) { k.Case, k.Attempt = "borrowed", 9 }), share: true, value: 6, paid: 3},
		"one's own reading is no evidence for another place": {
			key: with(func(k *evaluate.Key) { k.Place, k.Attempt, k.Case = 1, 4, "borrowed" }), share: true, miss: true,
		},
		"but another attempt's is": {key: with(func(k *evaluate.Key) { k.Place = 1 }), share: true, value: 3, paid: 1},
		"another tree":             {key: with(func(k *evaluate.Key) { k.Attempt, k.Tree = 9, "other" }), share: true, miss: true},
		"another evaluator":        {key: with(func(k *evaluate.Key) { k.Attempt, k.Evaluator = 9, "other" }), share: true, miss: true},
		"another check":            {key: with(func(k *evaluate.Key) { k.Attempt, k.Check = 9, "other" }), share: true, miss: true},
		"another split":            {key: with(func(k *evaluate.Key) { k.Attempt, k.Split = 9, "test" }), share: true, miss: true},
		"another replicate":        {key: with(func(k *evaluate.Key) { k.Replicate = 2 }), miss: true},
	} {
		for _, l := range []store.Log{l, other} {
			got, ok, err := l.Recall(t.Context(), c.key, c.share)
			if err != nil || ok == c.miss || got.Value != c.value || got.PaidBy != c.paid {
				t.Errorf("%s: %+v, %v, %v", name, got, ok, err)
			}
		}
	}
}
