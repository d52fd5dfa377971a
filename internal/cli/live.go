package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"charm.land/bubbles/v2/progress"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/door/run"
)

// live is the display on a terminal. The search tells it the state after every
// turn; it takes a report at most ten times a second.
type live struct {
	program *tea.Program
	done    chan struct{}

	mu   sync.Mutex
	next time.Time
}

const frame = 100 * time.Millisecond

func newLive(w io.Writer) *live {
	l := &live{done: make(chan struct{})}
	// Signals stay with the command: Ctrl-C means drain, not quit.
	l.program = tea.NewProgram(&screen{bar: progress.New(progress.WithWidth(40)), start: time.Now()},
		tea.WithOutput(w), tea.WithInput(nil), tea.WithoutSignalHandler())
	go func() {
		defer close(l.done)
		_, _ = l.program.Run()
	}()
	return l
}

func (l *live) step(text string) { l.program.Send(stepMsg(text)) }

func (l *live) progress(v clade.View) {
	l.mu.Lock()
	due := time.Now().After(l.next)
	if due {
		l.next = time.Now().Add(frame)
	}
	l.mu.Unlock()
	if due || v.Head().Stop != clade.StopNone {
		l.program.Send(stateMsg{run.Summarise(v, 5)})
	}
}

func (l *live) close() {
	l.program.Send(tea.Quit())
	<-l.done
}

type (
	stepMsg  string
	stateMsg struct{ s *run.Status }
	tickMsg  struct{}
)

// screen is what live shows.
type screen struct {
	bar    progress.Model
	start  time.Time
	step   string
	s      *run.Status
	scores []float64 // best score so far, one per report in which it changed
	width  int
}

func tick() tea.Cmd { return tea.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{} }) }

// Init implements tea.Model.
func (m *screen) Init() tea.Cmd { return tick() }

// Update implements tea.Model.
func (m *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tickMsg:
		return m, tick()
	case tea.WindowSizeMsg:
		m.width = msg.Width
	case stepMsg:
		m.step = string(msg)
	case stateMsg:
		m.s = msg.s
		if b := msg.s.Best; b != nil && b.Score != nil && (len(m.scores) == 0 || m.scores[len(m.scores)-1] != *b.Score) {
			m.scores = append(m.scores, *b.Score)
		}
	}
	return m, nil
}

var (
	bold  = lipgloss.NewStyle().Bold(true)
	faint = lipgloss.NewStyle().Faint(true)
	good  = lipgloss.NewStyle().Foreground(lipgloss.Green)
	bad   = lipgloss.NewStyle().Foreground(lipgloss.Red)
)

// View implements tea.Model.
func (m *screen) View() tea.View {
	var b strings.Builder
	took := time.Since(m.start).Round(time.Second)
	if m.s == nil {
		fmt.Fprintf(&b, "%s %s\n", faint.Render(took.String()), m.step)
		return tea.NewView(b.String())
	}
	s := m.s
	done := float64(s.Judged) / float64(max(1, s.Budget.Candidates))
	fmt.Fprintf(&b, "%s  %s  %s\n", bold.Render(s.Run), s.Objective, faint.Render(took.String()))
	fmt.Fprintf(&b, "%s %d of %d judged, %d usable, %d running\n", m.bar.ViewAs(min(1, done)), s.Judged, s.Budget.Candidates, s.Usable, running(s))
	if s.Base.Score != nil {
		fmt.Fprintf(&b, "baseline  %s\n", values(s.Measures, s.Base.Values))
	}
	if s.Best != nil {
		fmt.Fprintf(&b, "best      %s  %s\n", good.Render(values(s.Measures, s.Best.Values)), clip(s.Best.Summary, max(20, m.width-40)))
		fmt.Fprintf(&b, "          %s %s\n", spark(m.scores, 40), faint.Render("selected during the search, so biased; the final measures afresh"))
	}
	for _, r := range s.Open {
		if r.Status == "running" {
			fmt.Fprintf(&b, "%s %d %s\n", faint.Render("running"), r.ID, clip(r.Why, max(20, m.width-20)))
		}
	}
	if s.Spent.Microdollars > 0 {
		fmt.Fprintf(&b, "spent $%s, held $%s\n", s.Spent.Microdollars, s.Held.Microdollars)
	}
	return tea.NewView(b.String())
}

func running(s *run.Status) (n int) {
	for _, r := range s.Open {
		if r.Status == "running" {
			n++
		}
	}
	return n
}

// spark draws numbers as a row of at most width bars.
func spark(xs []float64, width int) string {
	if len(xs) == 0 {
		return ""
	}
	if len(xs) > width {
		thin := make([]float64, width)
		for i := range thin {
			thin[i] = xs[(i+1)*len(xs)/width-1]
		}
		xs = thin
	}
	low, high := xs[0], xs[0]
	for _, x := range xs {
		low, high = min(low, x), max(high, x)
	}
	bars := []rune("▁▂▃▄▅▆▇█")
	out := make([]rune, len(xs))
	for i, x := range xs {
		at := len(bars) - 1
		if high > low {
			at = int((x - low) / (high - low) * float64(len(bars)-1))
		}
		out[i] = bars[at]
	}
	return string(out)
}

// clip shortens text to n runes of one line.
func clip(s string, n int) string {
	s, _, cut := strings.Cut(s, "\n")
	r := []rune(s)
	if len(r) > n {
		r, cut = r[:n-1], true
	}
	if cut {
		return string(r) + "…"
	}
	return string(r)
}
