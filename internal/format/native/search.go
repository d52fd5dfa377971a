package native

import (
	"slices"

	"github.com/cladehq/clade"
)

// Defaults of the search and of what it may cost.
const (
	defaultCandidates = 100
	defaultStrategy   = "hillclimb"
	defaultExplore    = 0.2
	defaultCross      = 0.2
	defaultParents    = 4
)

// Limits of a command that sets none.
var defaultLimits = clade.Limits{
	Wall:      clade.Duration(60e9),
	Memory:    2 << 30,
	Processes: 256,
	Output:    16 << 20,
	FileSize:  10 << 20,
}

// How a winner proves itself. The level of a look is Pocock's for four looks
// that spend .05 in all (Biometrika 64, 1977); other looks divide alpha evenly,
// which is never too lenient.
const (
	defaultAlpha     = 0.05
	defaultLookAlpha = 0.0182
)

var defaultLooks = []int{6, 10, 15, 20}

// strategies are the known searches.
var strategies = []string{"generational", "hillclimb", "race"}

// defaultBatch is the batch of a strategy that is given none. 0, for hillclimb,
// means that every attempt is decided as it comes.
func defaultBatch(strategy string) int {
	switch strategy {
	case "generational":
		return 8
	case "race":
		return 32
	}
	return 0
}

func (d *decoder) search(n *node) clade.Search {
	s := clade.Search{Strategy: defaultStrategy, Explore: defaultExplore, Cross: defaultCross, Parents: defaultParents, Operators: "shares"}
	switch {
	case n == nil:
		return s
	case n.kind == text:
		s.Strategy = d.choice(n, strategies...)
		s.Batch = defaultBatch(s.Strategy)
		return s
	}
	f := d.fields(n, "write a strategy, or a mapping with strategy")
	if strategy := f.get("strategy"); strategy != nil {
		s.Strategy = d.choice(strategy, strategies...)
	}
	s.Batch = orDefault(int(d.whole(f.get("batch"), 1, 10_000)), defaultBatch(s.Strategy))
	explore, cross := f.get("explore"), f.get("cross")
	s.Explore, s.Cross = d.share(explore, defaultExplore), d.share(cross, defaultCross)
	if s.Explore+s.Cross > 1 {
		at := f.of
		if explore != nil {
			at = explore
		}
		if cross != nil {
			at = cross
		}
		d.add(at.at, "the rest of a generation are mutations", "explore and cross together are %v of a generation, more than all of it", s.Explore+s.Cross)
	}
	s.Parents = int(orDefault(d.whole(f.get("parents"), 1, 10_000), defaultParents))
	s.Operators = orDefault(d.choice(f.get("operators"), "shares", "bandit"), "shares")
	f.done()
	return s
}

func (d *decoder) budget(n *node) clade.Budget {
	b := clade.Budget{Candidates: defaultCandidates}
	switch {
	case n == nil:
		return b
	case n.kind == number:
		b.Candidates = d.candidates(n)
		return b
	}
	f := d.fields(n, "write a number of candidates, or a mapping with candidates")
	b.Candidates = d.candidates(f.get("candidates"))
	b.Wall = d.duration(f.get("wall"))
	b.USD = d.money(f.get("usd"))
	b.Tokens, b.Calls = d.count(f.get("tokens")), d.count(f.get("calls"))
	b.Plateau = int(d.whole(f.get("plateau"), 0, mostCandidates))
	b.Target = d.optional(f.get("target"))
	per := f.get("per_try_usd")
	b.PerTry = d.money(per)
	if b.USD != nil && b.PerTry != nil && *b.PerTry > *b.USD {
		d.add(per.at, "lower it, or raise usd", "%s is more than the whole budget of %s", per.path, b.USD)
	}
	f.done()
	return b
}

const mostCandidates = 10_000_000

func (d *decoder) candidates(n *node) int {
	return int(orDefault(d.whole(n, 1, mostCandidates), defaultCandidates))
}

func (d *decoder) count(n *node) *int64 {
	if n == nil {
		return nil
	}
	v := d.whole(n, 1, exact)
	return &v
}

func (d *decoder) limits(n *node) clade.Limits {
	l := defaultLimits
	if n == nil {
		return l
	}
	f := d.fields(n, "write wall:, memory:, processes:, output:, file_size: or disk:")
	l.Wall = orDefault(d.duration(f.get("wall")), l.Wall)
	l.Memory = d.size(f.get("memory"), l.Memory)
	l.Processes = int(orDefault(d.whole(f.get("processes"), 1, 1_000_000), int64(l.Processes)))
	l.Output = d.size(f.get("output"), l.Output)
	l.FileSize = d.size(f.get("file_size"), l.FileSize)
	l.Disk = d.size(f.get("disk"), 0)
	f.done()
	return l
}

func (d *decoder) final(n *node) clade.FinalRule {
	r := clade.FinalRule{Finalists: 1, Alpha: defaultAlpha, Looks: slices.Clone(defaultLooks), LookAlpha: defaultLookAlpha}
	if n == nil {
		return r
	}
	f := d.fields(n, "write finalists:, alpha:, looks: or look_alpha:")
	r.Finalists = int(orDefault(d.whole(f.get("finalists"), 1, 100), 1))
	r.Alpha = d.level(f.get("alpha"), 0.5, defaultAlpha)
	if looks := f.get("looks"); looks != nil {
		r.Looks = d.looks(looks)
	}
	if r.Alpha != defaultAlpha || !slices.Equal(r.Looks, defaultLooks) {
		r.LookAlpha = r.Alpha / float64(max(1, len(r.Looks)))
	}
	r.LookAlpha = d.level(f.get("look_alpha"), r.Alpha, r.LookAlpha)
	f.done()
	return r
}

// level reads a chance of error above 0 and at most most.
func (d *decoder) level(n *node, most, def float64) float64 {
	v := d.above(n, def)
	if n != nil && v > most {
		d.add(n.at, "a smaller level is stricter", "%s must be at most %v", n.path, most)
	}
	return v
}

func (d *decoder) looks(n *node) (all []int) {
	last := 0
	for _, item := range d.each(n, "list numbers of pairs, like [6, 10, 15, 20]") {
		v := int(d.whole(item, 1, 1000))
		if v != 0 && v <= last {
			d.add(item.at, "order them from few pairs to many", "%s must be more than the look before, %d", item.path, last)
		}
		last = max(last, v)
		all = append(all, v)
	}
	if n.kind == list && len(n.items) == 0 {
		d.add(n.at, "list numbers of pairs, like [6, 10, 15, 20]", "%s is empty", n.path)
	}
	return all
}
