package frontier

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		points []Point
		epoch  int
		want   []string
	}{
		"nothing":                      {nil, 0, nil},
		"a kept leaf":                  {[]Point{{ID: "a", State: Committed}}, 0, []string{"a"}},
		"a kept child takes its place": {[]Point{{ID: "a", State: Committed}, {ID: "b", Parent: "a", State: Committed}}, 0, []string{"b"}},
		"a running child takes it too": {[]Point{{ID: "a", State: Committed}, {ID: "b", Parent: "a", State: Active}}, 0, nil},
		"a child that was not kept gives it back": {
			[]Point{{ID: "a", State: Committed}, {ID: "b", Parent: "a"}, {ID: "c", Parent: "a"}}, 0, []string{"a"}},
		"an invalid child gives it back": {
			[]Point{{ID: "a", State: Committed}, {ID: "b", Parent: "a", State: Invalid}, {ID: "c", Parent: "b", State: Committed}}, 0, []string{"a"}},
		"below an invalid one nothing counts, however deep": {
			[]Point{{ID: "d", Parent: "c", State: Committed}, {ID: "c", Parent: "b"}, {ID: "b", Parent: "a", State: Invalid}, {ID: "a"}}, 0, nil},
		"epochs do not mix": {
			[]Point{{ID: "a", State: Committed, Epoch: 1}, {ID: "b", State: Committed, Epoch: 2}}, 2, []string{"b"}},
		"a child of another epoch does not take its place": {
			[]Point{{ID: "a", State: Committed, Epoch: 1}, {ID: "b", Parent: "a", State: Committed, Epoch: 2}}, 1, []string{"a"}},
		"ids as they were given out": {
			[]Point{{ID: "exp_10000", State: Committed}, {ID: "exp_9999", State: Committed}}, 0, []string{"exp_9999", "exp_10000"}},
		"a ring ends": {[]Point{{ID: "a", Parent: "b", State: Committed}, {ID: "b", Parent: "a", State: Committed}}, 0, nil},
	} {
		if got := Set(c.points, c.epoch); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestSetOfADeepChain(t *testing.T) {
	t.Parallel()
	ps := make([]Point, 100_000)
	for i := range ps {
		ps[i] = Point{ID: id(i), Parent: id(i - 1), State: Committed}
	}
	if got := Set(ps, 0); !slices.Equal(got, []string{id(len(ps) - 1)}) {
		t.Errorf("%d nodes", len(got))
	}
}

func id(i int) string { return fmt.Sprintf("n%06d", i) }

// The first words of init_by_array{0x123, 0x234, 0x345, 0x456}, from the output
// that Matsumoto and Nishimura publish beside mt19937ar.c, and the first floats
// that Python 3's random.Random(seed) gives.
func TestMersenne(t *testing.T) {
	t.Parallel()
	m := keyed([]uint32{0x123, 0x234, 0x345, 0x456})
	for _, want := range []uint32{1067595299, 955945823, 477289528, 4107218783, 4228976476} {
		if got := m.word(); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	}
	for seed, want := range map[uint64]float64{0: 0.8444218515250481, 1: 0.13436424411240122, 1 << 40: 0.1036394562812375} {
		if got := newMersenne(seed).float(); got != want {
			t.Errorf("seed %d: %v, want %v", seed, got, want)
		}
	}
}

func TestBelow(t *testing.T) {
	t.Parallel()
	m := newMersenne(7)
	for _, n := range []int{1, 2, 3, 64, 1000} {
		for range 200 {
			if v := m.below(n); v < 0 || v >= n {
				t.Fatalf("%d of %d", v, n)
			}
		}
	}
}

func scored(scores ...float64) []Candidate {
	out := make([]Candidate, len(scores))
	for i, s := range scores {
		out[i] = Candidate{ID: string(rune('a' + i)), Score: s}
	}
	return out
}

func strategy(t *testing.T, kind, params string) Strategy {
	t.Helper()
	s, err := Parse(kind, []byte(params))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDeterministic(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	noisy := scored(10, 9, 3)
	noisy[0].Samples = []float64{10}
	noisy[1].Samples = []float64{8, 10, 8, 10} // s² = 4/3, so σ = 1.155: 9 - .577 < 10 - 1.155
	wide := slices.Clone(noisy)
	wide[1].Samples = []float64{6, 12, 6, 12} // s² = 12, so σ = 3.464: 9 - 1.732 > 10 - 3.464
	tried := scored(1, .5, 0)
	tried[0].Tries, tried[1].Tries, tried[2].Tries = 8, 0, 1
	// N = 9, ln 10 = 2.3026. a: 1 + sqrt(2.3026/9) = 1.5058; b: .5 + sqrt(2.3026) = 2.0174; c: sqrt(1.1513) = 1.0730.
	for name, c := range map[string]struct {
		kind, params string
		better       Direction
		candidates   []Candidate
		want         string
	}{
		"argmax":                       {Argmax, "", Max, scored(1, 3, 2), "b"},
		"argmax down":                  {Argmax, "", Min, scored(1, 3, 2), "a"},
		"argmax, ties by id":           {Argmax, "", Max, scored(1, 3, 3), "b"},
		"argmax, no score is last":     {Argmax, "", Min, scored(nan, 3), "b"},
		"argmax, infinite is no score": {Argmax, "", Max, scored(math.Inf(1), 3), "b"},
		"top_k":                        {TopK, `{"k": 2}`, Max, scored(1, 3, 2), "bc"},
		"top_k of fewer":               {TopK, "", Max, scored(1, 3, 2), "bca"},
		"ucb":                          {UCB, `{"c": 1}`, Max, tried, "bac"},
		"ucb without c is top_k":       {UCB, `{"c": 0}`, Max, tried, "abc"},
		"ucb, all equal":               {UCB, `{"k": 1}`, Max, scored(2, 2), "a"},
		"lcb, a little noise":          {LCB, "", Max, noisy, "abc"},
		"lcb, much noise":              {LCB, "", Max, wide, "bac"},
		"lcb down":                     {LCB, `{"z": 0}`, Min, wide, "cba"},
		"lcb without repeats is top_k": {LCB, `{"sigma": 5}`, Max, scored(1, 3, 2), "bca"},
	} {
		got := ""
		for _, id := range Pick(strategy(t, c.kind, c.params), c.better, c.candidates, 0) {
			got += id
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func tasks(scores ...float64) map[string]Task {
	out := map[string]Task{}
	for i, s := range scores {
		out[string(rune('p'+i))] = Task{Score: s}
	}
	return out
}

func TestPareto(t *testing.T) {
	t.Parallel()
	with := func(score float64, id string, ts map[string]Task) Candidate {
		return Candidate{ID: id, Score: score, Tasks: ts}
	}
	low := func(s float64) map[string]Task { return map[string]Task{"p": {Score: s, Direction: Min}} }
	for name, c := range map[string]struct {
		params     string
		candidates []Candidate
		want       string // as a set
	}{
		"specialists stay": {"", []Candidate{with(.5, "a", tasks(1, 0)), with(.5, "b", tasks(0, 1)), with(.4, "c", tasks(.5, .3))}, "ab"},
		// a is best at p alone; b and c at q together, and b has the lower score.
		"one of two equals, the lower, goes": {"", []Candidate{with(.1, "a", tasks(1, 0)), with(.2, "b", tasks(0, 1)), with(.3, "c", tasks(.9, 1))}, "ac"},
		// p: a and b, q: b and c. a goes first (lowest), then b is needed for p, then c is not.
		"dropping one makes another needed": {"", []Candidate{with(.1, "a", tasks(1, 0)), with(.2, "b", tasks(1, 1)), with(.3, "c", tasks(0, 1))}, "b"},
		"only tasks of everybody count":     {"", []Candidate{with(.9, "a", tasks(1)), with(.5, "b", tasks(0, 1))}, "a"},
		"who reports none does not hinder":  {"", []Candidate{with(.9, "a", nil), with(.5, "b", tasks(1))}, "b"},
		"no tasks at all: the best":         {"", []Candidate{with(.5, "a", nil), with(.9, "b", nil)}, "b"},
		"nobody above the floor: the best":  {`{"task_floor": 0.5}`, []Candidate{with(.1, "a", tasks(.5)), with(.9, "b", tasks(.1))}, "b"},
		"the floor is none for lower":       {`{"task_floor": 1}`, []Candidate{with(.1, "a", low(-3)), with(.9, "b", low(2))}, "a"},
		"no number, no task":                {"", []Candidate{with(.1, "a", tasks(math.NaN(), 1)), with(.9, "b", tasks(1, .5))}, "a"},
	} {
		got := Pick(strategy(t, ParetoPerTask, c.params), Max, c.candidates, 0)
		slices.Sort(got)
		all := ""
		for _, id := range got {
			all += id
		}
		if all != c.want {
			t.Errorf("%s: %s, want %s", name, all, c.want)
		}
	}
}

// Whatever the candidates: as many as asked for, each once, the same for a seed;
// and of the survivors of Pareto each front keeps one.
func TestProperties(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		all := make([]Candidate, 1+r.IntN(12))
		for i := range all {
			all[i] = Candidate{ID: string(rune('a' + i)), Score: float64(r.IntN(4)), Tries: r.IntN(5), Tasks: tasks(float64(r.IntN(3)), float64(r.IntN(3)), float64(r.IntN(3)))}
			if r.IntN(6) == 0 {
				all[i].Score = math.NaN()
			}
		}
		seed := r.Uint64N(1 << 31)
		for _, k := range Kinds() {
			s := strategy(t, k.Name, "")
			got := Pick(s, Max, all, seed)
			if again := Pick(s, Max, all, seed); !slices.Equal(got, again) {
				t.Fatalf("%s: %q, then %q", k.Name, got, again)
			}
			if !k.Random && !slices.Equal(got, Pick(s, Max, all, seed+1)) {
				t.Fatalf("%s depends on the seed", k.Name)
			}
			once := slices.Compact(slices.Sorted(slices.Values(got)))
			if len(got) == 0 || len(once) != len(got) || float64(len(got)) > max(1, s.Params["k"]) {
				t.Fatalf("%s: %q of %d", k.Name, got, len(all))
			}
		}
		fronts := winners(all, Max, 0)
		kept := survivors(all, Max, fronts)
		for _, f := range fronts {
			if !slices.ContainsFunc(f, func(i int) bool { return kept[i] }) {
				t.Fatalf("a front lost all of %v", f)
			}
		}
	}
}

// Softmax draws the first node in proportion to its weight: exp(0)/(exp(0)+exp(-1)) = .731.
func TestDrawsByWeight(t *testing.T) {
	t.Parallel()
	s := strategy(t, Softmax, `{"temperature": 1, "k": 1}`)
	first := 0
	for seed := range uint64(4000) {
		if Pick(s, Max, scored(1, 0), seed)[0] == "a" {
			first++
		}
	}
	if share := float64(first) / 4000; math.Abs(share-.731) > .03 {
		t.Errorf("drawn first: %.3f, want .731", share)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ kind, params, want string }{
		"unknown kind":     {"best", "", "unknown frontier_strategy.kind: 'best' (known: argmax, top_k, epsilon_greedy, softmax, pareto_per_task, ucb, lcb)"},
		"too large":        {TopK, `{"k": 99}`, "frontier_strategy.params.k=99 out of [1, 50]"},
		"too small":        {Softmax, `{"temperature": 0}`, "frontier_strategy.params.temperature=0.0 out of [0.01, 10.0]"},
		"no number":        {Softmax, `{"k": "many"}`, "frontier_strategy.params.k is not a int"},
		"a string":         {TopK, `{"k": "5"}`, "frontier_strategy.params.k is not a int"},
		"a boolean":        {EpsilonGreedy, `{"epsilon": true}`, "frontier_strategy.params.epsilon is not a float"},
		"not whole":        {TopK, `{"k": 2.5}`, "frontier_strategy.params.k is not a int"},
		"no mapping":       {TopK, `[5]`, "frontier_strategy.params must be a dict"},
		"whole as a float": {TopK, `{"k": 3.0, "task_floor": 7}`, ""},
	} {
		s, err := Parse(c.kind, []byte(c.params))
		switch {
		case c.want == "" && (err != nil || s.Params["k"] != 3 || len(s.Params) != 1):
			t.Errorf("%s: %v %v", name, s, err)
		case c.want != "" && (err == nil || err.Error() != c.want):
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if d, err := Parse(ParetoPerTask, nil); err != nil || d.Params["k"] != Default().Params["k"] || d.Params["task_floor"] != Default().Params["task_floor"] {
		t.Errorf("the default has other parameters than its kind: %v %v", d, err)
	}
}
