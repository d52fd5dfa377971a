package native

import (
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

// search reads how candidates are chosen. s has the defaults.
func (d *decoder) search(n *syntax.Node, s clade.Search) clade.Search {
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
	s.Start = d.Choice(f.Get("start"), clade.StartParent, clade.StartBase)
	s.Names = d.names(f.Get("names"))
	s.Hopeless = int(d.Whole(f.Get("hopeless"), 0, mostCandidates))
	s.Retries = int(d.Whole(f.Get("retries"), 0, mostRetries))
	d.breeding(f, &s)
	f.Done()
	return s
}

// breeding reads how parents and operators are chosen, over what is known of it.
func (d *decoder) breeding(f *syntax.Fields, s *clade.Search) {
	s.Explore, s.Cross = d.Share(f.Get("explore"), s.Explore), d.Share(f.Get("cross"), s.Cross)
	if s.Explore+s.Cross > 1 {
		d.Add(first(f.Of, "cross", "explore").At, "the rest of a generation are mutations",
			"explore and cross together are %v of a generation, more than all of it", s.Explore+s.Cross)
	}
	s.Parents = orDefault(int(d.Whole(f.Get("parents"), 1, 10_000)), s.Parents)
	s.Operators = orDefault(d.Choice(f.Get("operators"), "shares", "bandit"), s.Operators)
}

// namesForm is text with one number, at its end: names are counted on from what
// they end in.
var namesForm = pattern(`^[A-Za-z]([A-Za-z0-9_-]{0,30}[A-Za-z_-])?%(0[1-9])?d$`)

const namesHint = "write letters and %d, like v%d, or %04d for four digits"

func (d *decoder) names(n *syntax.Node) string {
	s := d.Text(n, namesHint)
	if s != "" && !namesForm().MatchString(s) {
		d.Add(n.At, namesHint, "%s: %s is no pattern of names", n.Path, syntax.Quote(s))
	}
	return s
}

// budget reads what a run may cost. b has the defaults.
func (d *decoder) budget(n *syntax.Node, b clade.Budget) clade.Budget {
	switch {
	case n == nil:
		return b
	case n.Kind == syntax.Number:
		b.Candidates = orDefault(d.candidates(n), b.Candidates)
		return b
	}
	f := d.Fields(n, "write a number of candidates, or a mapping with candidates")
	b.Candidates = orDefault(d.candidates(f.Get("candidates")), b.Candidates)
	b.Wall = d.duration(f.Get("wall"))
	b.Plateau = int(d.Whole(f.Get("plateau"), 0, mostCandidates))
	d.spending(f, &b)
	f.Done()
	return b
}

// spending reads what models may cost and when it is enough, over what is known
// of it.
func (d *decoder) spending(f *syntax.Fields, b *clade.Budget) {
	b.USD = orDefault(d.money(f.Get("usd")), b.USD)
	b.Tokens = orDefault(d.count(f.Get("tokens")), b.Tokens)
	b.Calls = orDefault(d.count(f.Get("calls")), b.Calls)
	b.Target = orDefault(d.Optional(f.Get("target")), b.Target)
	b.PerTry = orDefault(d.money(f.Get("per_try_usd")), b.PerTry)
	if b.USD != nil && b.PerTry != nil && *b.PerTry > *b.USD {
		d.Add(first(f.Of, "per_try_usd", "usd").At, "lower it, or raise usd",
			"%s.per_try_usd is more than the whole budget of %s", f.Of.Path, b.USD)
	}
}

const mostCandidates = 10_000_000

// mostRetries is how often an operator that failed may be asked again.
const mostRetries = 10

func (d *decoder) candidates(n *syntax.Node) int {
	return int(d.Whole(n, 1, mostCandidates))
}

func (d *decoder) count(n *syntax.Node) *int64 {
	if n == nil {
		return nil
	}
	v := d.Whole(n, 1, syntax.Exact)
	return &v
}

// limits reads the bounds of commands, over what is known of them.
func (d *decoder) limits(n *syntax.Node, l clade.Limits) clade.Limits {
	if n == nil {
		return l
	}
	f := d.Fields(n, "write wall:, memory:, processes:, output:, file_size: or disk:")
	l.Wall = orDefault(d.duration(f.Get("wall")), l.Wall)
	l.Memory = d.size(f.Get("memory"), l.Memory)
	l.Processes = int(orDefault(d.Whole(f.Get("processes"), 1, 1_000_000), int64(l.Processes)))
	l.Output = d.size(f.Get("output"), l.Output)
	l.FileSize = d.size(f.Get("file_size"), l.FileSize)
	l.Disk = d.size(f.Get("disk"), l.Disk)
	f.Done()
	return l
}

// final reads how a winner proves itself, over what is known of it.
func (d *decoder) final(n *syntax.Node, r clade.FinalRule) clade.FinalRule {
	if n == nil {
		return r
	}
	f := d.Fields(n, "write finalists:, alpha:, looks:, look_alpha: or leader:")
	r.Finalists = orDefault(int(d.Whole(f.Get("finalists"), 1, 100)), r.Finalists)
	r.Leader = orDefault(d.Choice(f.Get("leader"), clade.LeaderScore, clade.LeaderComposite), r.Leader)
	alpha, looks := f.Get("alpha"), f.Get("looks")
	r.Alpha = d.level(alpha, 0.5, r.Alpha)
	if looks != nil {
		r.Looks = d.looks(looks)
	}
	if alpha != nil || looks != nil {
		r.LookAlpha = lookAlpha(r)
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
