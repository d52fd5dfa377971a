package crash

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// A unit is one piece of work as the trace tells it: what was done to whom.
type unit struct {
	role string // propose, gate, measure
	key  int    // number of the attempt, 0: the base
}

func (u unit) String() string { return fmt.Sprintf("%s %d", u.role, u.key) }

// after is what a unit's end must be durable before.
func (u unit) after() (unit, bool) {
	switch u.role {
	case "propose":
		return unit{"gate", u.key}, true
	case "gate":
		return unit{"measure", u.key}, true
	}
	return unit{}, false
}

// doubts is how often a new process may run a gate again that says no: it does
// not know yet that the gate can be trusted.
const doubts = 2

// doubted reports whether the unit is a gate that says no; see actor.sh.
func (u unit) doubted() bool { return u.role == "gate" && u.key%9 == 7 }

// starts counts the starts in a trace.
func (w *world) starts() (map[unit]int, error) {
	data, err := os.ReadFile(w.trace())
	if err != nil {
		return nil, err
	}
	out := map[unit]int{}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			return nil, fmt.Errorf("the trace has a line %q", line)
		}
		key, err := strconv.Atoi(f[2])
		if err != nil {
			return nil, fmt.Errorf("the trace has a line %q", line)
		}
		if f[0] == "start" {
			out[unit{f[1], key}]++
		}
	}
	return out, nil
}
