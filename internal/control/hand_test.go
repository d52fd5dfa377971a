package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/crash"
	"github.com/cladehq/clade/internal/dispatch"
	"github.com/cladehq/clade/internal/dispatch/local"
	"github.com/cladehq/clade/internal/evaluate"
	evaluatecommand "github.com/cladehq/clade/internal/evaluate/command"
	"github.com/cladehq/clade/internal/git/gittest"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/ledger/bare"
	ledgercrashing "github.com/cladehq/clade/internal/ledger/crashing"
	"github.com/cladehq/clade/internal/policy/noise"
	"github.com/cladehq/clade/internal/propose"
	proposecommand "github.com/cladehq/clade/internal/propose/command"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/none"
	"github.com/cladehq/clade/internal/store"
	storecrashing "github.com/cladehq/clade/internal/store/crashing"
	"github.com/cladehq/clade/internal/store/sqlite"
	"github.com/cladehq/clade/internal/strategy"
	"github.com/cladehq/clade/internal/strategy/generational"
	"github.com/cladehq/clade/internal/workspace"
	"github.com/cladehq/clade/internal/workspace/pool"
)

// handVar makes the test binary play another process of the run in a folder:
// "claim DIR RUN WHO MOST" or "hand DIR RUN ID DATA".
const handVar = "CLADE_CONTROL_TEST_HAND"

