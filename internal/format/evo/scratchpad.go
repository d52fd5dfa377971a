package evo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/policy/frontier"
)

// A Board is what the scratchpad is made of.
type Board struct {
	Config      *Config
	Graph       *Graph
	Annotations []Annotation // oldest first
	Events      []Event      // oldest first
	Strategy    frontier.Strategy
	Frontier    []*Node // in the strategy's order; with seed 0, so that it does not shuffle
	Command     string  // what the reader calls the program; "": evo
}

// ScratchpadSize is the most bytes that a scratchpad has, whatever the tree.
const ScratchpadSize = 16 << 10

// How many entries sections show, and how many characters of what is long.
const (
	mostFrontier    = 50
	mostAwaiting    = 10
	mostRecent      = 25
	mostAnnotations = 15
	mostDiscards    = 15
	mostEvents      = 8
	mostNotes       = 20
	recentEvaluated = 20 // of the newest, those that are evaluated stay in sight
	gateNodes       = 10 // frontier nodes whose gates are shown
	hypothesisCut   = 120
	textCut         = 240
)

// Bytes that sections may fill; what one leaves, the next ones have.
const (
	statusRoom      = 400
	treeRoom        = 4600
	frontierRoom    = 2000
	awaitingRoom    = 1200
	gatesRoom       = 700
	recentRoom      = 1700
	annotationsRoom = 1400
	discardsRoom    = 1200
	eventsRoom      = 700
	notesRoom       = 1200
)

// Scratchpad is the state of the search on one page, for an agent: never more
// than ScratchpadSize bytes, however many experiments there are and however deep
// they lie.
func (b *Board) Scratchpad() string {
	s := &scratch{Board: b, lineage: b.Graph.Lineage(), spine: map[string]bool{}}
	s.look()
	s.page.WriteString("# Scratchpad\n")
	s.status()
	s.tree()
	s.frontier()
	s.awaiting()
	s.gates()
	s.recent()
	s.annotations()
	s.discards()
	s.events()
	s.notes()
	s.page.WriteString(strings.ReplaceAll(drillDowns, "  evo ", "  "+s.command()+" "))
	return s.page.String()
}

// drillDowns tells where there is more.
const drillDowns = `
## Drill-downs
  evo show <id>             all of one experiment
  evo tree                  every experiment
  evo path <id>             from the root to one
  evo diff <id> [<other>]   what it changed
  evo traces <id> [<task>]  what happened in its tasks
  evo awaiting              not kept, not decided
  evo discards [--like S]   given up
  evo annotations           what was found; also notes, infra log
  evo frontier              where to branch from
`

// A scratch is a page in the making.
type scratch struct {
	*Board
	page    page
	lineage Lineage
	kids    map[string][]string
	newest  []*Node // all experiments, the one that changed last first
	best    *Node
	spine   map[string]bool
	epoch   int // the epoch that all share, 0 if they do not
}

func (s *scratch) command() string { return cmp.Or(s.Command, "evo") }

func (s *scratch) look() {
	s.kids, s.newest = s.lineage.kids(), slices.Clone(s.lineage.order)
	newestFirst(s.newest)
	if s.best = s.lineage.Best(s.Config.Metric, s.Config.EpochNow()); s.best != nil {
		for _, n := range s.Graph.Path(s.best.ID) {
			s.spine[n.ID] = true
		}
	}
	for _, n := range s.newest {
		if n.Epoch == nil {
			continue
		}
		if s.epoch != 0 && s.epoch != *n.Epoch {
			s.epoch = 0
			break
		}
		s.epoch = *n.Epoch
	}
}

// in are the nodes of a status, the one that changed last first.
func (s *scratch) in(status Status) []*Node {
	var out []*Node
	for _, n := range s.newest {
		if n.Status == status {
			out = append(out, n)
		}
	}
	return out
}

