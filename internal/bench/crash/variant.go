package crash

import (
	_ "embed"
	"strings"
)

//go:embed actor.sh
var actor string

// slots is how many attempts every run performs at once.
const slots = 4

// A variant is one kind of run.
type variant struct {
	name  string
	files map[string]string
	// prepare is a shell line run in the repository before its first commit.
	prepare string
	// traced says that operator and evaluator tell the trace what they do.
	traced bool
	// timed says that what is decided depends on time, so that only the state
	// of an interrupted run can be judged, not its decisions.
	timed bool
}

const actorSpec = `version: 1
objective: climb
allow: [gene]
gates:
  - {id: gate, run: 'sh "$ACTOR" gate', pass_env: [ACTOR, ACTOR_TRACE]}
measures:
  - {id: score, run: 'sh "$ACTOR" measure', read: whole, goal: maximize, noise: none, pass_env: [ACTOR, ACTOR_TRACE]}
operators:
  - {use: command, name: climb, run: 'sh "$ACTOR" propose', pass_env: [ACTOR, ACTOR_TRACE, ACTOR_LINGER]}
search: {strategy: generational, batch: 6, parents: 4}
budget: 24
sandbox: none
protect: {blank: "off"} # the trace knows candidates by their gene
slots: 4
seed: 7
`

const numbersSpec = `version: 1
objective: Make the sum of the numbers large.
allow: [n.txt]
gates:
  - {id: few, run: 'test "$(wc -l <n.txt)" -lt 9'}
measures:
  - {id: score, run: "awk '{ s += $2 } END { if (s > 1000) s = 1000; print s }' n.txt", read: whole, goal: maximize, noise: none}
operators: [mutate]
search: {strategy: generational, batch: 4, parents: 2}
budget: {candidates: 8}
protect: {tripwires: [{id: less, write: {n.txt: "x -9\n"}, expect: worse}]}
sandbox: none
slots: 4
seed: 3
`

// variants are the kinds of runs by what each is for.
func variants() map[string]*variant {
	numbers := map[string]string{"n.txt": "x 1.5\ny 2.5\nz -3\n", "clade.yaml": numbersSpec}
	spec := func(old, new string) map[string]string {
		return map[string]string{"n.txt": numbers["n.txt"], "clade.yaml": strings.Replace(numbersSpec, old, new, 1)}
	}
	return map[string]*variant{
		"actor":  {name: "actor", traced: true, files: map[string]string{"gene": "0 100\n", "clade.yaml": actorSpec}},
		"mutate": {name: "mutate", files: numbers},
		"clock":  {name: "clock", timed: true, files: spec("{candidates: 8}", "{candidates: 100000, wall: 300ms}")},
		"boxed":  {name: "boxed", files: spec("sandbox: none\n", "sandbox: auto\n")},
	}
}
