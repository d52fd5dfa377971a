package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/door/run"
)

// A display shows a search while it runs.
type display interface {
	step(string)
	progress(clade.View)
	close()
}

// display picks the live one on a terminal, JSON lines with --json, else plain
// lines.
func (e *env) display(name string, after int64) display {
	switch {
	case e.json:
		return e.newEvents(name, after)
	case !e.plain && isTerminal(e.Stdout) && isTerminal(e.Stderr):
		return newLive(e.Stdout)
	}
	return &lines{w: e.Stderr}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(f.Fd())
}

// lines prints a line when there is something new, and at least every few
// seconds while the search goes on.
type lines struct {
	w    io.Writer
	mu   sync.Mutex
	best clade.ID
	base bool
	next time.Time
}

const quiet = 5 * time.Second

func (l *lines) step(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.w, "%s\n", text)
}

func (l *lines) progress(v clade.View) {
	h := v.Head()
	l.mu.Lock()
	defer l.mu.Unlock()
	base := v.Life(clade.Base)
	if !l.base && base.Scored {
		l.base = true
		fmt.Fprintf(l.w, "baseline %s\n", values(h.Spec.Measures, base.Values))
	}
	best, trouble := v.Life(h.Best), run.TroubleOf(v)
	switch {
	case h.Best != l.best && best.Scored:
		l.best = h.Best
		fmt.Fprintf(l.w, "%5d/%d  best %s by %d: %s\n", h.Closed, h.Spec.Budget.Candidates, values(h.Spec.Measures, best.Values), best.ID, printable(best.Summary))
	case time.Now().Before(l.next):
		return
	case trouble != nil:
		fmt.Fprintf(l.w, "%5d/%d  %s\n", h.Closed, h.Spec.Budget.Candidates, printable(trouble.String()))
	default:
		fmt.Fprintf(l.w, "%5d/%d  %d usable\n", h.Closed, h.Spec.Budget.Candidates, h.Usable)
	}
	l.next = time.Now().Add(quiet)
}

func (l *lines) close() {}

// values are a candidate's numbers in the order of the measures.
func values(measures []clade.Measure, vs map[string]float64) string {
	text := ""
	for _, m := range measures {
		v, ok := vs[m.ID]
		if !ok {
			continue
		}
		if text != "" {
			text += "  "
		}
		text += m.ID + " " + run.Number(v)
		if m.Unit != "" {
			text += " " + m.Unit
		}
	}
	return text
}

// line writes v as one line of JSON.
func (e *env) line(v any) error {
	enc := json.NewEncoder(e.Stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// events prints the run's log as JSON lines while it grows.
type events struct {
	*env
	stop context.CancelFunc
	done chan struct{}
}

func (e *env) newEvents(name string, after int64) *events {
	ctx, stop := context.WithCancel(context.Background())
	ev := &events{env: e, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(ev.done)
		d, err := e.door()
		if err != nil {
			return
		}
		// An error here is the reader's: the search goes on without one.
		_ = d.Tail(ctx, name, after, func(en run.Entry) error {
			return e.event("log", en)
		})
	}()
	return ev
}

func (ev *events) step(text string)    { ev.told(text) }
func (ev *events) progress(clade.View) {}

// close waits until all is printed that was recorded.
func (ev *events) close() {
	ev.stop()
	<-ev.done
}

// told says what is being done for a search, before there is a display and where
// there is none.
func (e *env) told(text string) {
	if e.json {
		_ = e.event("step", map[string]string{"text": text}) // it has a reader, or the search goes on without one
		return
	}
	fmt.Fprintf(e.Stderr, "%s\n", text)
}

// event writes an object told during a search as one line of JSON, with the
// kind of event as its first key.
func (e *env) event(kind string, object any) error {
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Stdout, "{\"event\":%q,%s\n", kind, body[1:])
	return err
}
