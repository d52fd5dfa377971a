package agent

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/agent/custom"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/propose/proposetest"
	"github.com/cladehq/clade/internal/sandbox/none"
	"github.com/cladehq/clade/internal/workspace"
)

func TestMain(m *testing.M) {
	if runtime.GOOS == "windows" {
		os.Exit(0) // the agents here are shell lines
	}
	os.Exit(m.Run())
}

// made is an operator whose agent is a shell script.
func made(t *testing.T, script string, edit ...func(*agent.Runner, *clade.Operator)) *Operator {
	t.Helper()
	box, err := none.New(none.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = box.Close() })
	r := &agent.Runner{Driver: custom.New([]string{"sh", "-c", script}), Box: box, Lookup: os.LookupEnv, Scratch: t.TempDir(),
		Command: clade.Command{Timeout: clade.Duration(20 * time.Second)}}
	o := clade.Operator{Use: "agent", Name: "worker"}
	for _, f := range edit {
		f(r, &o)
	}
	return New(o, r)
}

func request(t *testing.T) (propose.Request, *proposetest.Memory) {
	t.Helper()
	m := proposetest.NewMemory()
	base := m.Commit(map[string]string{"app/a.txt": "one\n", "app/t_test.go": "test\n", "other.txt": "x\n"})
	dir := t.TempDir()
	return propose.Request{
		Spec: &clade.Spec{Objective: "be better", Target: clade.Target{Prefix: "app"}, Allow: []string{"*.txt"}, Frozen: []string{"*_test.go"},
			Limits: clade.Limits{Wall: clade.Duration(20 * time.Second)}},
		Attempt: &clade.Attempt{ID: 7, Makes: clade.MakesTree, Brief: "the brief"}, Try: 1,
		Parents: []propose.Parent{{ID: 0, Commit: base}}, Read: m,
		Open: func(context.Context) (workspace.Workspace, error) { return proposetest.Open(dir, m, base) },
	}, m
}

func TestConformance(t *testing.T) {
	t.Parallel()
	proposetest.Run(t, func(t *testing.T) proposetest.Subject {
		r, m := request(t)
		return proposetest.Subject{Operator: made(t, "cat > /dev/null; echo more >> a.txt"), Memory: m, Series: 3,
			Request: func(n int) propose.Request {
				r := r
				a := *r.Attempt
				r.Attempt, r.Draw, r.Parents = &a, uint64(n), append([]propose.Parent(nil), r.Parents...)
				return r
			}}
	})
}

func TestProposals(t *testing.T) {
	t.Parallel()
	said := func(more string) string {
		return `printf '%s\n' '{"text":"I did.\n**Summary: made it more**"` + more + `}'`
	}
	for name, c := range map[string]struct {
		script  string
		hold    clade.Microdollars
		class   clade.Class
		paths   string
		summary string
		detail  string // part of it
		spent   clade.Amount
		notes   int
	}{
		"an edit":                 {"cat >/dev/null; echo more >> a.txt;" + said(""), 0, clade.OK, "app/a.txt", "made it more", "", clade.Amount{}, 0},
		"no summary":              {"echo more >> a.txt; echo done", 0, clade.OK, "app/a.txt", "custom: app/a.txt", "", clade.Amount{}, 0},
		"the prompt is given":     {"grep -q 'the brief' && grep -q nothing || echo ok > a.txt", 0, clade.OK, "app/a.txt", "custom: app/a.txt", "", clade.Amount{}, 0},
		"what a build drops":      {"echo more >> a.txt; echo junk > a.out; mkdir .cache; echo x > .cache/y", 0, clade.OK, "app/a.txt", "custom: app/a.txt", "", clade.Amount{}, 1},
		"a frozen file is kept":   {"echo more >> a.txt; echo x > new_test.go", 0, clade.OK, "app/a.txt app/new_test.go", "custom: app/a.txt, app/new_test.go", "", clade.Amount{}, 0},
		"an outside edit is kept": {"echo more >> ../other.txt", 0, clade.OK, "other.txt", "custom: other.txt", "", clade.Amount{}, 0},
		"nothing":                 {said(""), 0, clade.OK, "", "", "changed nothing: I did.", clade.Amount{}, 0},
		"signed out":              {`echo x > a.txt; echo '{"end":"signed-out"}'; exit 1`, 0, clade.ClassAccess, "", "", "is not signed in", clade.Amount{}, 0},
		"rate limited":            {`echo x > a.txt; echo '{"end":"rate-limited"}'; exit 1`, 0, clade.ClassModel, "", "", "was rate limited", clade.Amount{}, 0},
		"refused":                 {`echo '{"end":"refused"}'`, 0, clade.ClassOperator, "", "", "would not do it", clade.Amount{}, 0},
		"half an edit":            {"echo x > a.txt; exit 3", 0, clade.ClassOperator, "", "", "failed", clade.Amount{}, 0},
		"a cap ended it":          {`echo x > a.txt; echo '{"end":"limit","text":"so far"}'`, 0, clade.OK, "app/a.txt", "custom: app/a.txt", "", clade.Amount{}, 0},
		"money told":              {"echo x > a.txt;" + said(`,"spent":{"usd":0.25,"tokens":9,"calls":2}`), 500_000, clade.OK, "app/a.txt", "made it more", "", clade.Amount{Microdollars: 250_000, Tokens: 9, Calls: 2}, 0},
		"money not told":          {"echo x > a.txt", 500_000, clade.OK, "app/a.txt", "custom: app/a.txt", "", clade.Amount{Microdollars: 500_000, Unknown: true, Assumed: true}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := request(t)
			r.Attempt.Hold.Microdollars = c.hold
			p, err := made(t, c.script).Propose(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			var paths []string
			for _, ch := range p.Changes {
				paths = append(paths, ch.Path)
			}
			if p.Class != c.class || strings.Join(paths, " ") != c.paths || p.Summary != c.summary || !strings.Contains(p.Detail, c.detail) ||
				p.Spent != c.spent || len(p.Notes) != c.notes {
				t.Errorf("%+v", p)
			}
		})
	}
}

