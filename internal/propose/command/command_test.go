package command

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/propose"
	"github.com/cladehq/clade/internal/propose/proposetest"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/none"
	"github.com/cladehq/clade/internal/workspace"
)

func TestMain(m *testing.M) {
	if runtime.GOOS == "windows" {
		os.Exit(0) // the programs here are shell lines
	}
	os.Exit(m.Run())
}

func box(t *testing.T) sandbox.Sandbox {
	t.Helper()
	b, err := none.New(none.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func shell(line string) clade.Operator {
	return clade.Operator{Use: "command", Name: "sh", Command: clade.Command{Run: line}}
}

func made(t *testing.T, o clade.Operator) *Operator {
	t.Helper()
	op, err := New(o, box(t))
	if err != nil {
		t.Fatal(err)
	}
	return op
}

// request is for an operator in a fresh world with a.txt and dir/b.txt below app.
func request(t *testing.T) (propose.Request, *proposetest.Memory) {
	t.Helper()
	m := proposetest.NewMemory()
	base := m.Commit(map[string]string{"app/a.txt": "one\n", "app/dir/b.txt": "two\n"})
	dir := t.TempDir()
	return propose.Request{
		Spec: &clade.Spec{Objective: "be better", Target: clade.Target{Prefix: "app"}, Frozen: []string{"frozen/**"},
			Limits: clade.Limits{Wall: clade.Duration(20 * time.Second)}},
		Attempt: &clade.Attempt{ID: 12, Brief: "the brief", Why: "the reason"}, Try: 2, Draw: 1<<64 - 1,
		Parents: []propose.Parent{{ID: 3, Commit: base, Score: 1.5, Scored: true, Summary: "made it so", Feedback: "again"}},
		Read:    m,
		Open:    func(context.Context) (workspace.Workspace, error) { return proposetest.Open(dir, m, base) },
	}, m
}

func run(t *testing.T, o clade.Operator, change ...func(*propose.Request)) propose.Proposal {
	t.Helper()
	r, _ := request(t)
	for _, c := range change {
		c(&r)
	}
	p, err := made(t, o).Propose(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestConformance(t *testing.T) {
	t.Parallel()
	proposetest.Run(t, func(t *testing.T) proposetest.Subject {
		r, m := request(t)
		return proposetest.Subject{Operator: made(t, shell("echo $CLADE_DRAW > a.txt")), Memory: m, Series: 6,
			Request: func(n int) propose.Request {
				r := r
				a := *r.Attempt
				r.Attempt, r.Draw, r.Parents = &a, uint64(n), append([]propose.Parent(nil), r.Parents...)
				return r
			}}
	})
}

func TestEditsAreTheProposal(t *testing.T) {
	t.Parallel()
	p := run(t, shell("echo more >> a.txt; rm dir/b.txt; echo new > c.txt"))
	var got []string
	for _, c := range p.Changes {
		got = append(got, c.Path+"="+string(c.Data))
	}
	if g := strings.Join(got, "|"); g != "app/a.txt=one\nmore\n|app/c.txt=new\n|app/dir/b.txt=" {
		t.Errorf("changes %q", g)
	}
	if p.Summary != "sh: app/a.txt, app/c.txt, app/dir/b.txt (deleted)" || p.Class != clade.OK || p.Grade != sandbox.GradeNone || p.Spent.Unknown {
		t.Errorf("%+v", p)
	}
}

func TestRequestIsJSON(t *testing.T) {
	t.Parallel()
	o := shell("cat > a.txt")
	o.With = clade.Options{"depth": 3}
	p := run(t, o)
	var got Request
	if err := json.Unmarshal(p.Changes[0].Data, &got); err != nil {
		t.Fatal(err)
	}
	if filepath.Base(got.Workspace) != "app" {
		t.Errorf("workspace %q", got.Workspace)
	}
	got.Workspace = ""
	body, _ := json.Marshal(got)
	want := `{"version":1,"operator":"sh","objective":"be better","attempt":12,"try":2,"brief":"the brief","why":"the reason",` +
		`"draw":"18446744073709551615","workspace":"","allow":[],"frozen":["frozen/**"],` +
		`"parents":[{"id":3,"score":1.5,"summary":"made it so","feedback":"again"}],"with":{"depth":3}}`
	if string(body) != want {
		t.Errorf("got  %s\nwant %s", body, want)
	}
}

// Where the workspace holds the base, the request says what the parents changed.
func TestRequestTellsOfPatches(t *testing.T) {
	t.Parallel()
	p := run(t, shell("cat > a.txt"), func(r *propose.Request) { r.Parents[0].Patch = "--- a\n+++ b\n" })
	var got Request
	if err := json.Unmarshal(p.Changes[0].Data, &got); err != nil || len(got.Parents) != 1 || got.Parents[0].Patch != "--- a\n+++ b\n" {
		t.Errorf("%v, %+v", err, got.Parents)
	}
}

func TestReplies(t *testing.T) {
	t.Parallel()
	dollars := clade.Microdollars(2_500_000)
	full := clade.Amount{Microdollars: dollars, Tokens: 10, Calls: 2}
	for name, c := range map[string]struct {
		line    string
		hold    clade.Microdollars
		summary string
		spent   clade.Amount
		class   clade.Class
	}{
		"in the file":            {`echo '{"summary":"did   it","spent":{"usd":2.5,"tokens":10,"calls":2}}' > $CLADE_REPLY`, 0, "did it", full, ""},
		"in the last line":       {`echo hello; echo '{"summary":"did it","spent":{"usd":2.5,"tokens":10,"calls":2}}'`, 1, "did it", full, ""},
		"the file goes first":    {`echo '{"summary":"file"}' > $CLADE_REPLY; echo '{"summary":"line"}'`, 0, "file", clade.Amount{}, ""},
		"a last line of others":  {`echo '{"score": 3}'`, 0, "sh: app/a.txt", clade.Amount{}, ""},
		"nothing said, money":    {`true`, 5, "sh: app/a.txt", clade.Amount{Unknown: true}, ""},
		"tokens but no dollars":  {`echo '{"spent":{"tokens":7}}'`, 5, "sh: app/a.txt", clade.Amount{Tokens: 7, Unknown: true}, ""},
		"unknown key in file":    {`echo '{"sumary":"x"}' > $CLADE_REPLY`, 0, "", clade.Amount{}, clade.ClassOperator},
		"two values in file":     {`echo '{} {}' > $CLADE_REPLY`, 0, "", clade.Amount{}, clade.ClassOperator},
		"a key twice":            {`echo '{"spent":{"usd":9,"usd":1}}' > $CLADE_REPLY`, 0, "", clade.Amount{}, clade.ClassOperator},
		"another case":           {`echo '{"spent":{"usd":9,"USD":1}}' > $CLADE_REPLY`, 0, "", clade.Amount{}, clade.ClassOperator},
		"only another case":      {`echo '{"Summary":"x"}' > $CLADE_REPLY`, 0, "", clade.Amount{}, clade.ClassOperator},
		"a key twice in a line":  {`echo '{"spent":{"usd":9,"usd":1}}'`, 5, "sh: app/a.txt", clade.Amount{Unknown: true}, ""},
		"another case in a line": {`echo '{"spent":{"usd":9,"USD":1}}'`, 5, "sh: app/a.txt", clade.Amount{Unknown: true}, ""},
		"negative money":         {`echo '{"spent":{"usd":-1}}' > $CLADE_REPLY`, 0, "", clade.Amount{}, clade.ClassOperator},
		"a link for a file":      {`ln -s /etc/passwd $CLADE_REPLY`, 0, "", clade.Amount{}, clade.ClassOperator},
		"a huge file":            {`head -c 100000 /dev/zero > $CLADE_REPLY`, 0, "", clade.Amount{}, clade.ClassOperator},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := run(t, shell("echo x > a.txt; "+c.line), func(r *propose.Request) { r.Attempt.Hold.Microdollars = c.hold })
			if p.Class != c.class || p.Class == clade.OK && (p.Summary != c.summary || p.Spent != c.spent || len(p.Changes) != 1) {
				t.Errorf("got %+v", p)
			}
			if p.Class != clade.OK && !strings.HasPrefix(p.Detail, "operator sh: reading the reply: ") {
				t.Errorf("detail %q", p.Detail)
			}
		})
	}
}

func TestNotesAndFeedback(t *testing.T) {
	t.Parallel()
	p := run(t, shell(`echo x > a.txt; echo '{"notes":["slow is the loop"],"feedback":"f"}'`))
	if len(p.Notes) != 1 || p.Notes[0].Body != "slow is the loop" || p.Notes[0].Kind != clade.NoteFinding || p.Notes[0].About[0] != 12 || p.Feedback != "f" {
		t.Errorf("%+v", p)
	}
}

// F12, B18: output without end, without newlines and that is no text.
// B34: an end by signal is no success.
func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		o     clade.Operator
		class clade.Class
		want  []string
	}{
		"exit status":     {shell("echo out; echo err >&2; echo x > a.txt; exit 3"), clade.ClassOperator, []string{"operator sh: exit status 3", "out\nerr"}},
		"signal (B34)":    {shell("echo x > a.txt; kill -SEGV $$"), clade.ClassOperator, []string{"operator sh: ended by a signal"}},
		"output (F12)":    {shell("head -c 20000000 /dev/zero | tr '\\0' y; echo the end >&2; exit 1"), clade.ClassOperator, []string{"exit status 1", "yyyyy", "the end"}},
		"no text (B18)":   {shell(`printf '\377\376\200\000bad' >&2; exit 1`), clade.ClassOperator, []string{"�bad"}},
		"no such program": {clade.Operator{Use: "nowhere-to-be-found"}, clade.ClassAccess, []string{"operator nowhere-to-be-found needs the program clade-operator-nowhere-to-be-found, which is not on PATH"}},
		"no such argv":    {clade.Operator{Use: "command", Command: clade.Command{Argv: []string{"nowhere-to-be-found"}}}, clade.ClassAccess, []string{"operator command needs the program nowhere-to-be-found"}},
		"no such command": {shell("nowhere-to-be-found"), clade.ClassAccess, []string{"exit status 127", "nowhere-to-be-found"}},
		"not executable":  {shell("echo x > p; ./p"), clade.ClassAccess, []string{"exit status 126"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := run(t, c.o)
			if p.Class != c.class || len(p.Changes) > 0 || len(p.Detail) > 3*excerptMost {
				t.Fatalf("got class %q, %d changes, a detail of %d bytes", p.Class, len(p.Changes), len(p.Detail))
			}
			for _, w := range c.want {
				if !strings.Contains(p.Detail, w) {
					t.Errorf("detail %q lacks %q", p.Detail, w)
				}
			}
		})
	}
}

