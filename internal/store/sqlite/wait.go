package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// poll is how often another process's commits are looked for.
const poll = 50 * time.Millisecond

var errClosed = errors.New("the log is closed")

// announce wakes everybody in this process who waits on this Log.
func (l *Log) announce() {
	l.wakeMu.Lock()
	defer l.wakeMu.Unlock()
	close(l.wake)
	l.wake = make(chan struct{})
}

func (l *Log) nextCommit() <-chan struct{} {
	l.wakeMu.Lock()
	defer l.wakeMu.Unlock()
	return l.wake
}

// Wait implements store.Log. Other processes' commits are found by polling
// SQLite's data_version, which reads one word of shared memory.
func (l *Log) Wait(ctx context.Context, after int64) error {
	s, err := l.reader(ctx)
	if err != nil {
		return problem(l.path, err)
	}
	defer l.release(s)
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		wake := l.nextCommit()
		var version, last int64
		if err := s.row("PRAGMA data_version").Scan(&version); err != nil {
			return problem(l.path, fmt.Errorf("read data_version: %w", err))
		}
		if err := s.row("SELECT coalesce(max(seq), 0) FROM events").Scan(&last); err != nil {
			return problem(l.path, fmt.Errorf("read the log's end: %w", err))
		}
		if last > after {
			return nil
		}
		if err := l.changed(ctx, s, version, wake, tick.C); err != nil {
			return err
		}
	}
}

// changed returns when the file may have changed since version.
func (l *Log) changed(ctx context.Context, s *session, version int64, wake <-chan struct{}, tick <-chan time.Time) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.closed:
			return errClosed
		case <-wake:
			return nil
		case <-tick:
		}
		var is int64
		if err := s.row("PRAGMA data_version").Scan(&is); err != nil {
			return problem(l.path, fmt.Errorf("read data_version: %w", err))
		}
		if is != version {
			return nil
		}
	}
}
