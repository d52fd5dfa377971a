package sqlite_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/store/sqlite"
)

func TestMain(m *testing.M) {
	if runHelper() {
		return
	}
	goleak.VerifyTestMain(m)
}

func newStore(t testing.TB) *sqlite.Store {
	t.Helper()
	s, err := sqlite.New(filepath.Join(t.TempDir(), ".clade"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func create(t testing.TB, s *sqlite.Store, run string) store.Log {
	t.Helper()
	l, err := s.Create(t.Context(), opened(run))
	return closing(t, l, err)
}

func open(t testing.TB, s *sqlite.Store, run string, fold bool) store.Log {
	t.Helper()
	l, err := s.Open(t.Context(), run, fold)
	return closing(t, l, err)
}

func closing(t testing.TB, l store.Log, err error) store.Log {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func add(t testing.TB, l store.Log, events ...clade.Event) {
	t.Helper()
	if err := l.Update(t.Context(), func(tx store.Tx) error { return tx.Append(events...) }); err != nil {
		t.Fatal(err)
	}
}

func sound(t testing.TB, l store.Log) {
	t.Helper()
	found, err := l.Check(context.Background())
	if err != nil || len(found) > 0 {
		t.Fatalf("check: %v, %q", err, found)
	}
}

// picture is everything a view shows, as text.
func picture(v clade.View) string {
	ids := []clade.ID{}
	children := map[clade.ID][]clade.ID{}
	lives := []*clade.Life{}
	for id := clade.Base; v.Life(id) != nil; id++ {
		lives = append(lives, v.Life(id))
		if c := v.Children(id); len(c) > 0 {
			children[id] = c
		}
		ids = append(ids, id)
	}
	notes := map[clade.NoteKind][]clade.Note{}
	for _, kind := range []clade.NoteKind{"", clade.NoteFinding, clade.NoteSteer, clade.NoteWarning} {
		notes[kind] = slices.Collect(v.Notes(kind))
	}
	body, err := json.MarshalIndent(map[string]any{
		"head": v.Head(), "lives": lives, "children": children, "frontier": slices.Collect(v.Frontier()),
		"open": append([]clade.ID{}, v.Open()...), "unjudged": append([]clade.ID{}, v.Unjudged()...), "notes": notes,
		"beyond": v.Life(clade.ID(len(ids))) == nil && v.Life(-1) == nil,
	}, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(body)
}

func pictureOf(t testing.TB, l store.Log) (p string) {
	t.Helper()
	err := l.View(context.Background(), func(v clade.View) error {
		p = picture(v)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The state in memory and the projections are the same after any valid history,
// written by any mix of handles that fold and handles that do not, and so is
// what a transaction shows of its own records.
func TestStateAndProjectionsAgree(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			h := history{rng: rand.New(rand.NewPCG(seed, 1))}
			logs := []store.Log{create(t, s, "r"), open(t, s, "r", false), open(t, s, "r", true), open(t, s, "r", false)}
			for range 50 {
				l := logs[h.rng.IntN(len(logs))]
				var inside string
				err := l.Update(t.Context(), func(tx store.Tx) error {
					for range 1 + h.rng.IntN(4) {
						if err := tx.Append(h.next(tx.View())); err != nil {
							return err
						}
						if h.rng.IntN(2) == 0 {
							inside = picture(tx.View()) // mixes queries between appends
						}
					}
					inside = picture(tx.View())
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if got := pictureOf(t, logs[h.rng.IntN(len(logs))]); got != inside {
					t.Fatalf("after the commit: %s\nin the transaction: %s", got, inside)
				}
			}
			sound(t, logs[0])
			var fresh clade.State
			if err := logs[1].Read(t.Context(), 0, fresh.Apply); err != nil {
				t.Fatal(err)
			}
			want := picture(&fresh)
			for i, l := range logs {
				if got := pictureOf(t, l); got != want {
					t.Errorf("handle %d shows %s\nthe log says %s", i, got, want)
				}
			}
		})
	}
}

// Frontier and Notes read in pages; equal scores lie across their borders.
func TestLongLists(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	l := create(t, s, "r")
	var events []clade.Event
	for id := clade.ID(1); id <= 200; id++ {
		o := clade.Outcome{ID: id, Try: 1, Commit: "c", Evaluations: []clade.Evaluation{{Subject: id, Samples: []clade.Sample{
			{Check: "test", Gate: true, Value: 1}, {Check: "score", Value: float64(id % 3)},
		}}}}
		for range 1 + id%2 {
			o.Notes = append(o.Notes, clade.Note{Kind: []clade.NoteKind{clade.NoteFinding, clade.NoteWarning}[id%2], Body: fmt.Sprint(id)})
		}
		events = append(events, planned(id), clade.TryBegun{ID: id, Try: 1}, clade.TryEnded{Outcome: o},
			clade.Judged{Verdicts: []clade.Verdict{{ID: id, Status: clade.StatusAccepted, Why: "why"}}})
	}
	add(t, l, events...)
	rows := open(t, s, "r", false)
	if got, want := pictureOf(t, rows), pictureOf(t, l); got != want {
		t.Errorf("the projections show %s\nthe state %s", got, want)
	}
	err := rows.View(t.Context(), func(v clade.View) error {
		frontier := slices.Collect(v.Frontier()) // 2 for 200, 197, …; 1 for 199, …; 0 for 198, …
		if len(frontier) != 200 || frontier[0] != 200 || frontier[1] != 197 || frontier[67] != 199 || frontier[199] != 3 {
			t.Errorf("frontier %v", frontier)
		}
		if n := len(slices.Collect(v.Notes(clade.NoteWarning))); n != 200 { // two of each odd attempt
			t.Errorf("%d warnings, want 200", n)
		}
		inner := 0
		for range v.Frontier() {
			for id := range v.Frontier() { // one within the other
				inner += int(v.Life(id).ID)
				break
			}
		}
		if inner != 200*200 {
			t.Errorf("inner loops saw %d, want the first each time", inner)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAFailedDecisionWritesNothing(t *testing.T) {
	t.Parallel()
	for _, fold := range []bool{true, false} {
		t.Run(fmt.Sprint("fold ", fold), func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			create(t, s, "r")
			l := open(t, s, "r", fold)
			before := pictureOf(t, l)
			no := errors.New("no")
			err := l.Update(t.Context(), func(tx store.Tx) error {
				return errors.Join(tx.Append(planned(1)), tx.Pend(ledger.Made{Commit: "c", Stream: []byte("x")}), no)
			})
			if !errors.Is(err, no) {
				t.Errorf("error %v, want %v", err, no)
			}
			err = l.Update(t.Context(), func(tx store.Tx) error {
				_ = tx.Append(planned(2)) // cannot follow: attempt 1 was never planned
				return nil
			})
			if !errors.Is(err, clade.ErrCorruptLog) || clade.FaultOf(err) != "" {
				t.Errorf("a swallowed append error: %v, want %v", err, clade.ErrCorruptLog)
			}
			func() {
				defer func() { _ = recover() }()
				_ = l.Update(t.Context(), func(tx store.Tx) error {
					_ = tx.Append(planned(1))
					panic("a defect")
				})
			}()
			if after := pictureOf(t, l); after != before {
				t.Errorf("state changed: %s", after)
			}
			if made, err := l.Pending(t.Context()); err != nil || len(made) > 0 {
				t.Errorf("pending %v, %v", made, err)
			}
			add(t, l, planned(1))
			sound(t, l)
		})
	}
}

func planned(id clade.ID, parents ...clade.ID) clade.Planned {
	return clade.Planned{Attempt: clade.Attempt{ID: id, Parents: parents, Makes: clade.MakesTree, Why: "why"}}
}

// B22, F40: no NaN and no infinity reaches the database, as a sample or as a
// score worked out from finite samples.
func TestNoNumberThatIsNone(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]float64{"NaN": math.NaN(), "+Inf": math.Inf(1), "-Inf": math.Inf(-1)} {
		for _, fold := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " fold ", fold), func(t *testing.T) {
				t.Parallel()
				s := newStore(t)
				create(t, s, "r")
				l := open(t, s, "r", fold)
				add(t, l, planned(1), clade.TryBegun{ID: 1, Try: 1})
				bad := clade.Sample{Check: "score", Value: x}
				o := clade.Outcome{ID: 1, Try: 1, Commit: "c", Evaluations: []clade.Evaluation{{Subject: 1, Samples: []clade.Sample{bad}}}}
				before := pictureOf(t, l)
				if err := l.Update(t.Context(), func(tx store.Tx) error { return tx.Append(clade.TryEnded{Outcome: o}) }); err == nil {
					t.Error("the outcome was accepted")
				}
				if err := l.Update(t.Context(), func(tx store.Tx) error { return tx.Keep(store.Kept{Sample: bad}) }); err == nil {
					t.Error("the sample was accepted")
				}
				if after := pictureOf(t, l); after != before {
					t.Errorf("state changed: %s", after)
				}
				sound(t, l)
			})
		}
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	l := create(t, s, "r")
	var events []clade.Event
	for id := clade.ID(1); id <= 600; id++ { // more than two batches
		events = append(events, planned(id))
	}
	add(t, l, events...)
	next := int64(101)
	err := l.Read(t.Context(), 100, func(r clade.Record) error {
		if r.Seq != next || r.By == "" || r.At.IsZero() || r.Event.(clade.Planned).Attempt.ID != clade.ID(next-1) {
			t.Errorf("record %+v, want %d", r, next)
		}
		next++
		return nil
	})
	if err != nil || next != 602 {
		t.Errorf("read up to %d, %v; want 602", next, err)
	}
	enough := errors.New("enough")
	if err := l.Read(t.Context(), 0, func(clade.Record) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("error %v, want the reader's own", err)
	}
}

// A reader may append, since no transaction is open while it works.
func TestAReaderMayWrite(t *testing.T) {
	t.Parallel()
	l := create(t, newStore(t), "r")
	err := l.Read(t.Context(), 0, func(r clade.Record) error {
		if r.Seq == 1 {
			add(t, l, planned(1))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestPending(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	l := create(t, s, "r")
	made := []ledger.Made{
		{Commit: "b", Tree: "t1", Stream: []byte("commit\x00\xff")},
		{Commit: "a", Tree: "t2", Stream: []byte("second")},
	}
	err := l.Update(t.Context(), func(tx store.Tx) error {
		return errors.Join(tx.Pend(made[0]), tx.Pend(made[1]), tx.Pend(made[0]), tx.Pend(ledger.Made{Commit: "on disk"}))
	})
	if err != nil {
		t.Fatal(err)
	}
	other := open(t, s, "r", false)
	got, err := other.Pending(t.Context())
	if err != nil || fmt.Sprint(got) != fmt.Sprint(made) {
		t.Errorf("pending %v, %v; want %v", got, err, made)
	}
	if err := other.Unpend(t.Context(), []string{"b", "unknown"}); err != nil {
		t.Fatal(err)
	}
	if got, err := l.Pending(t.Context()); err != nil || len(got) != 1 || got[0].Commit != "a" {
		t.Errorf("pending %v, %v; want a", got, err)
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	l := create(t, s, "r")
	other := open(t, s, "r", false)
	if err := l.Wait(t.Context(), 0); err != nil {
		t.Errorf("record 1 is there already: %v", err)
	}
	for name, writer := range map[string]store.Log{"this handle": l, "another connection": other} {
		var seq int64
		if err := l.View(t.Context(), func(v clade.View) error { seq = v.Head().Seq; return nil }); err != nil {
			t.Fatal(err)
		}
		woken := make(chan error, 1)
		go func() { woken <- l.Wait(t.Context(), seq) }()
		add(t, writer, clade.Ticked{Active: 1})
		if err := <-woken; err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Wait(ctx, 1<<40); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled wait: %v", err)
	}
}

func TestClosingEndsAWait(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	create(t, s, "r")
	l, err := s.Open(t.Context(), "r", false)
	if err != nil {
		t.Fatal(err)
	}
	waiting, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		close(waiting)
		ended <- l.Wait(context.Background(), 100)
	}()
	<-waiting
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("a wait for a record that never came ended well")
	}
	if err := l.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

func TestRunsOfAStore(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	if runs, err := s.List(t.Context()); err != nil || len(runs) > 0 {
		t.Errorf("an empty store lists %v, %v", runs, err)
	}
	if _, err := os.Lstat(filepath.Dir(filepath.Dir(s.Dir("x")))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("looking made the folder: %v", err)
	}
	create(t, s, "b")
	create(t, s, "größe 2.1")
	if err := os.Mkdir(s.Dir("half"), 0o755); err != nil { // a crash before the file had its name
		t.Fatal(err)
	}
	if runs, err := s.List(t.Context()); err != nil || !slices.Equal(runs, []string{"b", "größe 2.1"}) {
		t.Errorf("list %q, %v", runs, err)
	}
	ignore, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(s.Dir("b"))), ".gitignore"))
	if err != nil || string(ignore) != "*\n" {
		t.Errorf(".gitignore holds %q, %v", ignore, err)
	}
	if _, err := s.Create(t.Context(), opened("b")); clade.FaultOf(err) != clade.FaultConflict {
		t.Errorf("the same name again: %v", err)
	}
	for _, err := range []error{
		second(s.Open(t.Context(), "half", true)), second(s.Open(t.Context(), "none", false)), s.Remove(t.Context(), "none"),
	} {
		if !errors.Is(err, store.ErrNoRun) || clade.FaultOf(err) != clade.FaultNotFound {
			t.Errorf("a run that is not there: %v", err)
		}
	}
	create(t, s, "half")
}

func second(_ store.Log, err error) error { return err }

func TestNames(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"r1": true, "pack-26_b.v2": true, "ü": true, "a b": true,
		"": false, ".": false, "..": false, "a/b": false, `a\b`: false, "../x": false, "a..b": false, ".hidden": false,
		"-rf": false, "a\x00b": false, "a\nb": false, "c:": false, "x*": false, "dot.": false, "space ": false, "\xff": false,
		string(make([]byte, 200)): false,
	} {
		if err := sqlite.CheckName(name); (err == nil) != ok {
			t.Errorf("%q: %v, want ok %v", name, err, ok)
		}
		if _, err := newStore(t).Open(t.Context(), name, false); !ok && clade.FaultOf(err) != clade.FaultUsage {
			t.Errorf("open %q: %v", name, err)
		}
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	create(t, s, "kept")
	l, err := s.Create(t.Context(), opened("gone"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(filepath.Join(s.Dir("gone"), "log.txt"), nil, 0o644), l.Close()); err != nil {
		t.Fatal(err)
	}
	lease, _, err := s.Lease(t.Context(), "gone")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(t.Context(), "gone"); !errors.Is(err, store.ErrHeld) {
		t.Errorf("removing a run that is searched: %v", err)
	}
	if err := errors.Join(lease.Release(), s.Remove(t.Context(), "gone")); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(filepath.Dir(s.Dir("gone")))
	if err != nil || len(entries) != 1 || entries[0].Name() != "kept" {
		t.Errorf("left: %v, %v", entries, err)
	}
}

// F21: two runs of one store do not meet.
func TestTwoRunsInOneStore(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	a, b := create(t, s, "a"), create(t, s, "b")
	add(t, a, planned(1))
	if got := pictureOf(t, b); got != pictureOf(t, open(t, s, "b", true)) {
		t.Errorf("b changed: %s", got)
	}
	sound(t, a)
	sound(t, b)
}

func TestManyWritersAtOnce(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	create(t, s, "r")
	const writers, each = 4, 15
	done := make(chan error, writers)
	for w := range writers {
		l := open(t, s, "r", w%2 == 0)
		go func() {
			for range each {
				if err := l.Update(context.Background(), func(tx store.Tx) error {
					return tx.Append(planned(tx.View().Head().Count + 1))
				}); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range writers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	l := open(t, s, "r", false)
	sound(t, l)
	if err := l.View(t.Context(), func(v clade.View) error {
		if v.Head().Count != writers*each {
			t.Errorf("%d attempts, want %d", v.Head().Count, writers*each)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