// B1, B16: the time limit binds although the program ignores it.
func TestTimeLimitBinds(t *testing.T) {
	t.Parallel()
	o := shell("trap '' TERM; while :; do sleep 1; done")
	o.Timeout = clade.Duration(200 * time.Millisecond)
	p := run(t, o)
	if p.Class != clade.ClassOperator || !p.TimedOut || !strings.Contains(p.Detail, "operator sh: did not end within 200ms") {
		t.Errorf("got %+v", p)
	}
}

func TestNothingChanged(t *testing.T) {
	t.Parallel()
	p := run(t, shell(`echo '{"summary":"did nothing"}' > $CLADE_REPLY; cat a.txt > b; cat b > a.txt; rm b`))
	if p.Class != clade.OK || len(p.Changes) > 0 || p.Detail != "operator sh changed nothing" {
		t.Errorf("got %+v", p)
	}
}

func TestEnvironmentIsAList(t *testing.T) {
	t.Setenv("CLADE_TEST_KEY", "s3cret-value")
	t.Setenv("CLADE_TEST_OTHER", "hidden")
	o := shell("env | sort > a.txt; echo key $CLADE_TEST_KEY >&2")
	o.Pass, o.Env = []string{"CLADE_TEST_KEY", "CLADE_TEST_UNSET"}, map[string]string{"EXTRA": "1", "CLADE_TRY": "9"}
	p := run(t, o)
	names := map[string]bool{}
	for line := range strings.Lines(string(p.Changes[0].Data)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		names[name] = true
		if name == "CLADE_TRY" && value != "2" {
			t.Errorf("CLADE_TRY is %s", value)
		}
	}
	for _, want := range []string{"PATH", "HOME", "TMPDIR", "LANG", "CLADE_PROTOCOL", "CLADE_OPERATOR", "CLADE_ATTEMPT", "CLADE_DRAW", "CLADE_REPLY", "EXTRA", "CLADE_TEST_KEY"} {
		if !names[want] {
			t.Errorf("%s is missing", want)
		}
	}
	if names["CLADE_TEST_OTHER"] || names["CLADE_TEST_UNSET"] || names["USER"] {
		t.Errorf("more than the list: %v", names)
	}
	o.Run += "; exit 1"
	if p := run(t, o); strings.Contains(p.Detail, "s3cret") || !strings.Contains(p.Detail, "key [CLADE_TEST_KEY]") {
		t.Errorf("detail %q", p.Detail)
	}
}

