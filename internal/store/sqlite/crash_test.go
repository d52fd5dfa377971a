package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/store"
	"github.com/cladehq/clade/internal/store/sqlite"
)

// helperVar makes the test binary play another process: "what dir seed".
const helperVar = "CLADE_STORE_TEST_HELPER"

func runHelper() bool {
	args := strings.Fields(os.Getenv(helperVar))
	if len(args) == 0 {
		return false
	}
	seed, _ := strconv.ParseUint(args[2], 10, 64)
	if err := map[string]func(dir string, seed uint64) error{
		"write": helpWrite, "hold": helpHold, "status": helpStatus, "nothing": func(string, uint64) error { return nil },
	}[args[0]](args[1], seed); err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	return true
}

// helpWrite appends for ever and says at each step where it is; after "done" it
// tells the last record that is durable.
func helpWrite(dir string, seed uint64) error {
	s, err := sqlite.New(dir)
	if err != nil {
		return err
	}
	ctx := context.Background()
	h := history{rng: rand.New(rand.NewPCG(seed, 2))}
	for {
		l, err := s.Open(ctx, "r", h.rng.IntN(2) == 0)
		if err != nil {
			return err
		}
		for range 20 {
			var last int64
			if err := l.Update(ctx, func(tx store.Tx) error {
				fmt.Println("begun")
				for range 1 + h.rng.IntN(5) {
					if err := tx.Append(h.next(tx.View())); err != nil {
						return err
					}
				}
				last = tx.View().Head().Seq
				err := errors.Join(tx.Pend(ledger.Made{Commit: fmt.Sprint("c", last), Stream: make([]byte, 20<<10)}),
					tx.Keep(store.Kept{Key: evaluate.Key{Attempt: 1, Check: fmt.Sprint(last)}}))
				fmt.Println("appended")
				return err
			}); err != nil {
				return err
			}
			fmt.Println("done", last)
		}
		if err := l.Close(); err != nil {
			return err
		}
		fmt.Println("closed")
	}
}

func helpHold(dir string, _ uint64) error {
	s, err := sqlite.New(dir)
	if err != nil {
		return err
	}
	lease, h, err := s.Lease(context.Background(), "r")
	if err != nil {
		return err
	}
	fmt.Println("holding", h.PID)
	_, err = io.Copy(io.Discard, os.Stdin) // until the parent closes it
	return errors.Join(err, lease.Release())
}

// folder is the store's own.
func folder(s *sqlite.Store) string { return filepath.Dir(filepath.Dir(s.Dir("r"))) }

// A helper is another process of this test's binary.
type helper struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startHelper(t *testing.T, what string, s *sqlite.Store, seed uint64) *helper {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d", helperVar, what, folder(s), seed), "GOMAXPROCS=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &helper{cmd, in, bufio.NewScanner(out)}
}

func (h *helper) line(t *testing.T) string {
	t.Helper()
	if !h.out.Scan() || strings.HasPrefix(h.out.Text(), "error") {
		t.Fatalf("the helper ended: %q, %v", h.out.Text(), h.out.Err())
	}
	return h.out.Text()
}

// kill ends the helper with SIGKILL and returns what it still said.
func (h *helper) kill(t *testing.T) (rest []string) {
	t.Helper()
	if err := h.cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	for h.out.Scan() {
		rest = append(rest, h.out.Text())
	}
	_ = h.cmd.Wait() // killed, as asked
	return rest
}

// F1, B5: a process killed at any point of writing leaves a log that opens, has
// every record that was reported durable and no gap, and projections that are
// its fold. 50 seeded kills, each after a drawn number of steps.
func TestKilledWriters(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	if err := create(t, s, "r").Close(); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	for kill := range 50 {
		h := startHelper(t, "write", s, uint64(kill))
		said := []string{}
		for range 1 + rng.IntN(24) {
			said = append(said, h.line(t))
		}
		said = append(said, h.kill(t)...)
		checkSurvivor(t, s, kill, lastDone(said))
	}
}

func lastDone(lines []string) (last int64) {
	for _, line := range lines {
		if n, ok := strings.CutPrefix(line, "done "); ok {
			last, _ = strconv.ParseInt(n, 10, 64)
		}
	}
	return last
}

func checkSurvivor(t *testing.T, s *sqlite.Store, kill int, durable int64) {
	t.Helper()
	l, err := s.Open(t.Context(), "r", kill%2 == 0)
	if err != nil {
		t.Fatalf("kill %d: %v", kill, err)
	}
	defer l.Close()
	sound(t, l)
	var last int64
	if err := l.Read(t.Context(), durable-1, func(r clade.Record) error { last = r.Seq; return nil }); err != nil {
		t.Fatal(err)
	}
	if last < durable {
		t.Fatalf("kill %d: the log ends at %d, %d was durable", kill, last, durable)
	}
	if _, ok, err := l.Recall(t.Context(), evaluate.Key{Attempt: 1, Check: fmt.Sprint(durable)}, false); durable > 0 && (!ok || err != nil) {
		t.Fatalf("kill %d: the sample kept with record %d is gone: %v", kill, durable, err)
	}
	made, err := l.Pending(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if durable > 0 && (len(made) == 0 || made[len(made)-1].Commit < "c") {
		t.Fatalf("kill %d: no bytes are pending", kill)
	}
}
