package edit

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

func TestStepsRoundTrip(t *testing.T) {
	t.Parallel()
	var f Feedback
	s := f.Of("a.txt")
	// log2(8) is 3, or 48 sixteenths; log2(0.1) is -3.3219, or -53.15.
	if got := s.Set(4, 8); got != 8 {
		t.Errorf("8 became %v", got)
	}
	s.Set(2, 0.1)
	s.Set(4, 16) // moved last
	if got, want := f.String(), `{"steps":{"a.txt":"2:-53 4:64"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	back := ParseFeedback(f.String())
	if v, ok := back.Of("a.txt").Get(2); !ok || math.Abs(v-math.Exp2(-53.0/16)) > 1e-15 {
		t.Errorf("step of 2 came back as %v, %v", v, ok)
	}
	if _, ok := back.Of("a.txt").Get(3); ok {
		t.Error("3 never moved")
	}
}

func TestStepsShift(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, removed, added int
		want                  string
	}{
		"two gone":        {1, 2, 0, "0:10 1:13 2:14"},
		"one more":        {2, 0, 1, "0:10 1:11 3:12 4:13 5:14"},
		"one for another": {4, 1, 1, "0:10 1:11 2:12 3:13"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := ParseFeedback(`{"steps":{"f":"0:10 1:11 2:12 3:13 4:14"}}`)
			f.Of("f").Shift(c.first, c.removed, c.added)
			if got, want := f.String(), fmt.Sprintf(`{"steps":{"f":%q}}`, c.want); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestStepsForgetTheOldest(t *testing.T) {
	t.Parallel()
	var s Steps
	for i := range trackedSteps + 3 {
		s.Set(i, 1)
	}
	if _, ok := s.Get(2); ok || len(s.at) != trackedSteps {
		t.Errorf("2 is remembered (%v), %d are", ok, len(s.at))
	}
}

func TestWritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		p    Parameter
		x    []float64
		want string
	}{
		"range":           {Parameter{Low: 2, High: 4}, []float64{0.25}, "2.5"},
		"whole":           {Parameter{Low: 2, High: 4}, []float64{0.5}, "3.0"},
		"mirrored above":  {Parameter{Low: 0, High: 1}, []float64{1.25}, "0.75"},
		"mirrored below":  {Parameter{Low: 0, High: 1}, []float64{-0.25}, "0.25"},
		"log middle":      {Parameter{Low: 0.01, High: 1, Log: true}, []float64{0.5}, "0.1"},
		"int first third": {Parameter{Low: 1, High: 3, Int: true}, []float64{0.33}, "1"},
		"int last third":  {Parameter{Low: 1, High: 3, Int: true}, []float64{0.67}, "3"},
		"int bound":       {Parameter{Low: 1, High: 3, Int: true}, []float64{1}, "3"},
		// From 0.5 to 1024.5 in the logarithm: the middle is sqrt(512.25) = 22.6.
		"int log": {Parameter{Low: 1, High: 1024, Int: true, Log: true}, []float64{0.5}, "23"},
		"choice":  {Parameter{Choices: []string{"a", "b", "c"}}, []float64{0.1, 0.9, 0.3}, "b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.p.Written(c.x); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// The present value is where the search starts.
func TestStartIsThePresentValue(t *testing.T) {
	t.Parallel()
	for _, p := range []Parameter{
		{Low: 2, High: 4, Value: "2.5"}, {Low: 0.01, High: 1, Log: true, Value: "0.1"}, {Low: 1, High: 3, Int: true, Value: "3"},
		{Low: 1, High: 1024, Int: true, Log: true, Value: "64"}, {Choices: []string{"a", "b"}, Value: "b"},
	} {
		if got := p.Written(p.start()); got != p.Value {
			t.Errorf("%+v starts at %s", p, got)
		}
	}
}

// optimise runs ask and tell for n points and returns the best value.
func optimise(n, dim int, f func(x []float64) float64) float64 {
	mean := make([]float64, dim)
	for i := range mean {
		mean[i] = 0.8
	}
	c, g := newCMA(mean, 0.25, nil), Source(1)
	best := math.Inf(1)
	for n > 0 {
		type point struct {
			x []float64
			v float64
		}
		var batch []point
		for range c.Lambda() {
			x := c.Ask(g)
			batch = append(batch, point{x, f(x)})
			best = math.Min(best, f(x))
			n--
		}
		var xs [][]float64
		for len(batch) > 0 {
			k := 0
			for i := range batch {
				if batch[i].v < batch[k].v {
					k = i
				}
			}
			xs = append(xs, batch[k].x)
			batch = append(batch[:k], batch[k+1:]...)
		}
		c.Tell(xs)
	}
	return best
}

func TestCMAFindsOptima(t *testing.T) {
	t.Parallel()
	sphere := func(x []float64) (s float64) {
		for _, v := range x {
			s += (v - 0.3) * (v - 0.3)
		}
		return s
	}
	// A rotated ellipsoid of condition 1e4: without covariance it takes long.
	ridge := func(x []float64) float64 {
		a, b := x[0]+x[1]-1, x[0]-x[1]
		return a*a + 1e4*b*b
	}
	if got := optimise(1500, 5, sphere); got > 1e-8 {
		t.Errorf("sphere: %g", got)
	}
	if got := optimise(1500, 2, ridge); got > 1e-8 {
		t.Errorf("ridge: %g", got)
	}
}

// A told point that was asked of an older state moves the mean towards it.
func TestCMATakesForeignPoints(t *testing.T) {
	t.Parallel()
	c := newCMA([]float64{0.5, 0.5}, 0.1, nil)
	var xs [][]float64
	for range c.Lambda() {
		xs = append(xs, []float64{5, 5}) // improbably far: drawn in
	}
	c.Tell(xs)
	if c.mean[0] <= 0.5 || c.mean[0] > 1 || math.IsNaN(c.sigma) {
		t.Errorf("mean %v, sigma %v", c.mean, c.sigma)
	}
}

func TestSharesFollowSuccess(t *testing.T) {
	t.Parallel()
	prior := priors(&Space{Files: []File{{Path: "a.go", Numbers: 5, Lines: 9, Tokens: 30}}})
	var none credit
	if got := none.shares(prior); !reflect.DeepEqual(got, prior) {
		t.Errorf("with no history shares are %v, want the priors %v", got, prior)
	}
	var c credit
	for id := range clade.ID(400) {
		c.add(id, 0, id%2 == 0)
		c.add(id, 4, false)
	}
	got := c.shares(prior)
	if got[0] <= prior[0] || got[4] >= prior[4] || got[4] < floor*prior[4] {
		t.Errorf("shares %v of priors %v", got, prior)
	}
	if got[3] != 0 {
		t.Error("there is nothing to tune")
	}
}

func TestCreditDoesNotDependOnOrder(t *testing.T) {
	t.Parallel()
	var a, b credit
	for i := range clade.ID(500) {
		a.add(i, int(i)%5, i%3 == 0)
	}
	for i := clade.ID(499); i >= 0; i-- {
		b.add(i, int(i)%5, i%3 == 0)
	}
	if !reflect.DeepEqual(a, b) {
		t.Error("the order of arrival shows")
	}
}

func TestPriorsOfData(t *testing.T) {
	t.Parallel()
	p := priors(&Space{Files: []File{{Path: "x", Numbers: 78, Lines: 26, Tokens: 0, Data: true}}})
	sum, numbers := 0.0, p[0]+p[1]+p[2]
	for _, s := range p {
		sum += s
	}
	if numbers/sum < 0.9 {
		t.Errorf("numbers get %.2f of %v", numbers/sum, p)
	}
}

func TestHeavyTails(t *testing.T) {
	t.Parallel()
	g := Source(3)
	far := 0
	for range 20000 {
		z := heavy(g)
		if math.Abs(z) < 0.01 || math.Abs(z) > farthest || math.IsNaN(z) {
			t.Fatalf("drew %v", z)
		}
		if math.Abs(z) > 4 {
			far++
		}
	}
	// With two degrees of freedom P(|t| > 4) is 1 - 4/sqrt(18) = 0.0572.
	if p := float64(far) / 20000; math.Abs(p-0.0572) > 0.008 {
		t.Errorf("%.4f lie beyond 4, want 0.0572", p)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"v":1,"kind":"number","file":"a","moves":[{"at":0.5,"z":[1],"grow":[1]}],"draw":"7"}`)
	f.Add(`{"v":1,"kind":"tune","values":{"a":"1"},"point":[0.5],"draw":"0"}`)
	f.Add(`{"steps":{"f":"0:10 1:11"},"tunes":{"a":"b"}}`)
	f.Add(`{"v":1,"use":"mutate","files":[{"path":"a","numbers":3}],"tunes":[{"name":"a","low":1,"high":2}]}`)
	f.Add("prose")
	f.Add("{")
	f.Fuzz(func(t *testing.T, text string) {
		if b, err := ParseBrief(text, 1); err == nil {
			again, err := ParseBrief(b.String(), 1)
			if err != nil || again.String() != b.String() {
				t.Fatalf("%q is read as %q, then %q (%v)", text, b, again, err)
			}
		}
		fb := ParseFeedback(text)
		if s := fb.String(); s != "" {
			if again := ParseFeedback(s); again.String() != s {
				t.Fatalf("%q is read as %s, then %s", text, s, again.String())
			}
		}
		ParseSpace(text)
		if b := Default(text, 5).String(); !strings.HasPrefix(b, `{"v":1,"kind":"`) {
			t.Fatalf("default brief %s", b)
		}
	})
}
