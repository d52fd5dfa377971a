package proc

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"
)

// MarkVar is the environment variable that marks every process descending from
// one command, however it detached itself. A process that scrubs its own
// environment escapes it: only a PID namespace holds that one.
const MarkVar = "CLADE_MARK"

// A Mark is the value of MarkVar: the process that started the command, a
// slash, something unique, a slash, and where the process's number counts.
type Mark string

// NewMark makes a mark for one command of this process.
func NewMark() (Mark, error) {
	self, err := Self()
	if err != nil {
		return "", fmt.Errorf("making a mark: %w", err)
	}
	return markOf(self), nil
}

func markOf(owner Identity) Mark {
	return Mark(owner.String() + "/" + rand.Text() + "/" + space())
}

// here reports whether the owner's number means the same to this process: it
// does not when one of the two lives in a container.
func (m Mark) here() bool { return strings.HasSuffix(string(m), "/"+space()) }

// Env is the mark as an entry of an environment.
func (m Mark) Env() string { return MarkVar + "=" + string(m) }

// Owner is the process that made the mark.
func (m Mark) Owner() (Identity, error) {
	owner, _, ok := strings.Cut(string(m), "/")
	if !ok {
		return Identity{}, fmt.Errorf("parsing mark %q: no owner", m)
	}
	return Parse(owner)
}

// Orphaned reports whether the process that made the mark is known to be dead.
func (m Mark) Orphaned() bool {
	owner, err := m.Owner()
	return err == nil && m.here() && !owner.Alive()
}

// A Stray is a living process that carries a mark.
type Stray struct {
	Identity
	Mark Mark
}

// Strays lists the living processes that carry this mark. Only Linux shows
// other processes' environments; elsewhere there are none.
func (m Mark) Strays() ([]Stray, error) {
	return marked(func(found Mark) bool { return found == m })
}

// Kill ends every process that carries the mark and returns how many it found,
// when none is left. Those found are stopped before any is killed, so that a
// process that forks cannot outrun the count.
func (m Mark) Kill(ctx context.Context) (int, error) {
	return killAll(ctx, m.Strays)
}

// Orphans lists the living processes whose mark names an owner that is dead.
// This process and its own marks are never among them, nor is what was started
// in another PID namespace, whose owner cannot be looked up.
func Orphans() ([]Stray, error) {
	return marked(func(found Mark) bool {
		owner, err := found.Owner()
		return err == nil && found.here() && !owner.Alive()
	})
}

// KillOrphans ends what Orphans lists and returns how many there were.
func KillOrphans(ctx context.Context) (int, error) { return killAll(ctx, Orphans) }

func killAll(ctx context.Context, list func() ([]Stray, error)) (int, error) {
	seen := map[Identity]bool{}
	for pause := 100 * time.Microsecond; ; pause = min(2*pause, 20*time.Millisecond) {
		fresh := false
		strays, err := list()
		if err != nil || len(strays) == 0 {
			return len(seen), err
		}
		for _, s := range strays {
			if !seen[s.Identity] {
				fresh, seen[s.Identity] = true, true
				freeze(s.Identity)
			}
		}
		if fresh { // look again before anything dies and is replaced unseen
			continue
		}
		for _, s := range strays {
			_ = s.Kill() // gone, or found again by the next look
		}
		select {
		case <-ctx.Done():
			return len(seen), fmt.Errorf("killing strays: %w", context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}
