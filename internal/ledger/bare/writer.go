package bare

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/git"
)

// record gives a commit to the writer and checks the id that it reports. If the
// writer has died, another is told everything that is pending. l.mu is held.
func (l *Ledger) record(p *plan) error {
	err := l.give(p)
	if errors.Is(err, git.ErrEnded) {
		if err = l.revive(); err == nil {
			err = l.give(p)
		}
	}
	return err
}

// give is record with the writer as it is.
func (l *Ledger) give(p *plan) error {
	if l.closed {
		return errClosed
	}
	if l.writer == nil {
		w, err := l.repo.FastImport()
		if err != nil {
			return err
		}
		l.writer = w
	}
	l.next++
	got, err := l.writer.Make(l.next, func(w io.Writer) error { return p.write(w, l.next, l.called) })
	if err != nil {
		return err
	}
	if want := p.commit.String(); got != want {
		l.writer.Kill() // it holds what it should not
		return fmt.Errorf("git made commit %s and not %s", got, want)
	}
	l.marks[p.commit] = l.next
	return nil
}

// called is what the writer knows a commit by.
func (l *Ledger) called(commit oid) string {
	if mark, ok := l.marks[commit]; ok {
		return ":" + strconv.Itoa(mark)
	}
	return commit.String()
}

// revive replaces a writer that has died by one that knows what it knew. What
// the dead one left half written goes first: the disk may be full of it.
func (l *Ledger) revive() error {
	if l.writer != nil {
		l.writer.Kill()
	}
	l.writer, l.next = nil, 0
	clear(l.marks)
	if err := l.sweepIfAlone(); err != nil {
		return fmt.Errorf("cleaning up after fast-import: %w", err)
	}
	for _, p := range l.pending {
		if err := l.give(p); err != nil {
			return fmt.Errorf("telling a new fast-import what the last one knew: %w", err)
		}
	}
	return nil
}

func (l *Ledger) sweepIfAlone() error {
	if !l.beside.TryLock() {
		return nil
	}
	defer l.beside.Unlock()
	return l.lock.IfAlone(func() error { _, err := sweep(l.dir); return err })
}

// flush puts everything pending on disk. l.mu is held.
func (l *Ledger) flush() error {
	if len(l.pending) == 0 {
		return nil
	}
	if l.closed {
		return errClosed
	}
	err := l.checkpoint()
	if errors.Is(err, git.ErrEnded) {
		if err = l.revive(); err == nil {
			err = l.checkpoint()
		}
	}
	if err != nil {
		return fmt.Errorf("syncing the ledger: %w", err)
	}
	l.pending, l.weight = nil, 0
	clear(l.marks)
	l.flightMu.Lock()
	clear(l.flight)
	l.flightMu.Unlock()
	l.trees.unpin()
	return nil
}

func (l *Ledger) checkpoint() error {
	err := l.writer.Tell(func(w io.Writer) error {
		_, err := io.WriteString(w, "reset "+branch+"\n")
		return err
	})
	if err == nil {
		err = l.writer.Checkpoint()
	}
	if err != nil {
		return err
	}
	return atomicfile.SyncDir(l.packs())
}

// heavy reports whether too much is held in memory until the next flush.
func (l *Ledger) heavy() bool { return l.trees.pinnedBytes()+int64(l.weight) > pendingBytes }
