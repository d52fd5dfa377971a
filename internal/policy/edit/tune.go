package edit

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/cladehq/clade"
)

// dimension is how many coordinates a parameter has: one for a range, one per
// choice (the largest wins, so that choices have no order).
func dimension(p Parameter) int { return max(1, len(p.Choices)) }

// Written is the value of a parameter at its coordinates, as text. Outside of
// [0, 1] the coordinate of a range is mirrored at the bounds.
func (p Parameter) Written(x []float64) string {
	if len(p.Choices) > 0 {
		best := 0
		for i := range p.Choices {
			if x[i] > x[best] {
				best = i
			}
		}
		return p.Choices[best]
	}
	u := mirror(x[0])
	if p.Int {
		return strconv.FormatFloat(p.whole(u), 'f', -1, 64)
	}
	v := p.Low + u*(p.High-p.Low)
	if p.Log {
		v = p.Low * math.Pow(p.High/p.Low, u)
	}
	return decimal(max(p.Low, min(p.High, short6(v))))
}

// whole gives every integer of the range the same share (the same share of its
// logarithm with Log).
func (p Parameter) whole(u float64) float64 {
	low, high := p.Low-0.5, p.High+0.5
	v := low + u*(high-low)
	if p.Log {
		v = low * math.Pow(high/low, u)
	}
	return max(math.Ceil(p.Low), min(math.Floor(p.High), math.Round(v)))
}

func short6(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	return y
}

// decimal writes a float so that it stays one in most languages.
func decimal(x float64) string {
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

func mirror(x float64) float64 {
	x = math.Mod(math.Abs(x), 2)
	if x > 1 {
		return 2 - x
	}
	return x
}

// start is where the parameter's present value lies, the middle when it cannot
// be told.
func (p Parameter) start() []float64 {
	if len(p.Choices) > 0 {
		x := make([]float64, len(p.Choices))
		for i, c := range p.Choices {
			x[i] = 0.4
			if c == p.Value {
				x[i] = 0.6
			}
		}
		return x
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(p.Value, "_", ""), 64)
	if err != nil || p.High <= p.Low {
		return []float64{0.5}
	}
	low, high := p.Low, p.High
	if p.Int {
		low, high = low-0.5, high+0.5
	}
	v = max(p.Low, min(p.High, v))
	if p.Log {
		return []float64{math.Log(v/low) / math.Log(high/low)}
	}
	return []float64{(v - low) / (high - low)}
}

// least is the smallest deviation worth sampling with: a quarter of what
// separates two integers, and for choices one that can still turn the order.
func (p Parameter) least() []float64 {
	x := make([]float64, dimension(p))
	for i := range x {
		switch {
		case len(p.Choices) > 0:
			x[i] = 0.05
		case p.Int:
			x[i] = 0.25 / (p.High - p.Low + 1)
		}
	}
	return x
}

// tuner folds the attempts of kind Tune, in the order of their IDs, into a cma:
// every Lambda of them are one batch, told when all of it are closed. Which
// batches are told depends on the view alone.
type tuner struct {
	params []Parameter
	cma    *cma
	asked  []asked
	told   int // attempts told
	seen   map[string]bool
}

type asked struct {
	id    clade.ID
	point []float64
}

func newTuner(params []Parameter) *tuner {
	var mean, least []float64
	for _, p := range params {
		mean, least = append(mean, p.start()...), append(least, p.least()...)
	}
	return &tuner{params: params, cma: newCMA(mean, 0.25, least), seen: map[string]bool{}}
}

func (t *tuner) note(id clade.ID, b Brief) {
	if len(b.Point) != t.cma.n {
		return // of another survey
	}
	t.asked = append(t.asked, asked{id, b.Point})
	t.seen[written(b.Values)] = true
}

func (t *tuner) advance(v clade.View) {
	for size := t.cma.Lambda(); t.told+size <= len(t.asked); t.told += size {
		batch := t.asked[t.told : t.told+size]
		for _, a := range batch {
			if v.Life(a.id).Open {
				return
			}
		}
		t.cma.Tell(ranked(v, batch))
	}
}

// ranked are a batch's points, best first, failed candidates last, without what
// was lost to the infrastructure.
func ranked(v clade.View, batch []asked) [][]float64 {
	type result struct {
		point  []float64
		score  float64
		scored bool
	}
	var rs []result
	for _, a := range batch {
		l := v.Life(a.id)
		score, scored := merit(v, l)
		if !scored && !l.Failure.CountsAgainst() {
			continue
		}
		rs = append(rs, result{a.point, score, scored})
	}
	sort.SliceStable(rs, func(i, j int) bool {
		if rs[i].scored != rs[j].scored {
			return rs[i].scored
		}
		return rs[i].scored && rs[i].score > rs[j].score
	})
	points := make([][]float64, len(rs))
	for i, r := range rs {
		points[i] = r.point
	}
	return points
}

// merit is an attempt's score: its own, that of the candidate with the same
// tree, or its parent's when it proposed nothing.
func merit(v clade.View, l *clade.Life) (float64, bool) {
	of := l
	switch {
	case l.Scored:
	case l.Same == clade.SameAsBase:
		of = v.Life(clade.Base)
	case l.Same > 0:
		of = v.Life(l.Same)
	case l.Commit == "" && l.Failure == clade.OK:
		of = v.Life(l.ParentOr())
	}
	if of == nil || !of.Scored {
		return 0, false
	}
	return of.Score, true
}

// redraws is how often an edit that would change nothing is drawn again.
const redraws = 24

// propose draws values that differ from the parent's and were not tried yet,
// the last drawn that merely differ when there are none, nil when all drawn are
// the parent's.
func (t *tuner) propose(draw uint64, parent map[string]string) (values map[string]string, point []float64) {
	g := Source(draw)
	for range redraws {
		x := t.cma.Ask(g)
		for i := range x {
			x[i] = short6(x[i])
		}
		vs := t.written(x)
		if same(vs, parent) {
			continue
		}
		values, point = vs, x
		if !t.seen[written(vs)] {
			return values, point
		}
	}
	return values, point
}

func (t *tuner) written(x []float64) map[string]string {
	vs := map[string]string{}
	for _, p := range t.params {
		n := dimension(p)
		vs[p.Name], x = p.Written(x[:n]), x[n:]
	}
	return vs
}

// start is what the base says.
func (t *tuner) start() map[string]string {
	vs := map[string]string{}
	for _, p := range t.params {
		vs[p.Name] = p.Value
	}
	return vs
}

func same(a, b map[string]string) bool {
	for name, v := range a {
		w, ok := b[name]
		if !ok || w != v && !equalNumbers(v, w) {
			return false
		}
	}
	return true
}

func equalNumbers(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && x == y
}

// written lists values by name: "block=16, unroll=4".
func written(vs map[string]string) string {
	names := make([]string, 0, len(vs))
	for name := range vs {
		names = append(names, name)
	}
	sort.Strings(names)
	for i, name := range names {
		names[i] = fmt.Sprintf("%s=%s", name, vs[name])
	}
	return strings.Join(names, ", ")
}
