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

// isTerminal reports whether a reader or writer is a terminal.
func isTerminal(rw any) bool {
	f, ok := rw.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(f.Fd())
}

// lines prints a line when there is something new, and at least every few
// seconds while the search goes on.
type lines struct {
	w     io.Writer
	mu    sync.Mutex
	base  bool       // the baseline was printed
	best  clade.Life // the best that was printed last; the base: none
	epoch int        // of both
	next  time.Time
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
	if base := v.Life(clade.Base); base.Scored && (!l.base || base.Epoch != l.epoch) {
		l.base, l.epoch, l.best = true, base.Epoch, clade.Life{}
		fmt.Fprintf(l.w, "baseline %s\n", values(h.Spec.Measures, base.Values))
	}
	news, trouble := l.better(v), run.TroubleOf(v)
	switch {
	case news != "":
	case time.Now().Before(l.next):
		return
	case trouble != nil:
		news = printable(trouble.String())
	default:
		news = fmt.Sprintf("%d usable", h.Usable)
	}
	fmt.Fprintf(l.w, "%5d/%d  %s\n", heard(v), h.Spec.Budget.Candidates, news)
	l.next = time.Now().Add(quiet)
}

// better says what is new of the best, "" if nothing is. One that comes in late
// and is as good goes first where it is older, and says so.
func (l *lines) better(v clade.View) string {
	h := v.Head()
	best, was := v.Life(h.Best), l.best
	if h.Best == clade.Base || !best.Scored || best.ID == was.ID && best.Score == was.Score {
		return ""
	}
	l.best = *best
	by := fmt.Sprint(best.ID)
	switch {
	case was.ID == clade.Base || best.Score > was.Score:
	case best.Score == was.Score:
		by = fmt.Sprintf("%d, as good as %d and older", best.ID, was.ID)
	case best.ID == was.ID:
		by += ", measured again"
	default:
		by = fmt.Sprintf("%d, since %d was worse when it was measured again", best.ID, was.ID)
	}
	return fmt.Sprintf("best %s by %s: %s", values(h.Spec.Measures, best.Values), by, printable(best.Summary))
}

// heard counts the candidates that came back: a search that decides on many at
// once has judged none of them for a while.
func heard(v clade.View) int {
	n := v.Head().Closed
	for _, id := range v.Unjudged() {
		if l := v.Life(id); l.Open && l.Proposes() {
			n++
		}
	}
	return n
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
