package evo

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cladehq/clade"
)

// What the command line refuses. Agents are told of some of these texts in the
// skills that they read, and look for their words: each begins as published, and
// goes on with what helps. They are printed behind "ERROR: " with exit status 1.

func refuse(f clade.Fault, text, hint string, args ...any) *clade.Problem {
	return &clade.Problem{Fault: f, Text: fmt.Sprintf(text, args...), Hint: hint}
}

// ErrorText is a problem as it is printed: what is wrong, then what helps.
func ErrorText(p *clade.Problem) string {
	text := "ERROR: " + p.Error()
	if p.Hint != "" {
		text += ". " + strings.ToUpper(p.Hint[:1]) + p.Hint[1:]
	}
	return text
}

// NotInitialized reports that there is no workspace.
func NotInitialized() *clade.Problem {
	return refuse(clade.FaultNotFound, "workspace is not initialized", "begin one with `evo init`")
}

// UnknownExperiment reports an id that no experiment has.
func UnknownExperiment(id string) *clade.Problem {
	return refuse(clade.FaultNotFound, "unknown experiment: %s", "", id)
}

// UnknownParent reports a parent that no experiment is.
func UnknownParent(id string) *clade.Problem {
	return refuse(clade.FaultNotFound, "unknown parent: %s", "", id)
}

// RefuseParent says why no experiment may be begun from a node, nil if one may.
func (l Lineage) RefuseParent(id string) *clade.Problem {
	n := l.graph.Nodes[id]
	switch by := l.InvalidatedBy(id); {
	case n == nil:
		return UnknownParent(id)
	case by != "":
		return refuse(clade.FaultConflict, "Cannot allocate child of %s: its lineage was invalidated at %s",
			"branch from the best valid node, or restore "+by, id, by)
	case n.Status == Pruned:
		return refuse(clade.FaultConflict, "Cannot allocate child of pruned parent %s",
			"branch elsewhere, or take it back with `evo restore "+id+"`", id)
	case id != RootID && (n.Commit == nil || *n.Commit == ""):
		return refuse(clade.FaultConflict, "Parent %s has no recorded commit", "", id)
	}
	return nil
}

// RefuseRun says why a node may not be run, nil if it may.
func (l Lineage) RefuseRun(c *Config, id string) *clade.Problem {
	n := l.graph.Nodes[id]
	if n == nil || id == RootID {
		return UnknownExperiment(id)
	}
	if p := l.RefuseRecord(id); p != nil {
		return p
	}
	if p := RefuseCompare(c, l.graph.parent(id)); p != nil {
		return p
	}
	if most := c.Attempts(); n.Evaluated >= most {
		return refuse(clade.FaultBudget, "%s exhausted %d/%d attempts",
			"discard it with `evo discard "+id+" --reason \"...\"`, or branch elsewhere", id, n.Evaluated, most)
	}
	return nil
}

// RefuseRecord says why no result may be recorded for a node, by a run or by
// hand, nil if one may.
func (l Lineage) RefuseRecord(id string) *clade.Problem {
	n := l.graph.Nodes[id]
	if n == nil || id == RootID {
		return UnknownExperiment(id)
	}
	if by := l.InvalidatedBy(id); by != "" {
		return refuse(clade.FaultConflict, "%s is under invalidated lineage %s", "branch from the best valid node", id, by)
	}
	switch n.Status {
	case "", Pending, Active, Evaluated, Failed:
		return nil
	}
	return refuse(clade.FaultConflict, "%s has status '%s' -- cannot run again", "", id, n.Status)
}

// RefuseCompare says why scores below a parent compare with nothing, nil if they
// do.
func RefuseCompare(c *Config, parent string) *clade.Problem {
	if c.Blocked && parent != RootID {
		return refuse(clade.FaultConflict, "comparison is blocked for the current eval epoch until a new root baseline is committed",
			"make one: `evo new --parent root`, `evo run`")
	}
	return nil
}

// AlreadyActive reports that an attempt is in flight.
func AlreadyActive(id string, attempt, pid int) *clade.Problem {
	return refuse(clade.FaultBusy, "%s already has attempt %03d active (driver PID %d)",
		"wait for its end, stop it with `evo abort "+id+"`, or begin another beside it with --force", id, attempt, pid)
}

// NoChange reports an experiment whose tree is its parent's: what it would
// measure is known.
func NoChange(id, parent string) *clade.Problem {
	return refuse(clade.FaultConflict, "%s changes nothing of %s", "edit its worktree, and run it then", id, parent)
}

// UntrackedFiles reports new files that nobody said anything about, where only
// tracked ones are committed.
func UntrackedFiles(id string, paths []string) *clade.Problem {
	const shown = 20
	list := strings.Join(paths[:min(shown, len(paths))], "\n  ")
	if more := len(paths) - shown; more > 0 {
		list += "\n  … and " + strconv.Itoa(more) + " more"
	}
	return refuse(clade.FaultConflict, "%s cannot run: commit_strategy=tracked-only and %d untracked file(s):\n  %s\n",
		"`git add` what is source, leave what is not, and run with --i-staged-new-files yes", id, len(paths), list)
}

