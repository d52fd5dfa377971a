package evolution

import (
	"fmt"
	"math"
	"strings"
)

// Rationale says in one paragraph why the leader of the rows wins: its score,
// each axis against the next one, and what is doubtful. What the caller finds
// doubtful comes last, a sentence each. It is "" where nothing is eligible.
func Rationale(e *Evolution, rows []Row, doubts ...string) string {
	leader, ok := Leader(rows)
	if !ok {
		return ""
	}
	first := fmt.Sprintf("%s scores %.2f", leader.Variant.ID, leader.Score)
	if len(rows) < 2 || !rows[1].Eligible {
		all := []string{first + ", the only variant that passes every gate and was measured on every axis."}
		for k, a := range e.Rubric {
			all = append(all, fmt.Sprintf("%s is %s.", a.ID, number(leader.Values[k])))
		}
		return strings.Join(append(all, doubts...), " ")
	}
	next := rows[1]
	all := []string{fmt.Sprintf("%s against %.2f of %s, the next of %d.", first, next.Score, next.Variant.ID, eligible(rows))}
	equal := true
	for k, a := range e.Rubric {
		x, y := leader.Values[k], next.Values[k]
		equal = equal && x == y
		all = append(all, fmt.Sprintf("%s (%s): %s against %s, %s.", a.ID, a.Direction, number(x), number(y), compare(a, x, y)))
	}
	switch {
	case equal:
		all = append(all, "They are equal on every axis, which leaves the lower id in front.")
	case same(leader.Score, next.Score):
		all = append(all, "The scores are equal, which leaves the lower id in front.")
	}
	all = append(all, "A score ranks the variants of this evolution; it does not say by how much one is better.")
	return strings.Join(append(all, doubts...), " ")
}

func eligible(rows []Row) (n int) {
	for _, r := range rows {
		if r.Eligible {
			n++
		}
	}
	return n
}

// compare says how much better or worse x is than y.
func compare(a Axis, x, y float64) string {
	if x == y {
		return "equal"
	}
	word := "worse"
	if (x < y) == (a.Direction == Minimize) {
		word = "better"
	}
	if by := 100 * math.Abs(x-y) / math.Abs(y); y != 0 && !math.IsInf(by, 0) {
		return fmt.Sprintf("%.3g %% %s", by, word)
	}
	return word
}