func (s *scratch) status() {
	var best *float64
	if s.best != nil {
		best = s.best.Score
	}
	active := len(s.in(Active))
	line := fmt.Sprintf("- metric=%s best=%s total=%d %dc/%de/%dd/%da", s.Config.Metric, orNone(best), len(s.newest),
		len(s.in(Committed)), len(s.in(Evaluated)), len(s.in(Discarded)), active)
	if e := s.Config.EpochNow(); e != 1 {
		line += fmt.Sprintf(" e%d", e)
	}
	lines := []string{line}
	if active > 0 {
		lines = append(lines, fmt.Sprintf("- %d active worker(s)", active))
	}
	s.page.section("## Status", statusRoom, lines, 2, "")
}

func (s *scratch) frontier() {
	label := s.Strategy.Kind
	for _, p := range StrategyValue(s.Strategy).Sorted().Get("params").Pairs() {
		label += " " + p.Key + "=" + p.Value.raw
	}
	var lines []string
	for _, n := range s.Frontier {
		lines = append(lines, strings.TrimRight("- "+n.ID+" "+orNone(n.Score)+s.epochOf(n)+" "+short(n.Hypothesis, hypothesisCut), " "))
	}
	s.page.section("## Frontier (strategy: "+label+")", frontierRoom, lines, mostFrontier, s.command()+" frontier")
}

// epochOf is a node's epoch where not all have the same.
func (s *scratch) epochOf(n *Node) string {
	if n.Epoch == nil || *n.Epoch == s.epoch {
		return ""
	}
	return fmt.Sprintf(" e%d", *n.Epoch)
}

func (s *scratch) awaiting() {
	var lines []string
	for _, n := range s.in(Evaluated) {
		line := fmt.Sprintf("- %s %s a%d", n.ID, orNone(n.Score), n.Evaluated)
		if len(n.GateFailures) > 0 {
			line += " gate_failed=['" + strings.Join(n.GateFailures, "', '") + "']"
		}
		lines = append(lines, strings.TrimRight(line+" "+short(n.Hypothesis, hypothesisCut), " "))
	}
	s.page.section("## Awaiting Decision", awaitingRoom, lines, mostAwaiting, s.command()+" awaiting")
}

func (s *scratch) gates() {
	var lines []string
	seen := map[string]bool{}
	add := func(g Gate, where string) {
		if !seen[g.Name] {
			seen[g.Name] = true
			lines = append(lines, "- "+short(g.Name, hypothesisCut)+" ("+where+"): "+short(g.Command, hypothesisCut))
		}
	}
	for _, g := range s.Graph.Nodes[RootID].Gates {
		add(g, "root")
	}
	for _, n := range s.Frontier[:min(gateNodes, len(s.Frontier))] {
		for _, g := range s.Graph.EffectiveGates(n.ID) {
			add(g.Gate, "tree")
		}
	}
	s.page.section("## Gates", gatesRoom, lines, len(lines), s.command()+" gate list <id>")
}

// recent is left out where the tree shows everything anyway.
func (s *scratch) recent() {
	if len(s.newest) <= mostRecent {
		return
	}
	var lines []string
	for _, n := range s.newest[:mostRecent] {
		lines = append(lines, strings.TrimRight("- "+n.ID+" ← "+cmp.Or(s.Graph.parent(n.ID), RootID)+" "+n.letter()+" "+
			orNone(n.Score)+" "+short(n.Hypothesis, hypothesisCut), " "))
	}
	s.page.section("## Recent Experiments", recentRoom, lines, mostRecent, s.command()+" tree")
}

// annotations are the latest of each branch and task.
func (s *scratch) annotations() {
	type key struct{ branch, task string }
	latest := map[key]Annotation{}
	var order []key
	branches := s.branches()
	for _, a := range s.Annotations {
		k := key{cmp.Or(branches[a.ExperimentID], "unknown"), "global"}
		if a.TaskID != nil && *a.TaskID != "" {
			k.task = *a.TaskID
		}
		was, ok := latest[k]
		if !ok {
			order = append(order, k)
		}
		if !ok || a.Timestamp >= was.Timestamp {
			latest[k] = a
		}
	}
	slices.SortStableFunc(order, func(a, b key) int { return cmp.Compare(latest[b].Timestamp, latest[a].Timestamp) })
	var lines []string
	for _, k := range order {
		a := latest[k]
		lines = append(lines, fmt.Sprintf("- %s/%s (%s): %s", k.branch, short(k.task, hypothesisCut), a.ExperimentID, short(a.Analysis, textCut)))
	}
	s.page.section("## Annotations", annotationsRoom, lines, mostAnnotations, s.command()+" annotations")
}

