package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/store/sqlite"
)

// attempt is everything that happens to one candidate.
func attempt(id clade.ID) []clade.Event {
	samples := []clade.Sample{{Check: "test", Gate: true, Value: 1}, {Check: "score", Value: float64(id%997) / 7}}
	commit := fmt.Sprintf("%040x", id)
	status := clade.StatusRejected
	if id%5 == 0 {
		status = clade.StatusAccepted
	}
	p := planned(id, id/2)
	p.Attempt.Operator, p.Attempt.Brief = "mutate", `{"seed":12345,"kind":"literal"}`
	return []clade.Event{
		p,
		clade.TryBegun{ID: id, Try: 1, Worker: "slot 1"},
		clade.Proposed{ID: id, Try: 1, Commit: commit, Tree: commit, Summary: "0.075 → 0.081 in packing.txt", Feedback: `{"step":0.25}`},
		clade.TryEnded{Outcome: clade.Outcome{
			ID: id, Try: 1, Commit: commit, Tree: commit, Isolation: "namespaces",
			Evaluations: []clade.Evaluation{{Subject: id, Tree: commit, Samples: samples}},
		}},
		clade.Judged{Verdicts: []clade.Verdict{{ID: id, Status: status, Category: "improved", Why: "1.5 is more than 1.2"}}},
	}
}

// grown makes a run with n attempts, the last 8 of them open.
func grown(b *testing.B, n clade.ID) *sqlite.Store {
	b.Helper()
	s := newStore(b)
	l, err := s.Create(b.Context(), opened("r"))
	if err != nil {
		b.Fatal(err)
	}
	for id := clade.ID(1); id <= n; {
		var events []clade.Event
		for range 500 {
			if id > n {
				break
			}
			e := attempt(id)
			if id > n-8 {
				e = e[:3]
			}
			events = append(events, e...)
			id++
		}
		add(b, l, events...)
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	return s
}

func BenchmarkUpdate(b *testing.B) {
	for _, fold := range []bool{true, false} {
		for _, n := range []int{1, 8} {
			b.Run(fmt.Sprintf("fold=%v/%d events at 10,000 lives", fold, n), func(b *testing.B) {
				l := open(b, grown(b, 10_000), "r", fold)
				add(b, l, clade.Ticked{Active: 1}) // loaded
				id := clade.ID(10_000)
				var queue []clade.Event
				for b.Loop() {
					for len(queue) < n {
						id++
						queue = append(queue, attempt(id)...)
					}
					add(b, l, queue[:n]...)
					queue = queue[n:]
				}
			})
		}
	}
}

// BenchmarkAttempt is what the log costs one attempt when each turn takes in
// one: two commits, with 2 kB of pending bytes and two kept samples.
func BenchmarkAttempt(b *testing.B) {
	l := open(b, grown(b, 1000), "r", true)
	id := clade.ID(1000)
	for b.Loop() {
		id++
		e := attempt(id)
		if err := l.Update(b.Context(), func(tx store.Tx) error {
			if err := tx.Append(e[:3]...); err != nil {
				return err
			}
			return tx.Pend(ledger.Made{Commit: fmt.Sprint(id), Stream: make([]byte, 2<<10)})
		}); err != nil {
			b.Fatal(err)
		}
		add(b, l, e[3:]...)
	}
}

// status reads what `clade status` shows.
func status(v clade.View) error {
	best := 0
	for id := range v.Frontier() {
		if v.Life(id).Summary == "" {
			return fmt.Errorf("candidate %d has no summary", id)
		}
		if best++; best == 20 {
			break
		}
	}
	for _, id := range v.Open() {
		_ = v.Life(id)
	}
	if best != 20 || v.Head().Count != 10_000 {
		return fmt.Errorf("%d candidates of %d", best, v.Head().Count)
	}
	return nil
}

func BenchmarkStatus(b *testing.B) {
	s := grown(b, 10_000)
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			l, err := s.Open(b.Context(), "r", false)
			if err != nil {
				b.Fatal(err)
			}
			if err := l.View(b.Context(), status); err != nil {
				b.Fatal(err)
			}
			if err := l.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("warm", func(b *testing.B) {
		l := open(b, s, "r", false)
		for b.Loop() {
			if err := l.View(b.Context(), status); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, what := range []string{"nothing", "status"} {
		b.Run("process/"+what, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s 0", helperVar, what, folder(s)))
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
			}
		})
	}
}

func helpStatus(dir string, _ uint64) error {
	s, err := sqlite.New(dir)
	if err != nil {
		return err
	}
	l, err := s.Open(context.Background(), "r", false)
	if err != nil {
		return err
	}
	if err := l.View(context.Background(), status); err != nil {
		return err
	}
	return l.Close()
}

func BenchmarkOpenFolding(b *testing.B) {
	s := grown(b, 10_000)
	for b.Loop() {
		l, err := s.Open(b.Context(), "r", true)
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	l := open(b, grown(b, 10_000), "r", false)
	for b.Loop() {
		if found, err := l.Check(b.Context()); err != nil || len(found) > 0 {
			b.Fatal(found, err)
		}
	}
}