// F47: an agent that prints nothing, one that does not end, and one that prints
// without end, end in bounded time.
func TestClocks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script     string
		idle, wall time.Duration
		want       string
	}{
		"idle":         {"sleep 600", 100 * time.Millisecond, 20 * time.Second, "printed nothing for 100ms"},
		"busy for too": {"while :; do echo x; sleep 0.05; done", 5 * time.Second, 400 * time.Millisecond, "did not end within 400ms"},
		"a flood":      {"yes", 5 * time.Second, 400 * time.Millisecond, "did not end within 400ms"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := request(t)
			r.Spec.Limits.Output = 64 << 10
			o := made(t, c.script, func(r *agent.Runner, _ *clade.Operator) {
				r.Idle, r.Command.Timeout = c.idle, clade.Duration(c.wall)
			})
			p, err := o.Propose(t.Context(), r)
			if err != nil || p.Class != clade.ClassOperator || !p.TimedOut || !strings.Contains(p.Detail, c.want) || len(p.Changes) > 0 {
				t.Errorf("%+v, %v", p, err)
			}
		})
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	script := `grep -q 'Change nothing' || exit 9; echo x > a.txt; echo '{"text":"[{\"hypothesis\":\"h\"}]"}'`
	r, _ := request(t)
	r.Attempt.Makes = clade.MakesNotes
	for role, kind := range map[string]clade.NoteKind{clade.RoleIdeate: clade.NoteProposal, clade.RoleReview: clade.NoteFinding} {
		p, err := made(t, script, func(_ *agent.Runner, o *clade.Operator) { o.Role = role }).Propose(t.Context(), r)
		if err != nil || p.Class != clade.OK || len(p.Changes) > 0 || len(p.Notes) != 1 || p.Notes[0].Kind != kind {
			t.Errorf("%s: %+v, %v", role, p, err)
		}
	}
}

// No planted key reaches what is kept of a run.
func TestKeysAreHidden(t *testing.T) {
	t.Setenv("CLADE_TEST_KEY", "planted-key-0123456789")
	r, _ := request(t)
	var log strings.Builder
	r.Log = func(text string) { log.WriteString(text) }
	o := made(t, `printf 'key %s' "${CLADE_TEST_KEY}"; echo; echo x > a.txt; echo "{\"text\":\"Summary: used $CLADE_TEST_KEY\"}"`,
		func(r *agent.Runner, _ *clade.Operator) { r.Command.Pass = []string{"CLADE_TEST_KEY"} })
	p, err := o.Propose(t.Context(), r)
	if err != nil || strings.Contains(p.Summary+p.Feedback+p.Detail+log.String(), "planted-key") || !strings.Contains(p.Summary, "[CLADE_TEST_KEY]") ||
		!strings.Contains(log.String(), "key [CLADE_TEST_KEY]") {
		t.Errorf("%+v, %v, log %q", p, err, log.String())
	}
}
