package frontier

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kinds of strategies.
const (
	Argmax        = "argmax"          // the best
	TopK          = "top_k"           // the k best
	EpsilonGreedy = "epsilon_greedy"  // the best, now and then any other
	Softmax       = "softmax"         // k drawn by how good they are
	ParetoPerTask = "pareto_per_task" // k drawn from those that are best at some task
	UCB           = "ucb"             // k by score and how little they were tried
	LCB           = "lcb"             // k by the score that their noise lets stand
)

// A Strategy is a kind with all of its parameters.
type Strategy struct {
	Kind   string
	Params map[string]float64
}

// Default is what a workspace uses that names no strategy.
func Default() Strategy {
	return Strategy{Kind: ParetoPerTask, Params: map[string]float64{"k": 5, "task_floor": 0}}
}

// A Param is one parameter of a strategy. Both bounds are allowed.
type Param struct {
	Name     string
	Whole    bool
	Min, Max float64
	Default  float64
	Means    string
}

// A Kind is a strategy that may be chosen.
type Kind struct {
	Name   string
	Means  string
	Random bool // its choice depends on the seed, which is logged
	Params []Param
}

// Kinds are all strategies, the published ones first.
func Kinds() []Kind {
	k := func(means string) Param {
		return Param{Name: "k", Whole: true, Min: 1, Max: 50, Default: 5, Means: means}
	}
	return []Kind{
		{Name: Argmax, Means: "the node with the best score"},
		{Name: TopK, Means: "the k best nodes", Params: []Param{k("how many")}},
		{Name: EpsilonGreedy, Random: true, Means: "the best node, or with some probability any node",
			Params: []Param{{Name: "epsilon", Max: 1, Default: .1, Means: "the probability of any node"}}},
		{Name: Softmax, Random: true, Means: "k nodes drawn with weight exp(score / temperature)",
			Params: []Param{{Name: "temperature", Min: .01, Max: 10, Default: .5, Means: "low: nearly the best, high: nearly any"}, k("how many draws")}},
		{Name: ParetoPerTask, Random: true, Means: "k nodes drawn among those that no others make dispensable at every task they are best at",
			Params: []Param{k("how many draws"), {Name: "task_floor", Max: 1, Means: "tasks to maximize at which nobody is above this do not count"}}},
		{Name: UCB, Means: "the k nodes with the highest upper confidence bound: good, or little tried",
			Params: []Param{k("how many"), {Name: "c", Max: 10, Default: 1.4142, Means: "weight of having been tried little"}}},
		{Name: LCB, Means: "the k nodes whose score less its noise is best: a lucky measurement does not lead",
			Params: []Param{k("how many"), {Name: "z", Max: 5, Default: 1, Means: "standard errors that are taken off"},
				{Name: "sigma", Max: 1e9, Means: "standard deviation of one measurement where no node was measured twice"}}},
	}
}

func find(name string) (Kind, bool) {
	all := Kinds()
	i := slices.IndexFunc(all, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return all[i], true
}

// Random reports whether the strategy's choice depends on the seed.
func (s Strategy) Random() bool {
	k, _ := find(s.Kind)
	return k.Random
}

// Names are the names of the strategy's parameters, in the order of its kind.
func (s Strategy) Names() []string {
	var out []string
	k, _ := find(s.Kind)
	for _, p := range k.Params {
		out = append(out, p.Name)
	}
	return out
}

// Whole reports whether a parameter of the strategy is a whole number.
func (s Strategy) Whole(param string) bool {
	k, _ := find(s.Kind)
	return slices.ContainsFunc(k.Params, func(p Param) bool { return p.Name == param && p.Whole })
}

// Parse makes a strategy of a kind and the JSON of its parameters, which may be
// empty. What is missing is the default, parameters of other kinds are ignored:
// an override on the command line is handed those of the configured strategy.
// Anything that is no number or out of its range is an error, never adjusted.
func Parse(kind string, params []byte) (Strategy, error) {
	k, ok := find(kind)
	if !ok {
		var known []string
		for _, k := range Kinds() {
			known = append(known, k.Name)
		}
		return Strategy{}, fmt.Errorf("unknown frontier_strategy.kind: %s (known: %s)", quoted(kind), strings.Join(known, ", "))
	}
	var given map[string]json.RawMessage
	if len(params) > 0 {
		if err := json.Unmarshal(params, &given); err != nil {
			return Strategy{}, fmt.Errorf("frontier_strategy.params must be a dict")
		}
	}
	out := Strategy{Kind: kind, Params: map[string]float64{}}
	for _, p := range k.Params {
		v, err := p.read(given[p.Name])
		if err != nil {
			return Strategy{}, err
		}
		out.Params[p.Name] = v
	}
	return out, nil
}

func (p Param) read(raw json.RawMessage) (float64, error) {
	if raw == nil {
		return p.Default, nil
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case err != nil || p.Whole && v != float64(int64(v)):
		return 0, fmt.Errorf("frontier_strategy.params.%s is not a %s", p.Name, map[bool]string{true: "int", false: "float"}[p.Whole])
	case !(v >= p.Min && v <= p.Max):
		return 0, fmt.Errorf("frontier_strategy.params.%s=%s out of [%s, %s]", p.Name, p.text(v), p.text(p.Min), p.text(p.Max))
	}
	return v, nil
}

// text writes a value as the published program does.
func (p Param) text(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !p.Whole && !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// quoted puts a word in the quotes that errors are published with.
func quoted(s string) string {
	q := strconv.Quote(s)
	return "'" + strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`) + "'"
}
