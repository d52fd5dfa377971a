package evo

import (
	"fmt"
	"strings"

	"github.com/cladehq/clade/internal/policy/frontier"
)

// CommittedLine says that an experiment was kept. parent is nil for a child of
// the root.
func CommittedLine(id string, score float64, parent *float64, metric string) string {
	line := "COMMITTED " + id + " " + Float(score)
	if parent == nil {
		return line
	}
	sign := ""
	if metric == string(frontier.Max) {
		sign = "+"
	}
	return fmt.Sprintf("%s (%s%.4f vs parent)", line, sign, score-*parent)
}

// An Unkept says why an experiment that ran was not kept.
type Unkept struct {
	ID           string
	Score        float64
	GateFailures []string
	Regressed    bool     // worse than the parent
	Tied         bool     // as good as the parent
	Parent       *float64 // the parent's score, nil if it has none
	Remaining    int      // attempts that are left
}

// Line is the line that run prints.
func (u Unkept) Line() string {
	words := []string{"EVALUATED", u.ID, "score=" + Float(u.Score)}
	if len(u.GateFailures) > 0 {
		words = append(words, "gate_failed="+strings.Join(u.GateFailures, ","))
	}
	switch {
	case u.Regressed:
		words = append(words, "score_regressed (parent="+orNone(u.Parent)+")")
	case u.Tied:
		words = append(words, "score_tied (parent="+orNone(u.Parent)+")")
	}
	if u.Remaining > 0 {
		words = append(words, fmt.Sprintf("(%d attempts remaining)", u.Remaining))
	} else {
		words = append(words, "(no attempts remaining -- retry blocked)")
	}
	return strings.Join(words, " ")
}

// FailedLine says that an attempt could not be evaluated.
func FailedLine(id, err string) string { return "FAILED " + id + " " + oneLine(err) }

// GateFailedLine says which gates failed, in the phase.
func GateFailedLine(phase string, names []string) string {
	word := "GATE_FAILED "
	if phase == Pre {
		word = "PRE_GATE_FAILED "
	}
	return word + strings.Join(names, " ")
}

// RecoveringLine says that a remote attempt is gone on with.
func RecoveringLine(id string, attempt int, process, state string) string {
	return fmt.Sprintf("RECOVERING %s attempt=%d process=%s state=%s", id, attempt, process, state)
}

// CheckLine says how a check ended; err is "" where it passed. dir is absolute.
func CheckLine(id string, score float64, err, dir string) string {
	if err != "" {
		return "CHECK_FAILED " + id + " " + oneLine(err) + " artifacts=" + dir
	}
	return "CHECK_PASSED " + id + " score=" + Float(score) + " artifacts=" + dir
}

// GateCheckLine says how a check of gates ended: how many there were, and which
// of them failed.
func GateCheckLine(id string, gates int, failed []string, dir string) string {
	switch {
	case len(failed) > 0:
		return "GATE_CHECK_FAILED " + id + " " + strings.Join(failed, " ") + " artifacts=" + dir
	case gates == 0:
		return "GATE_CHECK_PASSED " + id + " no gates artifacts=" + dir
	}
	return fmt.Sprintf("GATE_CHECK_PASSED %s %d gates artifacts=%s", id, gates, dir)
}

// DoneLine says what a score that was recorded by hand came to; status is
// Committed or Evaluated, or Failed where nothing was compared.
func DoneLine(id string, score float64, status Status) string {
	if status == Failed {
		return "RECORDED " + id + " score=" + Float(score) + " (no compare)"
	}
	return strings.ToUpper(string(status)) + " " + id + " " + Float(score)
}

// DiscardedLine says that an experiment was given up.
func DiscardedLine(id, reason string) string { return "DISCARDED " + id + ": " + reason }

// PrunedLine says that an experiment was pruned; reason may be empty.
func PrunedLine(id, kind, reason string) string {
	line := "PRUNED " + id + " [" + kind + "]"
	if reason != "" {
		line += ": " + reason
	}
	return line
}

// RestoredLine says what a restored experiment was; branch and commit are of one
// that was discarded.
func RestoredLine(id string, was Status, branch, commit string) string {
	line := "RESTORED " + id + ": " + string(was) + " → committed"
	if was == Discarded {
		line += " (branch=" + branch + " recreated from " + commit[:min(8, len(commit))] + ")"
	}
	return line
}

// InitializedLine says that a run was begun; dir is absolute.
func InitializedLine(run, dir, host, commitStrategy string) string {
	return "Initialized evo workspace " + run + " at " + dir + " (host=" + host + ", commit_strategy=" + commitStrategy + ")"
}

// orNone is a score as it is printed, None if there is none.
func orNone(score *float64) string {
	if score == nil {
		return "None"
	}
	return Float(*score)
}

// oneLine keeps what a line says on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Counts is how many experiments there are of each kind.
type Counts struct {
	All, Committed, Evaluated, Discarded, Failed, Active int
}

// Counts counts; committed are those whose result counts, closed ones too.
func (l Lineage) Counts() Counts {
	var c Counts
	for id, n := range l.graph.Nodes {
		if id == RootID {
			continue
		}
		c.All++
		if l.Effective(n) == Committed {
			c.Committed++
		}
		switch n.Status {
		case Evaluated:
			c.Evaluated++
		case Discarded:
			c.Discarded++
		case Failed:
			c.Failed++
		case Active:
			c.Active++
		}
	}
	return c
}

// StatusLine is what status prints. The best is of the current epoch: scores of
// different epochs do not compare.
func StatusLine(c *Config, g *Graph) string {
	l := g.Lineage()
	n := l.Counts()
	var best *float64
	if b := l.Best(c.Metric, c.EpochNow()); b != nil {
		best = b.Score
	}
	return fmt.Sprintf("metric=%s epoch=%d experiments=%d committed=%d evaluated=%d discarded=%d failed=%d active=%d best=%s",
		c.Metric, c.EpochNow(), n.All, n.Committed, n.Evaluated, n.Discarded, n.Failed, n.Active, orNone(best))
}

// PathLines are what path prints for the chain to a node.
func PathLines(path []*Node) string {
	var b strings.Builder
	for _, n := range path {
		if n.ID != RootID {
			b.WriteString("  -> ")
		}
		b.WriteString(n.ID)
		if n.Score != nil {
			b.WriteString("  score=" + Float(*n.Score))
		}
		if n.ID != RootID {
			b.WriteString("  " + n.Hypothesis)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