func TestExecutableOnPath(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho \"$CLADE_OPERATOR $*\" > a.txt\n"
	err := proc.Unforked(func() error {
		return os.WriteFile(filepath.Join(dir, "clade-operator-scribe"), []byte(script), 0o755)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	p := run(t, clade.Operator{Use: "scribe", Name: "s", Command: clade.Command{Argv: []string{"-x", "y"}}})
	if len(p.Changes) != 1 || string(p.Changes[0].Data) != "s -x y\n" {
		t.Errorf("got %+v", p)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	none := func(string) (string, error) { return "", errors.New("no") }
	for name, c := range map[string]struct {
		o    clade.Operator
		want string
	}{
		"executable": {clade.Operator{Use: "x"}, "operator x needs the program clade-operator-x, which is not on PATH"},
		"argv":       {clade.Operator{Use: "command", Name: "n", Command: clade.Command{Argv: []string{"tool", "x"}}}, "operator n needs the program tool, which is not on PATH"},
		"a path":     {clade.Operator{Use: "command", Command: clade.Command{Argv: []string{"./tool"}}}, ""},
		"a line":     {shell("tool"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := Check(c.o, none)
			if got := ""; err != nil {
				got = err.Error()
				if got != c.want || clade.FaultOf(err) != clade.FaultEnvironment {
					t.Errorf("got %q", got)
				}
			} else if c.want != "" {
				t.Error("no problem")
			}
			if err := Check(c.o, func(s string) (string, error) { return s, nil }); err != nil {
				t.Errorf("found, and still %v", err)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, o := range []clade.Operator{{Use: "command"}, {Use: "../x"}, {Use: ""}, {Use: "a b"}} {
		if _, err := New(o, nil); clade.FaultOf(err) != clade.FaultSpec {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// nested is a workspace in which a repository was made.
type nested struct{ *proposetest.Folder }

func (n nested) Scope(ctx context.Context) (workspace.Scope, error) {
	s, err := n.Folder.Scope(ctx)
	return nestedScope{s}, err
}

type nestedScope struct{ workspace.Scope }

func (nestedScope) Changes(context.Context) ([]ledger.Change, error) {
	return nil, workspace.ErrNestedGit
}

func TestNestedRepositoryIsAgainstTheRules(t *testing.T) {
	t.Parallel()
	p := run(t, shell("true"), func(r *propose.Request) {
		open := r.Open
		r.Open = func(ctx context.Context) (workspace.Workspace, error) {
			w, err := open(ctx)
			return nested{w.(*proposetest.Folder)}, err
		}
	})
	if p.Class != clade.ClassPolicy {
		t.Errorf("got %+v", p)
	}
}

func TestWorkspaceIsClosed(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"echo x > a.txt", "exit 1"} {
		r, _ := request(t)
		open := r.Open
		var got *proposetest.Folder
		r.Open = func(ctx context.Context) (workspace.Workspace, error) {
			w, err := open(ctx)
			got = w.(*proposetest.Folder)
			return w, err
		}
		if _, err := made(t, shell(line)).Propose(context.Background(), r); err != nil || !got.Closed {
			t.Errorf("%s: closed %v, %v", line, got.Closed, err)
		}
	}
}

func FuzzReply(f *testing.F) {
	f.Add([]byte(`{"summary":"x","notes":["a"],"spent":{"usd":1.5,"tokens":3}}`))
	f.Add([]byte("text\n{\"feedback\":\"\"}\n\n"))
	f.Add([]byte(`{"spent":{"usd":"1e9"}}`))
	f.Add([]byte("{}{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, parse := range []func() (Reply, bool){
			func() (Reply, bool) { r, err := parseReply(data); return r, err == nil },
			func() (Reply, bool) { return lastLine(data) },
		} {
			r, ok := parse()
			if s := r.Spent; ok && s != nil && (s.Tokens < 0 || s.Calls < 0 || s.USD != nil && *s.USD < 0) {
				t.Fatalf("negative %+v", *s)
			}
			if n := len([]rune(clade.Line(r.Summary, summaryMost))); n > summaryMost {
				t.Fatalf("summary of %d runes", n)
			}
		}
	})
}
