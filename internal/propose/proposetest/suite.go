package proposetest

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/propose"
)

// A Subject is an operator under test in a world of its own.
type Subject struct {
	Operator propose.Operator
	Memory   *Memory
	// Request is the n-th of a series of requests that differ in their draw.
	// Calling it twice with the same n gives equal requests.
	Request func(n int) propose.Request
	// Series is how many requests the suite makes of each kind; 0: 40.
	Series int
}

// Run runs the suite. The operator must make a proposal for most requests.
func Run(t *testing.T, subject func(t *testing.T) Subject) {
	for name, test := range map[string]func(*testing.T, Subject){
		"a proposal changes something, keeps to the rules and says what": keepsRules,
		"the same request gives the same proposal":                       repeats,
		"requests may be made at the same time":                          concurrent,
		"a cancelled request is an error and no verdict":                 cancelled,
		"the request is left as it was":                                  leavesRequest,
		"a strange brief is no error":                                    strangeBrief,
		"parents' strange feedback is no error":                          strangeFeedback,
		"nothing that may be edited gives no proposal":                   nothingAllowed,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subject(t)
			if s.Series == 0 {
				s.Series = 40
			}
			test(t, s)
		})
	}
}

func must(t *testing.T, s Subject, r propose.Request) propose.Proposal {
	t.Helper()
	p, err := s.Operator.Propose(context.Background(), r)
	if err != nil {
		t.Fatalf("brief %q: %v", r.Attempt.Brief, err)
	}
	return p
}

func keepsRules(t *testing.T, s Subject) {
	made := 0
	for n := range s.Series {
		r := s.Request(n)
		p := must(t, s, r)
		if p.Class != clade.OK {
			t.Fatalf("request %d failed: %s: %s", n, p.Class, p.Detail)
		}
		if p.Grade == "" {
			t.Errorf("request %d: the grade of isolation is missing", n)
		}
		if len(p.Changes) == 0 {
			if p.Detail == "" {
				t.Errorf("request %d proposed nothing without saying why", n)
			}
			continue
		}
		made++
		for _, problem := range Problems(s.Memory, r, p) {
			t.Errorf("request %d: %s", n, problem)
		}
	}
	if made*2 <= s.Series {
		t.Errorf("%d of %d requests gave a proposal, want most", made, s.Series)
	}
}

// Problems lists what is wrong with a proposal that has changes.
func Problems(m *Memory, r propose.Request, p propose.Proposal) (out []string) {
	out = propose.Violations(r.Spec, p.Changes)
	was := m.Files(r.Parents[0].Commit)
	seen := map[string]bool{}
	for _, c := range p.Changes {
		old, had := was[c.Path]
		switch {
		case seen[c.Path]:
			out = append(out, fmt.Sprintf("%s is changed twice", c.Path))
		case c.Delete && !had:
			out = append(out, fmt.Sprintf("%s is deleted but was not there", c.Path))
		case !c.Delete && c.Mode == "":
			out = append(out, fmt.Sprintf("%s has no mode", c.Path))
		case had && !c.Delete && c.Blob == "" && old == string(c.Data):
			out = append(out, fmt.Sprintf("%s is not changed at all", c.Path))
		}
		seen[c.Path] = true
	}
	if s := p.Summary; strings.TrimSpace(s) == "" || !utf8.ValidString(s) || utf8.RuneCountInString(s) > 200 || strings.ContainsFunc(s, unicode.IsControl) {
		out = append(out, fmt.Sprintf("summary %q is not one line of 1 to 200 printable characters", s))
	}
	return out
}

func repeats(t *testing.T, s Subject) {
	for n := range s.Series {
		a, b := must(t, s, s.Request(n)), must(t, s, s.Request(n))
		a.Spent, b.Spent = clade.Amount{}, clade.Amount{}
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("request %d: %+v, then %+v", n, a, b)
		}
	}
}

func concurrent(t *testing.T, s Subject) {
	var all sync.WaitGroup
	got := make([]propose.Proposal, s.Series)
	for n := range s.Series {
		all.Go(func() {
			p, err := s.Operator.Propose(context.Background(), s.Request(n))
			if err != nil {
				t.Errorf("request %d: %v", n, err)
			}
			got[n] = p
		})
	}
	all.Wait()
	for n := range s.Series {
		if want := must(t, s, s.Request(n)); !reflect.DeepEqual(want.Changes, got[n].Changes) {
			t.Errorf("request %d gave other changes when made with others", n)
		}
	}
}

func cancelled(t *testing.T, s Subject) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if p, err := s.Operator.Propose(ctx, s.Request(0)); err == nil {
		t.Errorf("got %+v and no error", p)
	}
}

func leavesRequest(t *testing.T, s Subject) {
	r := s.Request(0)
	before := fmt.Sprintf("%+v %+v %+v %v", *r.Attempt, *r.Spec, r.Parents, r.Space)
	must(t, s, r)
	if after := fmt.Sprintf("%+v %+v %+v %v", *r.Attempt, *r.Spec, r.Parents, r.Space); after != before {
		t.Errorf("the request was\n%s\nand is\n%s", before, after)
	}
}

func strangeBrief(t *testing.T, s Subject) {
	for _, brief := range []string{"", "make it faster, please", "{", `{"v":99}`, `{"v":1,"kind":"number","file":"no/such","moves":[]}`,
		`{"v":1,"kind":"cross","ancestor":"","draw":"7"}`, "null", "[]", "\xff\xfe"} {
		r := s.Request(0)
		r.Attempt.Brief = brief
		p := must(t, s, r)
		if p.Class != clade.OK && (p.Class != clade.ClassOperator || p.Detail == "" || len(p.Changes) > 0) {
			t.Errorf("brief %q: class %q, detail %q, %d changes", brief, p.Class, p.Detail, len(p.Changes))
		}
	}
}

func strangeFeedback(t *testing.T, s Subject) {
	for _, text := range []string{"prose", "{", `{"steps":{"a.txt":"x:y"}}`, `{"steps":{"a.txt":"999999:5 0:-1600"},"tunes":{"x":"NaN"}}`, "\x00"} {
		r := s.Request(1)
		for i := range r.Parents {
			r.Parents[i].Feedback = text
		}
		if p := must(t, s, r); p.Class != clade.OK {
			t.Errorf("feedback %q: %s: %s", text, p.Class, p.Detail)
		}
	}
}

func nothingAllowed(t *testing.T, s Subject) {
	r := s.Request(0)
	spec := *r.Spec
	spec.Frozen = []string{"**"}
	r.Spec = &spec
	p := must(t, s, r)
	if len(p.Changes) > 0 && len(propose.Violations(r.Spec, p.Changes)) == 0 {
		t.Errorf("changed %s although everything is frozen", p.Changes[0].Path)
	}
}
