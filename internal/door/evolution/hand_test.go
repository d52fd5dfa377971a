package evolution

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/dispatch"
	"github.com/cladehq/clade/internal/dispatch/local"
	"github.com/cladehq/clade/internal/format/native"
	"github.com/cladehq/clade/internal/policy"
	"github.com/cladehq/clade/internal/policy/noise"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/strategy"
	"github.com/cladehq/clade/internal/strategy/generational"
)

// newBench makes a repository with an evolution of which nothing was tried yet,
// and nobody but hands to try it.
func newBench(t *testing.T, budget string) *site {
	t.Helper()
	s := &site{t: t, dir: repository(t, nil).here, now: time.Date(2026, 5, 8, 16, 30, 0, 0, time.UTC)}
	s.f = folder{filepath.Join(s.dir, filepath.FromSlash(evolutionDir))}
	yaml, _, _ := strings.Cut(largerYAML, "variants:\n")
	s.put(files{"src/n": "1\n", evolutionDir + "/evolution.yaml": strings.Replace(yaml, "{max_variants: 2, parallel: 1}", budget, 1) + "variants: []\n",
		evolutionDir + "/EVOLUTION.md": largerPage, ".gitignore": "/.agents/evolutions/*/variants/\n"})
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "base")
	c := s.control(t.TempDir())
	c.Overlay, c.Complete = native.Overlay, native.Complete
	c.Isolation = func(context.Context, *clade.Spec, []string) (control.Isolation, error) {
		return control.Isolation{Grade: "none"}, nil
	}
	c.Rules, c.Design = noise.Rules(), noise.Refuse
	c.Operators = func(*clade.Spec, control.Tools) (map[string]propose.Operator, error) { return nil, nil }
	c.Search = func(spec *clade.Spec) (strategy.Search, error) {
		return strategy.NewCampaign(generational.New(spec, policy.Briefers{})), nil
	}
	c.Dispatch = func(ctx context.Context, slots int, perform dispatch.Perform) dispatch.Dispatcher {
		return local.New(ctx, slots, perform)
	}
	s.door = &Door{c: c, here: s.dir, clock: func() time.Time { return s.now }}
	return s
}

func (s *site) next(o Handing) *Batch {
	s.t.Helper()
	b, err := s.door.Next(s.t.Context(), "1", o)
	must(s.t, err)
	return b
}

// works leaves what a worker leaves.
func (s *site) works(variant string, n, claim int) {
	s.t.Helper()
	must(s.t, os.WriteFile(filepath.Join(s.f.workspace(variant), "src", "n"), fmt.Appendf(nil, "%d\n", n), 0o644))
	must(s.t, os.WriteFile(s.f.result(variant),
		fmt.Appendf(nil, `{"status": "evaluated", "gates": [{"id": "G1", "passes": true}], "rubric": [{"id": "R1", "value": %d}]}`, claim), 0o644))
}

func (s *site) ingest() (as map[string]string, ran *Ran) {
	s.t.Helper()
	in, err := s.door.Ingest(s.t.Context(), "1", nil, Launch{Tell: func(text string) { s.told = append(s.told, text) }})
	if err != nil && clade.FaultOf(err) != clade.FaultNoWinner {
		s.t.Fatal(err)
	}
	as = map[string]string{}
	for _, one := range in.Taken {
		as[one.Variant] = one.As
	}
	return as, in.Ran
}

func variantsOf(b *Batch) (out []string) {
	for _, t := range b.Tasks {
		out = append(out, t.Variant)
	}
	return out
}

// E61: a lease that is over gives the variant to whoever asks next; what the
// first one hands in then is his no more, and cannot be taken for the other's.
func TestE61Lease(t *testing.T) {
	t.Parallel()
	s := newBench(t, "{max_variants: 4, parallel: 2}")
	if b := s.next(Handing{Who: "ann", Lease: time.Hour}); strings.Join(variantsOf(b), " ") != "v1 v2" || !b.Until.Equal(s.now.Add(time.Hour)) {
		t.Fatalf("%v until %s", variantsOf(b), b.Until)
	}
	s.works("v1", 2, 2)
	must(t, os.Remove(s.f.result("v1")))
	s.now = s.now.Add(time.Hour - time.Second)
	if _, err := s.door.Next(t.Context(), "1", Handing{Who: "bob"}); clade.FaultOf(err) != clade.FaultBusy {
		t.Errorf("before the end of the lease: %v", err)
	}

	s.now = s.now.Add(time.Second)
	b := s.next(Handing{Who: "bob", Lease: time.Hour})
	if strings.Join(variantsOf(b), " ") != "v1 v2" {
		t.Fatalf("after it: %v", variantsOf(b))
	}
	if was, err := os.ReadFile(s.f.workspace("v1") + ".1/src/n"); err != nil || string(was) != "2\n" {
		t.Errorf("what ann made is not kept: %q %v", was, err)
	}
	if as, _ := s.ingest(); as["v1"] != "waiting" || as["v2"] != "waiting" {
		t.Errorf("of bob: %v", as)
	}
	s.works("v1", 7, 7)
	if as, _ := s.ingest(); as["v1"] != "measured" {
		t.Errorf("of bob: %v", as)
	}
	r, err := s.door.Show("1")
	must(t, err)
	if x := r.Rows[0].Values["R1"]; x == nil || *x != 7 {
		t.Errorf("v1 is measured as %v", x)
	}

	// Twice in all: v2 is nobody's any more.
	s.now = s.now.Add(2 * time.Hour)
	if b := s.next(Handing{Who: "cid", Lease: time.Hour}); strings.Join(variantsOf(b), " ") != "v3 v4" {
		t.Errorf("then: %v", variantsOf(b))
	}
	r, err = s.door.Show("1")
	must(t, err)
	if row := r.Rows[1]; row.Variant != "v2" || row.Status != "errored" {
		t.Errorf("v2: %+v", row)
	}
}

// E61: what was done before anybody else got the variant counts, whoever comes
// for it then.
func TestE61TakenLate(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"ingest", "next"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			s := newBench(t, "{max_variants: 2, parallel: 2}")
			s.next(Handing{Who: "ann", Lease: time.Hour})
			s.works("v1", 5, 1000000)
			s.now = s.now.Add(3 * time.Hour)
			if by == "next" {
				if b := s.next(Handing{Who: "bob"}); strings.Join(variantsOf(b), " ") != "v2" {
					t.Errorf("bob gets %v", variantsOf(b))
				}
			}
			_, ran := s.ingest()
			if row := ran.Rows[0]; row.Variant != "v1" || *row.Values["R1"] != 5 || row.Claim["R1"] != 1000000 {
				t.Errorf("%+v", row)
			}
		})
	}
}
