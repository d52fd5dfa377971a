package cli

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"charm.land/bubbles/v2/progress"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/door/run"
)

// live is the display on a terminal. The search leaves its state here after
// every turn; the screen looks at it ten times a second.
type live struct {
	program *tea.Program
	latest  atomic.Pointer[run.Status]
	done    chan struct{}
}

const (
	frame   = 100 * time.Millisecond
	topRows = 5
)

func newLive(w io.Writer) *live {
	l := &live{done: make(chan struct{})}
	// Signals stay with the command: Ctrl-C means drain, not quit. There is no
	// input, so the terminal keeps its modes and needs no restoring.
	l.program = tea.NewProgram(&screen{latest: &l.latest, bar: progress.New(progress.WithWidth(40), progress.WithFillCharacters('█', '░')), start: time.Now()},
		tea.WithOutput(w), tea.WithInput(nil), tea.WithoutSignalHandler())
	go func() {
		defer close(l.done)
		_, _ = l.program.Run()
	}()
	return l
}

func (l *live) step(text string) { l.program.Send(stepMsg(text)) }

func (l *live) progress(v clade.View) { l.latest.Store(run.Summarise(v, topRows)) }

// close wipes the display: the report that follows says it all.
func (l *live) close() {
	l.program.Send(overMsg{})
	<-l.done
}

type (
	stepMsg string
	tickMsg struct{}
	overMsg struct{}
)

// screen is what live shows.
type screen struct {
	latest *atomic.Pointer[run.Status]
	bar    progress.Model
	start  time.Time
	step   string
	s      *run.Status
	scores []float64 // best score so far, one per report in which it changed
	width  int       // 0: not known yet
	height int
	over   bool
}

func tick() tea.Cmd { return tea.Tick(frame, func(time.Time) tea.Msg { return tickMsg{} }) }

// Init implements tea.Model.
func (m *screen) Init() tea.Cmd { return tick() }

// Update implements tea.Model.
func (m *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tickMsg:
		m.take(m.latest.Load())
		return m, tick()
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case stepMsg:
		m.step = string(msg)
	case overMsg:
		m.over = true
		return m, tea.Quit
	}
	return m, nil
}

func (m *screen) take(s *run.Status) {
	if s == nil {
		return
	}
	m.s = s
	if b := s.Best; b != nil && b.Score != nil && (len(m.scores) == 0 || m.scores[len(m.scores)-1] != *b.Score) {
		m.scores = append(m.scores, *b.Score)
	}
}

var (
	bold  = lipgloss.NewStyle().Bold(true)
	faint = lipgloss.NewStyle().Faint(true)
	bad   = lipgloss.NewStyle().Foreground(lipgloss.Red)
	good  = lipgloss.NewStyle().Foreground(lipgloss.Green)
)

// View implements tea.Model.
func (m *screen) View() tea.View {
	if m.over {
		return tea.NewView("")
	}
	lines := m.lines()
	if m.height > 0 && len(lines) > m.height {
		lines = lines[:m.height]
	}
	if m.width > 0 {
		for i, l := range lines {
			lines[i] = ansi.Truncate(l, m.width, "…")
		}
	}
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen = true // a screen of its own survives every change of size, and leaves the person's as it was
	return v
}

func (m *screen) lines() []string {
	took := faint.Render(time.Since(m.start).Truncate(time.Second).String())
	if m.s == nil {
		return []string{took + "  " + m.step}
	}
	s := m.s
	done := float64(s.Judged) / float64(max(1, s.Budget.Candidates))
	out := []string{
		fmt.Sprintf("%s  %s  %s", bold.Render(s.Run), took, printable(s.Objective)),
		fmt.Sprintf("%s  %d of %d judged, %d usable", m.bar.ViewAs(min(1, done)), s.Judged, s.Budget.Candidates, s.Usable),
	}
	if s.Base.Score != nil {
		out = append(out, "baseline  "+values(s.Measures, s.Base.Values))
	}
	if s.Best != nil {
		out = append(out, fmt.Sprintf("best      %s  by %d: %s", good.Render(values(s.Measures, s.Best.Values)), s.Best.ID, printable(s.Best.Summary)))
		out = append(out, fmt.Sprintf("          %s  %s", spark(m.scores, 40), faint.Render("selected, so biased; the final measures afresh")))
	}
	for _, line := range accounts(s) {
		out = append(out, "spent     "+strings.TrimPrefix(line, "spent "))
	}
	if s.Trouble != nil {
		out = append(out, bad.Render(printable(s.Trouble.String())))
	}
	for _, r := range s.Open {
		if r.Status == "running" {
			out = append(out, fmt.Sprintf("%s %4d  %s", faint.Render("trying"), r.ID, printable(oneLine(r.Why))))
		}
	}
	if out = append(out, faint.Render(m.step)); len(s.Top) > 1 {
		var b strings.Builder
		printRows(&b, s.Measures, s.Top)
		out = append(append(out, ""), strings.Split(strings.TrimRight(b.String(), "\n"), "\n")...)
	}
	return out
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

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