// RefuseDiscard says why a node may not be discarded, nil if it may.
func (g *Graph) RefuseDiscard(id string, force bool) *clade.Problem {
	n := g.Nodes[id]
	if n == nil || id == RootID {
		return UnknownExperiment(id)
	}
	switch {
	case n.Status == Committed:
		return refuse(clade.FaultConflict, "cannot discard committed node %s: it holds a result",
			"use `evo prune "+id+" --reason \"...\"` to close its lineage", id)
	case n.Status == Active && !force:
		return refuse(clade.FaultBusy, "cannot discard active node %s: it is being run",
			"wait for its end, or pass --force to give up what it is about to say", id)
	}
	if live := g.live(id); len(live) > 0 {
		list := strings.Join(live[:min(3, len(live))], ", ")
		if len(live) > 3 {
			list += ", ..."
		}
		return refuse(clade.FaultConflict, "cannot discard %s: it has %d non-discarded child experiment(s) (%s)",
			"discard or prune those first", id, len(live), list)
	}
	return nil
}

// live are the children of a node that are not discarded, oldest first.
func (g *Graph) live(id string) []string {
	var out []string
	for _, c := range g.Nodes[id].Children {
		if n := g.Nodes[c]; n != nil && n.Status != Discarded {
			out = append(out, c)
		}
	}
	return out
}

// RefusePrune says why a node may not be pruned in this way, nil if it may.
// Invalidating what the best result stands on needs yes.
func (l Lineage) RefusePrune(c *Config, id, kind string, yes bool) *clade.Problem {
	n := l.graph.Nodes[id]
	switch {
	case n == nil || id == RootID:
		return UnknownExperiment(id)
	case n.Status != Committed && n.Status != Evaluated:
		return refuse(clade.FaultConflict, "only committed or evaluated nodes can be pruned; %s is '%s'", "", id, n.Status)
	case kind == Invalid && !yes && l.Spine(c.Metric, c.EpochNow())[id]:
		return refuse(clade.FaultConflict, "%s is on the current best valid spine ending at %s",
			"to invalidate it and all below it, pass --yes", id, l.Best(c.Metric, c.EpochNow()).ID)
	}
	return nil
}

// RefuseRestore says why a node may not be taken back, nil if it may.
func (g *Graph) RefuseRestore(id string) *clade.Problem {
	n := g.Nodes[id]
	switch {
	case n == nil || id == RootID:
		return UnknownExperiment(id)
	case n.Status == Pruned:
		return nil
	case n.Status != Discarded:
		return refuse(clade.FaultConflict, "cannot restore %s: status is '%s'; only `pruned` and `discarded` nodes can be restored", "", id, n.Status)
	case n.Commit == nil || *n.Commit == "":
		return refuse(clade.FaultConflict, "cannot restore %s: no commit hash recorded", "its edits are in diff.patch", id)
	}
	return nil
}

// RefuseGate says why a gate cannot be put on a node, nil if it can.
func (g *Graph) RefuseGate(id, name, phase string) *clade.Problem {
	n := g.Nodes[id]
	switch {
	case n == nil:
		return UnknownExperiment(id)
	case strings.TrimSpace(name) == "" || name == InitGate || strings.ContainsAny(name, "\n\r\x00"):
		return refuse(clade.FaultUsage, "%s cannot be the name of a gate", "", strconv.Quote(name))
	case phase != Pre && phase != Post:
		return refuse(clade.FaultUsage, "phase must be 'pre' or 'post', got '%s'", "", phase)
	}
	for _, gate := range n.Gates {
		if gate.Name == name {
			return refuse(clade.FaultConflict, "gate '%s' already exists on %s", "", name, id)
		}
	}
	return nil
}

// NoGate reports a gate that is not on the node.
func NoGate(id, name string) *clade.Problem {
	return refuse(clade.FaultNotFound, "gate '%s' not found on %s", "", name, id)
}

// Choose finds the artifact that EXP[:LABEL] names in the manifest of that
// experiment, which is nil if it has none.
func (m *Manifest) Choose(exp, label string) (Artifact, *clade.Problem) {
	var (
		labels []string
		found  []Artifact
	)
	if m != nil {
		for _, a := range m.Artifacts {
			if a.StoredPath == "" || seenArtifact(found, a) {
				continue
			}
			found, labels = append(found, a), append(labels, a.Label)
		}
	}
	switch {
	case len(found) == 0:
		return Artifact{}, refuse(clade.FaultNotFound, "no preserved artifacts for %s", "only what a result or a trace declares is preserved", exp)
	case label == "" && len(found) == 1:
		return found[0], nil
	case label == "":
		return Artifact{}, refuse(clade.FaultUsage, "%s has multiple preserved artifacts", "name one as "+exp+":LABEL of "+strings.Join(labels, ", "), exp)
	}
	for _, a := range found {
		if a.Label == label {
			return a, nil
		}
	}
	return Artifact{}, refuse(clade.FaultNotFound, "%s has no preserved artifact labeled '%s'", "there are "+strings.Join(labels, ", "), exp, label)
}

func seenArtifact(all []Artifact, a Artifact) bool {
	for _, b := range all {
		if a.Label == b.Label && a.StoredPath == b.StoredPath {
			return true
		}
	}
	return false
}
