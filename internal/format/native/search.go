package native

import (
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
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

func (d *decoder) search(n *syntax.Node) clade.Search {
	s := clade.Search{Strategy: defaultStrategy, Explore: defaultExplore, Cross: defaultCross, Parents: defaultParents, Operators: "shares"}
	switch {
	case n == nil:
		return s
	case n.Kind == syntax.Text:
		s.Strategy = d.Choice(n, strategies...)
		s.Batch = defaultBatch(s.Strategy)
		return s
	}
	f := d.Fields(n, "write a strategy, or a mapping with strategy")
	if strategy := f.Get("strategy"); strategy != nil {
		s.Strategy = d.Choice(strategy, strategies...)
	}
	s.Batch = orDefault(int(d.Whole(f.Get("batch"), 1, 10_000)), defaultBatch(s.Strategy))
	explore, cross := f.Get("explore"), f.Get("cross")
	s.Explore, s.Cross = d.Share(explore, defaultExplore), d.Share(cross, defaultCross)
	if s.Explore+s.Cross > 1 {
		at := f.Of
		if explore != nil {
			at = explore
		}
		if cross != nil {
			at = cross
		}
		d.Add(at.At, "the rest of a generation are mutations", "explore and cross together are %v of a generation, more than all of it", s.Explore+s.Cross)
	}
	s.Parents = int(orDefault(d.Whole(f.Get("parents"), 1, 10_000), defaultParents))
	s.Operators = orDefault(d.Choice(f.Get("operators"), "shares", "bandit"), "shares")
	f.Done()
	return s
}

func (d *decoder) budget(n *syntax.Node) clade.Budget {
	b := clade.Budget{Candidates: defaultCandidates}
	switch {
	case n == nil:
		return b
	case n.Kind == syntax.Number:
		b.Candidates = d.candidates(n)
		return b
	}
	f := d.Fields(n, "write a number of candidates, or a mapping with candidates")
	b.Candidates = d.candidates(f.Get("candidates"))
	b.Wall = d.duration(f.Get("wall"))
	b.USD = d.money(f.Get("usd"))
	b.Tokens, b.Calls = d.count(f.Get("tokens")), d.count(f.Get("calls"))
	b.Plateau = int(d.Whole(f.Get("plateau"), 0, mostCandidates))
	b.Target = d.Optional(f.Get("target"))
	per := f.Get("per_try_usd")
	b.PerTry = d.money(per)
	if b.USD != nil && b.PerTry != nil && *b.PerTry > *b.USD {
		d.Add(per.At, "lower it, or raise usd", "%s is more than the whole budget of %s", per.Path, b.USD)
	}
	f.Done()
	return b
}

const mostCandidates = 10_000_000

func (d *decoder) candidates(n *syntax.Node) int {
	return int(orDefault(d.Whole(n, 1, mostCandidates), defaultCandidates))
}

func (d *decoder) count(n *syntax.Node) *int64 {
	if n == nil {
		return nil
	}
	v := d.Whole(n, 1, syntax.Exact)
	return &v
}

func (d *decoder) limits(n *syntax.Node) clade.Limits {
	l := defaultLimits
	if n == nil {
		return l
	}
	f := d.Fields(n, "write wall:, memory:, processes:, output:, file_size: or disk:")
	l.Wall = orDefault(d.duration(f.Get("wall")), l.Wall)
	l.Memory = d.size(f.Get("memory"), l.Memory)
	l.Processes = int(orDefault(d.Whole(f.Get("processes"), 1, 1_000_000), int64(l.Processes)))
	l.Output = d.size(f.Get("output"), l.Output)
	l.FileSize = d.size(f.Get("file_size"), l.FileSize)
	l.Disk = d.size(f.Get("disk"), 0)
	f.Done()
	return l
}

func (d *decoder) final(n *syntax.Node) clade.FinalRule {
	r := clade.FinalRule{Finalists: 1, Alpha: defaultAlpha, Looks: slices.Clone(defaultLooks), LookAlpha: defaultLookAlpha}
	if n == nil {
		return r
	}
	f := d.Fields(n, "write finalists:, alpha:, looks: or look_alpha:")
	r.Finalists = int(orDefault(d.Whole(f.Get("finalists"), 1, 100), 1))
	r.Alpha = d.level(f.Get("alpha"), 0.5, defaultAlpha)
	if looks := f.Get("looks"); looks != nil {
		r.Looks = d.looks(looks)
	}
	if r.Alpha != defaultAlpha || !slices.Equal(r.Looks, defaultLooks) {
		r.LookAlpha = r.Alpha / float64(max(1, len(r.Looks)))
	}
	r.LookAlpha = d.level(f.Get("look_alpha"), r.Alpha, r.LookAlpha)
	f.Done()
	return r
}

// level reads a chance of error above 0 and at most most.
func (d *decoder) level(n *syntax.Node, most, def float64) float64 {
	v := d.Above(n, def)
	if n != nil && v > most {
		d.Add(n.At, "a smaller level is stricter", "%s must be at most %v", n.Path, most)
	}
	return v
}

func (d *decoder) looks(n *syntax.Node) (all []int) {
	last := 0
	for _, item := range d.Each(n, "list numbers of pairs, like [6, 10, 15, 20]") {
		v := int(d.Whole(item, 1, 1000))
		if v != 0 && v <= last {
			d.Add(item.At, "order them from few pairs to many", "%s must be more than the look before, %d", item.Path, last)
		}
		last = max(last, v)
		all = append(all, v)
	}
	if n.Kind == syntax.List && len(n.Items) == 0 {
		d.Add(n.At, "list numbers of pairs, like [6, 10, 15, 20]", "%s is empty", n.Path)
	}
	return all
}