func TestMain(m *testing.M) {
	if args := strings.Fields(os.Getenv(handVar)); len(args) > 0 {
		if err := play(context.Background(), args); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func play(ctx context.Context, args []string) (err error) {
	plan, err := crash.Parse(os.Getenv(crash.Variable))
	if err != nil {
		return err
	}
	r, err := New(workshop(args[1], plan)).openAt(ctx, store.Located{Run: args[2], State: filepath.Join(args[1], "target", stateName)}, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	n, _ := strconv.Atoi(args[len(args)-1])
	if args[0] == "claim" {
		claimed, err := r.Claim(ctx, args[3], n, time.Time{})
		for _, id := range claimed {
			fmt.Println(id)
		}
		return err
	}
	id, _ := strconv.Atoi(args[3])
	return r.HandIn(ctx, clade.ID(id), baseOf(ctx, r), number(args[4]), "by hand")
}

// workshop are parts over folders below dir: a real store, ledger, workspaces and
// commands.
func workshop(dir string, plan *crash.Plan) Parts {
	p := Parts{
		State: filepath.Join(dir, "state"), Cache: filepath.Join(dir, "cache"),
		Store: func(dir string, _ bool) (store.Store, error) {
			s, err := sqlite.New(dir)
			if err != nil {
				return nil, err
			}
			return storecrashing.Store(s, plan), nil
		},
		Index: func() (store.Index, error) { return sqlite.OpenIndex(filepath.Join(dir, "index.db")) },
		Ledger: func(ctx context.Context, dir string) (ledger.Ledger, error) {
			l, err := bare.Open(ctx, dir)
			if err != nil {
				return nil, err
			}
			return ledgercrashing.Ledger(l, plan), nil
		},
		Prune: bare.Prune, Prunable: bare.Prunable, Rules: noise.Rules(),
	}
	p.Sandbox = func(context.Context, *clade.Spec, []string) (sandbox.Sandbox, error) { return none.New(none.Options{}) }
	p.Workspaces = func(cache string, l ledger.Ledger, s sandbox.Sandbox) (workspace.Provider, error) {
		if s == nil {
			return pool.New(pool.Options{Dir: cache})
		}
		return pool.New(pool.Options{Dir: cache, Ledger: l, Sandbox: s, Env: []string{"PATH=" + os.Getenv("PATH")}})
	}
	p.Evaluator = func(_ *clade.Spec, w workspace.Provider, t Tools) (evaluate.Evaluator, error) {
		return evaluatecommand.New(evaluatecommand.Options{Workspaces: w, Sandbox: t.Sandbox, Scratch: t.Scratch}), nil
	}
	p.Operators = func(spec *clade.Spec, t Tools) (map[string]propose.Operator, error) {
		out := map[string]propose.Operator{}
		for _, o := range spec.Operators {
			op, err := proposecommand.New(o, t.Sandbox)
			if err != nil {
				return nil, err
			}
			out[o.Name] = op
		}
		return out, nil
	}
	p.Search = func(spec *clade.Spec) (strategy.Search, error) {
		return strategy.NewCampaign(generational.New(spec, nil)), nil
	}
	p.Dispatch = func(ctx context.Context, slots int, perform dispatch.Perform) dispatch.Dispatcher {
		return local.New(ctx, slots, perform)
	}
	return p
}

// handed is a run of a repository that holds a number, which is to be large, and a
// gate that is frozen. Nobody in it makes candidates unless operators do.
func handed(t *testing.T, candidates int, operators ...clade.Operator) (*Run, string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the gate is a shell's")
	}
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	gittest.Put(t, filepath.Join(target, "n.txt"), "1\n")
	gittest.Put(t, filepath.Join(target, "gate.sh"), "test $(cat n.txt) -lt 1000\n")
	gittest.Person(t, target, "init", "-q")
	gittest.Person(t, target, "add", "-A")
	gittest.Person(t, target, "commit", "-qm", "first")
	c := New(workshop(dir, nil))
	limits := clade.Limits{Wall: clade.Duration(time.Minute), Output: 1 << 20, FileSize: 1 << 20}
	spec := &clade.Spec{
		Version: 1, Objective: "Make the number large.", Target: clade.Target{Kind: clade.TargetGit, Path: "."}, Allow: []string{"n.txt"}, Frozen: []string{"gate.sh"},
		Gates: []clade.Gate{{ID: "small", Command: clade.Command{Run: "sh gate.sh"}}},
		Measures: []clade.Measure{{ID: "n", Command: clade.Command{Run: "cat n.txt"}, Read: clade.Read{Kind: clade.ReadWhole},
			Goal: clade.Maximize, Noise: clade.NoiseNone}},
		Operators: operators, Search: clade.Search{Strategy: "generational", Batch: 2, Parents: 2, Names: "v%d", Start: clade.StartBase},
		Budget: clade.Budget{Candidates: candidates}, Limits: limits, Slots: 2, Final: clade.FinalRule{Alpha: .05, Leader: clade.LeaderComposite},
	}
	resolved, err := c.Settle(t.Context(), filepath.Join(target, "clade.yaml"), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Create(t.Context(), resolved)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r, dir
}

// number is an edit that makes the number n.
func number(n string) []ledger.Change {
	return []ledger.Change{{Path: "n.txt", Mode: ledger.ModeFile, Data: []byte(n + "\n")}}
}

func baseOf(ctx context.Context, r *Run) (commit string) {
	_ = r.View(ctx, func(v clade.View) error { commit = v.Life(clade.Base).Commit; return nil }) // "" tells
	return commit
}

func (r *Run) lives(t *testing.T) (all []clade.Life, h clade.Head) {
	t.Helper()
	if err := r.View(t.Context(), func(v clade.View) error {
		h = *v.Head()
		for id := clade.Base; id <= h.Count; id++ {
			all = append(all, *v.Life(id))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all, h
}

func (r *Run) launched(t *testing.T, want error) {
	t.Helper()
	if err := r.Launch(t.Context(), Launch{}); !errors.Is(err, want) {
		t.Fatalf("launch: %v, want %v", err, want)
	}
}

func (r *Run) claimed(t *testing.T, who string, most int, until time.Time) []clade.ID {
	t.Helper()
	ids, err := r.Claim(t.Context(), who, most, until)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// From an offer to a winner: one variant is made already, one breaks a rule, two
// are made by hand, and the run says each time that it waits for nobody else.
func TestOfferedHandedOutAndMeasured(t *testing.T) {
	t.Parallel()
	r, _ := handed(t, 5)
	base := baseOf(t.Context(), r)
	made, err := r.Commit(t.Context(), base, number("40"), "forty\nof them")
	if err != nil {
		t.Fatal(err)
	}
	forged, err := r.Commit(t.Context(), base, append(number("999999"), ledger.Change{Path: "gate.sh", Mode: ledger.ModeFile, Data: []byte("true\n")}), "wins")
	if err != nil {
		t.Fatal(err)
	}
	all := []clade.Adopted{
		{Name: "v1", Generation: 1, Hypothesis: "forty", Given: &made}, {Name: "v2", Generation: 1, Hypothesis: "win", Given: &forged},
		{Name: "v3", Generation: 2, Parents: []string{"v1"}, Hypothesis: "more than forty", Approach: "type it"},
	}
	for range 2 { // whoever died before he heard that it was offered offers it again
		if err := r.Offer(t.Context(), all); err != nil {
			t.Fatal(err)
		}
	}
	r.launched(t, ErrHands)
	lives, h := r.lives(t)
	if len(lives) != 5 || h.Offered != 3 || h.Adopted != 3 { // the base, its baseline, and what was offered
		t.Fatalf("%d attempts, %+v", len(lives)-1, h)
	}
	if v := lives[2]; !v.Scored || v.Score != 40 || v.Summary != "forty of them" || v.Verdict.Status != clade.StatusAccepted {
		t.Errorf("v1: %+v", v)
	}
	if v := lives[3]; v.Failure != clade.ClassPolicy || len(v.Evaluations) > 0 || v.Scored {
		t.Errorf("v2: %+v", v)
	}
	ids := r.claimed(t, "ada", 9, time.Time{})
	if !slices.Equal(ids, []clade.ID{4}) || len(r.claimed(t, "bob", 9, time.Time{})) > 0 {
		t.Fatalf("claimed %v", ids)
	}
	if err := r.HandIn(t.Context(), 4, base, number("41"), "forty-one"); err != nil {
		t.Fatal(err)
	}
	if err := r.HandIn(t.Context(), 4, base, number("42"), "again"); clade.FaultOf(err) != clade.FaultConflict {
		t.Errorf("handed in twice: %v", err)
	}
	r.launched(t, ErrHands) // it is measured, and the next generation waits
	for i, id := range r.claimed(t, "ada", 9, time.Time{}) {
		if err := r.HandIn(t.Context(), id, base, number(strconv.Itoa(50+i)), "more"); err != nil {
			t.Fatal(err)
		}
	}
	r.launched(t, nil)
	lives, h = r.lives(t)
	if v := lives[4]; v.Score != 41 || !v.Handed || v.Counted != 1 || len(v.Parents) != 1 || v.Parents[0] != 2 {
		t.Errorf("v3: %+v", v)
	}
	if h.Stop != clade.StopCandidates || lives[h.Winner].Name != "v5" || lives[h.Winner].Score != 51 || h.Proposing != 5 {
		t.Errorf("%s (%s), the winner is %+v", h.Stop, h.Reason, lives[h.Winner])
	}
	if bad, err := r.Check(t.Context()); err != nil || len(bad) > 0 {
		t.Errorf("check: %v, %v", bad, err)
	}
}

// An operator of the spec takes up what nobody claimed, and what a claim that ran
// out leaves; what is claimed stays the holder's.
func TestOperatorsTakeUpWhatNobodyHolds(t *testing.T) {
	t.Parallel()
	r, _ := handed(t, 3)
	r.launched(t, ErrHands)
	ids := r.claimed(t, "ada", 1, time.Unix(100, 0))
	if taken, err := r.Expire(t.Context(), time.Unix(99, 0)); err != nil || len(taken) > 0 {
		t.Fatalf("taken back early: %v, %v", taken, err)
	}
	taken, err := r.Expire(t.Context(), time.Unix(100, 0))
	if err != nil || !slices.Equal(taken, ids) {
		t.Fatalf("taken back %v of %v, %v", taken, ids, err)
	}
	if err := r.HandIn(t.Context(), ids[0], baseOf(t.Context(), r), number("7"), "late"); clade.FaultOf(err) != clade.FaultConflict {
		t.Errorf("late: %v", err)
	}
	_, h := r.lives(t)
	spec := h.Spec
	spec.Operators = []clade.Operator{{Use: "command", Name: "grow", Role: clade.RolePropose,
		Command: clade.Command{Run: `cat >/dev/null; echo "$(cat n.txt)0" >n.txt`}}}
	if err := r.Update(t.Context(), func(tx Tx) error { return tx.Append(clade.Amended{Spec: spec, What: "operators"}) }); err != nil {
		t.Fatal(err)
	}
	r.launched(t, nil)
	lives, h := r.lives(t)
	for _, l := range lives[2:] {
		if l.Proposes() && (l.Operator != "grow" || !l.Scored && l.Same == 0) {
			t.Errorf("%+v", l)
		}
	}
	if h.Winner == clade.Base || h.Proposing != 3 {
		t.Errorf("%s: %s", h.Stop, h.Reason)
	}
}

// E24: a claim that runs out is handed out once more, then the attempt is over;
// what is left of it after that is nobody's.
func TestE24ClaimsRunOut(t *testing.T) {
	t.Parallel()
	r, _ := handed(t, 2)
	r.launched(t, ErrHands)
	for try := range 2 {
		ids := r.claimed(t, "ada", 9, time.Unix(int64(try), 0))
		if len(ids) != 2 {
			t.Fatalf("claim %d: %v", try+1, ids)
		}
		if taken, err := r.Expire(t.Context(), time.Unix(5, 0)); err != nil || len(taken) != 2 {
			t.Fatalf("%v, %v", taken, err)
		}
		for _, id := range ids {
			if err := r.HandIn(t.Context(), id, baseOf(t.Context(), r), number("9"), "late"); clade.FaultOf(err) != clade.FaultConflict {
				t.Errorf("claim %d, late: %v", try+1, err)
			}
		}
	}
	if ids := r.claimed(t, "ada", 9, time.Time{}); len(ids) > 0 {
		t.Errorf("handed out a third time: %v", ids)
	}
	r.launched(t, nil)
	lives, h := r.lives(t)
	for _, l := range lives[2:4] {
		if l.Verdict.Status != clade.StatusRejected || !strings.Contains(l.Verdict.Why, "ada left nothing") || l.Commit != "" {
			t.Errorf("%+v", l)
		}
	}
	if h.Stop != clade.StopAllFailed {
		t.Errorf("%s: %s", h.Stop, h.Reason)
	}
}

// A claim without an end is never taken back; one that is released or given up is
// over at once.
func TestReleaseAndGiveUp(t *testing.T) {
	t.Parallel()
	r, _ := handed(t, 4)
	r.launched(t, ErrHands)
	ids := r.claimed(t, "ada", 2, time.Time{})
	if taken, err := r.Expire(t.Context(), time.Now()); err != nil || len(taken) > 0 {
		t.Errorf("taken back: %v, %v", taken, err)
	}
	if err := r.Release(t.Context(), ids[0], clade.ClassOperator, "no idea"); err != nil {
		t.Fatal(err)
	}
	if err := r.GiveUp(t.Context(), ids[1], "killed", "a clock"); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		err := r.Release(t.Context(), id, clade.ClassOperator, "again")
		if gerr := r.GiveUp(t.Context(), id, "killed", "again"); clade.FaultOf(err) != clade.FaultConflict || clade.FaultOf(gerr) != clade.FaultConflict {
			t.Errorf("of %d: %v, %v", id, err, gerr)
		}
	}
	if again := r.claimed(t, "bob", 9, time.Time{}); !slices.Equal(again, ids[:1]) {
		t.Errorf("claimed again: %v", again)
	}
	lives, _ := r.lives(t)
	if v := lives[ids[1]].Verdict; v.Category != "killed" || v.Why != "a clock" || lives[ids[1]].Open {
		t.Errorf("%+v", v)
	}
}

// What an operator of the spec would make may be claimed before it is begun; it
// is handed out as often as any other then, and not given back to the operator.
func TestClaimOfAnOperatorsAttempt(t *testing.T) {
	t.Parallel()
	r, _ := handed(t, 2, clade.Operator{Use: "command", Name: "grow", Role: clade.RolePropose, Command: clade.Command{Run: "exit 1"}})
	if err := r.Launch(t.Context(), Launch{Hands: true}); !errors.Is(err, ErrHands) {
		t.Fatal(err)
	}
	ids := r.claimed(t, "ada", 1, time.Unix(1, 0))
	if _, err := r.Expire(t.Context(), time.Unix(2, 0)); err != nil {
		t.Fatal(err)
	}
	if again := r.claimed(t, "ada", 1, time.Time{}); !slices.Equal(again, ids) {
		t.Fatalf("claimed %v, then %v", ids, again)
	}
	lives, h := r.lives(t)
	if l := lives[ids[0]]; l.Operator != clade.OperatorManual || l.Name != "v1" || h.Count != 3 {
		t.Errorf("%+v", l)
	}
}

// Two processes that claim at the same time get different attempts.
func TestTwoProcessesClaim(t *testing.T) {
	t.Parallel()
	r, dir := handed(t, 2)
	r.launched(t, ErrHands)
	out := make(chan []byte, 2)
	for _, who := range []string{"ada", "bob"} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=claim %s %s %s 1", handVar, dir, r.Name, who))
		go func() {
			text, err := cmd.CombinedOutput()
			if err != nil {
				text = append(text, err.Error()...)
			}
			out <- text
		}()
	}
	got := []string{strings.TrimSpace(string(<-out)), strings.TrimSpace(string(<-out))}
	slices.Sort(got)
	if !slices.Equal(got, []string{"2", "3"}) {
		t.Errorf("claimed %q", got)
	}
	lives, _ := r.lives(t)
	if a, b := lives[2].Hand, lives[3].Hand; a == b || a == "" || b == "" {
		t.Errorf("held by %q and %q", a, b)
	}
}

// E21: somebody hands in, from another process, what he holds while this one
// searches: it is measured without a new launch. The operator ends only then.
func TestHandInWhileItIsSearched(t *testing.T) {
	t.Parallel()
	gate := filepath.Join(t.TempDir(), "gate")
	r, dir := handed(t, 2, clade.Operator{Use: "command", Name: "grow", Role: clade.RolePropose,
		Command: clade.Command{Run: "cat >/dev/null; cat " + gate + " >n.txt"}})
	if err := exec.Command("mkfifo", gate).Run(); err != nil {
		t.Skip(err)
	}
	if err := r.Launch(t.Context(), Launch{Hands: true}); !errors.Is(err, ErrHands) {
		t.Fatal(err)
	}
	ids := r.claimed(t, "ada", 1, time.Time{})
	searched := make(chan error, 1)
	other, err := New(workshop(dir, nil)).openAt(t.Context(), store.Located{Run: r.Name, State: r.State}, false)
	if err != nil {
		t.Fatal(err)
	}
	go func() { searched <- errors.Join(other.Launch(t.Context(), Launch{}), other.Close()) }()
	until := func(what func(v clade.View) bool) {
		t.Helper()
		for at, done := int64(0), false; !done; {
			if err := r.log.Wait(t.Context(), at); err != nil {
				t.Fatal(err)
			}
			if err := r.View(t.Context(), func(v clade.View) error { at, done = v.Head().Seq, what(v); return nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
	until(func(v clade.View) bool { return v.Life(3).Running }) // the operator is at work on the other one
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=hand %s %s %d 60", handVar, dir, r.Name, ids[0]))
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	until(func(v clade.View) bool { return v.Life(ids[0]).Scored })
	if lives, _ := r.lives(t); !lives[3].Running {
		t.Errorf("the operator did not work meanwhile: %+v", lives[3])
	}
	if err := os.WriteFile(gate, []byte("50\n"), 0o644); err != nil { // opens when it is read
		t.Fatal(err)
	}
	if err := <-searched; err != nil {
		t.Fatal(err)
	}
	lives, h := r.lives(t)
	if h.Winner != ids[0] || lives[ids[0]].Score != 60 || lives[3].Score != 50 {
		t.Errorf("%s: %s", h.Stop, h.Reason)
	}
}

// E25: whoever hands in dies at any step of it: he still holds the attempt and hands
// in again, or it is handed in. Nothing but the commit is lost.
func TestE25KilledWhileHandingIn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	r, dir := handed(t, 2)
	r.launched(t, ErrHands)
	ids := r.claimed(t, "ada", 1, time.Time{})
	hand := func(plan string) string {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=hand %s %s %d 60", handVar, dir, r.Name, ids[0]), crash.Variable+"="+plan)
		text, err := cmd.CombinedOutput()
		var died *exec.ExitError
		if errors.As(err, &died) && died.ExitCode() == -1 {
			return "killed"
		}
		return string(text)
	}
	for _, plan := range []string{"commit:before:1", "commit:after:1", "sync:before:1", "sync:after:1", "proposed:before:1"} {
		if got := hand(plan); got != "killed" {
			t.Fatalf("%s: %q", plan, got)
		}
		lives, _ := r.lives(t)
		if l := lives[ids[0]]; l.Commit != "" || l.Hand != "ada" || !l.Running {
			t.Fatalf("%s: %+v", plan, l)
		}
		if bad, err := r.Check(t.Context()); err != nil || len(bad) > 0 {
			t.Fatalf("%s: check: %v, %v", plan, bad, err)
		}
	}
	if got := hand("proposed:after:1"); got != "killed" {
		t.Fatal(got)
	}
	if got := hand(""); !strings.Contains(got, "held by nobody outside") {
		t.Errorf("handed in again: %q", got)
	}
	for _, id := range r.claimed(t, "bob", 1, time.Time{}) {
		if err := r.HandIn(t.Context(), id, baseOf(t.Context(), r), number("5"), "five"); err != nil {
			t.Fatal(err)
		}
	}
	r.launched(t, nil)
	lives, h := r.lives(t)
	if h.Winner != ids[0] || lives[h.Winner].Score != 60 {
		t.Errorf("%s: %s", h.Stop, h.Reason)
	}
}

// E29: what is offered is in use before it is planned: no collection takes it.
func TestE29OffersAreKept(t *testing.T) {
	t.Parallel()
	r, _ := handed(t, 2)
	made, err := r.Commit(t.Context(), baseOf(t.Context(), r), number("3"), "three")
	if err != nil {
		t.Fatal(err)
	}
	if refs, err := r.refs(t.Context()); err != nil || len(refs) != 1 {
		t.Errorf("before the offer: %v, %v", refs, err)
	}
	if err := r.Offer(t.Context(), []clade.Adopted{{Name: "v1", Given: &made}}); err != nil {
		t.Fatal(err)
	}
	refs, err := r.refs(t.Context())
	if err != nil || len(refs) != 2 || refs["refs/clade/"+r.Name+"/"+made.Commit] != made.Commit {
		t.Errorf("after it: %v, %v", refs, err)
	}
}

// A key that slips into what somebody says of his work is not kept.
func TestHandInTellsNoSecret(t *testing.T) {
	secret := "planted-" + strings.Repeat("9", 12)
	t.Setenv("CLADE_TEST_HAND_KEY", secret)
	r, _ := handed(t, 1)
	_, h := r.lives(t)
	h.Spec.Gates[0].Command.Pass = []string{"CLADE_TEST_HAND_KEY"}
	if err := r.Update(t.Context(), func(tx Tx) error { return tx.Append(clade.Amended{Spec: h.Spec, What: "gate"}) }); err != nil {
		t.Fatal(err)
	}
	made, err := r.Commit(t.Context(), baseOf(t.Context(), r), number("3"), "with "+secret)
	if err != nil || made.Summary != "with [secret]" {
		t.Errorf("%+v, %v", made, err)
	}
}