// branches are, for each node, the child of the root that it descends from.
func (s *scratch) branches() map[string]string {
	out := map[string]string{RootID: RootID}
	for _, top := range s.kids[RootID] {
		for stack := []string{top}; len(stack) > 0; {
			id := stack[len(stack)-1]
			stack = append(stack[:len(stack)-1], s.kids[id]...)
			out[id] = top
		}
	}
	return out
}

// discards are what was given up, the same told once.
func (s *scratch) discards() {
	count, last := map[string]int{}, map[string]string{}
	var order []string
	for _, n := range s.lineage.order {
		if n.Status != Discarded {
			continue
		}
		key := strings.ToLower(oneLine(n.Hypothesis))
		if count[key]++; count[key] == 1 {
			order = append(order, key)
		}
		last[key] = n.Hypothesis
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	var lines []string
	for _, key := range order {
		line := "- " + short(last[key], textCut)
		if count[key] > 1 {
			line += fmt.Sprintf(" (x%d)", count[key])
		}
		lines = append(lines, line)
	}
	s.page.section("## What Not To Try", discardsRoom, lines, mostDiscards, s.command()+" discards")
}

func (s *scratch) events() {
	var lines []string
	for _, e := range s.Events[max(0, len(s.Events)-mostEvents):] {
		line := "- " + e.When() + ": " + short(e.What(), textCut)
		if e.Breaking != nil && *e.Breaking {
			line += " (breaking)"
		}
		lines = append(lines, line)
	}
	s.page.section("## Infrastructure Log", eventsRoom, lines, mostEvents, s.command()+" infra log")
}

func (s *scratch) notes() {
	var lines []string
	for _, n := range s.Graph.AllNotes() {
		where := "workspace"
		if n.ExpID != nil {
			where = *n.ExpID
		}
		if strings.TrimSpace(n.Text) != "" {
			lines = append(lines, "- ["+where+" / "+n.Timestamp+"] "+short(n.Text, textCut))
		}
	}
	s.page.section("## Notes (for all who come after)", notesRoom, lines, mostNotes, s.command()+" notes")
}

// A page is written section by section, each within its room.
type page struct {
	strings.Builder
	room int // where the sections so far must end
}

// Parts of a section's room that are not for lines.
const (
	longestLine = 400 // bytes
	footerRoom  = 64  // bytes
)

// section writes a heading and lines, the first most of them and no more than
// there is room for, and says how many were left out and where they are. Without
// lines there is no section, and its room is the next one's.
func (p *page) section(heading string, room int, lines []string, most int, more string) {
	p.room = max(p.room, p.Len()) + room
	if len(lines) == 0 {
		return
	}
	p.WriteString("\n" + cutBytes(heading, longestLine) + "\n")
	shown := 0
	for _, line := range lines[:min(most, len(lines))] {
		line = cutBytes(line, longestLine)
		if p.Len()+len(line)+1+footerRoom > p.room {
			break
		}
		p.WriteString(line + "\n")
		shown++
	}
	if left := len(lines) - shown; left > 0 && more != "" {
		fmt.Fprintf(p, "(+%d more — see `%s`)\n", left, more)
	}
}

// short is text on one line of at most so many characters.
func short(s string, most int) string {
	s = oneLine(s)
	if len(s) <= most {
		return s
	}
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-3]) + "..."
}

// cutBytes is s in at most so many bytes, whole characters.
func cutBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := 0
	for i := range s {
		if i > most-3 {
			break
		}
		end = i
	}
	return s[:end] + "…"
}
