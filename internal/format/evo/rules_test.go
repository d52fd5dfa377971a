package evo

import (
	"errors"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/policy/frontier"
)

func TestResults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data string
		want float64
		err  error
	}{
		"a number":         {`{"score": 0.5}`, .5, nil},
		"a whole one":      {`{"score": 3}`, 3, nil},
		"minus zero":       {`{"score": -0.0}`, 0, nil},
		"empty":            {``, 0, ErrEmptyResult},
		"NaN":              {`{"score": NaN}`, 0, ErrNotANumber},
		"infinite":         {`{"score": Infinity}`, 0, ErrNotANumber},
		"too large":        {`{"score": 1e999}`, 0, ErrNotANumber},
		"too small":        {`{"score": 1e-999}`, 0, ErrNotANumber},
		"a boolean":        {`{"score": true}`, 0, ErrNotANumber},
		"text":             {`{"score": "2.5"}`, 0, ErrNotANumber},
		"null":             {`{"score": null}`, 0, ErrNotANumber},
		"no score":         {`{"tasks": {}}`, 0, ErrMissingScore},
		"no mapping":       {`[0.5]`, 0, ErrMissingScore},
		"another capital":  {`{"Score": 1}`, 0, ErrMissingScore},
		"given twice":      {`{"score": 1, "score": 2}`, 0, nil},
		"not whole":        {`{"score": 1`, 0, nil},
		"and something":    {`{"score": 1} done`, 0, nil},
		"twice in a task":  {`{"score": 1, "tasks": {"a": 1, "a": 2}}`, 0, nil},
		"unknown survives": {`{"score": 1, "note": "x"}`, 1, nil},
	} {
		r, err := ReadResult([]byte(c.data))
		switch {
		case c.err != nil && !errors.Is(err, c.err):
			t.Errorf("%s: %v, want %v", name, err, c.err)
		case c.err == nil && c.want == 0 && name != "minus zero" && err == nil:
			t.Errorf("%s: accepted as %v", name, r.Score)
		case c.want != 0 && (err != nil || r.Score != c.want):
			t.Errorf("%s: %v", name, err)
		case name == "minus zero" && (err != nil || math.Signbit(r.Score)):
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Spec: without a file all of the output is the result. A benchmark that says
// more is understood too, as long as one line alone is a result.
func TestResultsOfOutput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		out  string
		want float64
		err  error
	}{
		"the whole":             {"\n {\"score\": 2}\n", 2, nil},
		"several lines":         {"{\n \"score\": 2\n}\n", 2, nil},
		"one line of several":   {"starting\n{\"score\": 1}\n", 1, nil},
		"others are objects":    {"{\"step\": 1}\n{\"score\": 1}\n", 1, nil},
		"two results":           {"{\"score\": 1}\n{\"score\": 2}\n", 0, ErrManyResults},
		"nothing":               {" \n", 0, ErrNoOutput},
		"a number is none":      {"0.5\n", 0, ErrMissingScore},
		"words":                 {"score: 0.5\n", 0, ErrOutputUnknown},
		"a line with NaN":       {"x\n{\"score\": NaN}\n", 0, ErrNotANumber},
		"an object in a phrase": {"got {\"score\": 1}\n", 0, ErrOutputUnknown},
	} {
		r, err := ResultOfOutput([]byte(c.out))
		if c.err != nil && !errors.Is(err, c.err) || c.err == nil && (err != nil || r.Score != c.want) {
			t.Errorf("%s: %v %v", name, r, err)
		}
	}
}

func TestTasks(t *testing.T) {
	t.Parallel()
	r, err := ReadResult([]byte(`{"score": 1, "tasks": {"a": 1, "b": "2", "c": NaN, "d": true, "e": null, "f": 0},
		"tasks_meta": {"a": {"direction": "min"}, "f": {"direction": "up"}},
		"artifacts": {"best": "x/y", "none": null, "n": 3}}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Tasks) != 2 || r.Tasks["a"] != 1 || r.Directions["a"] != frontier.Min || len(r.Directions) != 1 || len(r.Unfit) != 4 {
		t.Errorf("%+v", r)
	}
	if len(r.Artifacts) != 1 || r.Artifacts[0].Label != "best" || r.Artifacts[0].Path != "x/y" {
		t.Errorf("%+v", r.Artifacts)
	}
	if err := r.CheckTasks(5); err != nil {
		t.Error(err)
	}
	bare, _ := ReadResult([]byte(`{"score": 1, "tasks": {}}`))
	if bare.CheckTasks(1) != nil || bare.CheckTasks(2) == nil {
		t.Error("two traces need tasks, one does not")
	}
	list := DeclaredArtifacts(mustParse(t, `{"artifacts": [{"name": "m", "path": "p"}, {"kind": "k", "uri": "u"}, {"path": "q"}, {"name": "no"}, 1]}`), "s")
	got := ""
	for _, a := range list {
		got += a.Label + "=" + a.Path + " "
	}
	if got != "m=p k=u artifact-3=q " {
		t.Error(got)
	}
}

func TestTraces(t *testing.T) {
	t.Parallel()
	r := recorded(t, "v08")
	var all []*Trace
	for _, name := range []string{"task_t 1.json", "task_t2.json"} {
		trace, err := ReadTrace(name, []byte(r["end/run_0000/"+AttemptDir("exp_0005", 4)+"/traces/"+name]))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, trace)
	}
	score, result, ok := Salvage(all)
	o, _, err := ReadOutcome(OutcomeFile, []byte(r["end/run_0000/"+AttemptDir("exp_0005", 4)+"/"+OutcomeFile]))
	if err != nil || !ok || score != *o.Score {
		t.Errorf("%v, want %v (%v)", score, *o.Score, err)
	}
	n := end(t, r).Nodes["exp_0005"]
	if got := Marshal(result); string(got) != string(Marshal(n.BenchmarkResult)) {
		t.Errorf("%s", got)
	}
	for name, c := range map[string]struct{ data, want string }{
		"said":       {`{"task_id": "a", "score": 0, "status": "passed"}`, "a passed true"},
		"passed":     {`{"task_id": 7, "score": 0.5}`, "7 passed true"},
		"failed":     {`{"task_id": "a", "score": 0.49}`, "a failed true"},
		"no score":   {`{"task_id": "a", "score": "1"}`, "a  false"},
		"not finite": {`{"task_id": "a", "score": NaN}`, "a  false"},
	} {
		if tr, err := ReadTrace("t.json", []byte(c.data)); err != nil || fmt.Sprint(tr.Task, " ", tr.Status, " ", tr.Scored) != c.want {
			t.Errorf("%s: %+v %v", name, tr, err)
		}
	}
	if _, err := ReadTrace("t.json", []byte(`{"score": 1}`)); !errors.Is(err, ErrNoTask) {
		t.Error(err)
	}
	if _, _, ok := Salvage(nil); ok {
		t.Error("salvaged nothing")
	}
}

// Names that a person or a benchmark gives name no file elsewhere (§8: a gate
// called unit/core, a task called suite/a, get with ../../).
func TestNamesStayWithin(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"unit/core": "gate_unit%2Fcore.log", "plain": "gate_plain.log", "t 1": "gate_t 1.log", "50%": "gate_50%25.log", "a\nb": "gate_a%0Ab.log"} {
		if got := GateLogName(in); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := TraceName("suite/a"); got != "task_suite%2Fa.json" {
		t.Error(got)
	}
	if got := GateLogName(strings.Repeat("x", 1000)); len(got) > 255 {
		t.Error(len(got))
	}
	if got, err := Within("exp_0000", "attempts/001/outcome.json"); err != nil || got != "experiments/exp_0000/attempts/001/outcome.json" {
		t.Error(got, err)
	}
	for _, c := range [][2]string{{"exp_0000", "../../../meta.json"}, {"exp_0000", "/etc/passwd"}, {"exp_0000", "a/../../b"}, {"exp_0000", `..\x`}, {"exp_0000", ""},
		{"..", "x"}, {"exp_0000/..", "x"}, {"", "x"}} {
		if got, err := Within(c[0], c[1]); !errors.Is(err, ErrOutside) {
			t.Errorf("%q: %s %v", c, got, err)
		}
	}
}

func TestArtifactNames(t *testing.T) {
	t.Parallel()
	r := recorded(t, "v08")
	m, _, err := ReadManifest("manifest.json", []byte(r["end/run_0000/experiments/exp_0007/"+ManifestFile]))
	if err != nil {
		t.Fatal(err)
	}
	a, p := m.Choose("exp_0007", "the model")
	if p != nil {
		t.Fatal(p)
	}
	source := "/repo/.evo/run_0000/worktrees/exp_0007/" + a.SourcePath
	if got := "artifacts/discarded/" + ArtifactName(a.Label, source, false); got != a.StoredPath {
		t.Errorf("%s, want %s", got, a.StoredPath)
	}
	for label, want := range map[string]string{"": "exp_0007 has multiple preserved artifacts", "x": "exp_0007 has no preserved artifact labeled 'x'"} {
		if _, p := m.Choose("exp_0007", label); p == nil || p.Text != want {
			t.Errorf("%v, want %s", p, want)
		}
	}
	if _, p := (*Manifest)(nil).Choose("exp_0001", ""); p == nil {
		t.Error("chosen of nothing")
	}
}

// The key of the pool that was recorded, whose folders the recording names /base,
// and a case by hand: sha256sum of {"backend":"worktree","config":{}}.
func TestBackendKey(t *testing.T) {
	t.Parallel()
	key := BackendKey("pool", mustParse(t, `{"slots": ["/tmp/evo-recording-v08-min/one", "/tmp/evo-recording-v08-min/two"]}`))
	if _, ok := recorded(t, "v08-min")["end/run_0000/"+PoolFile(key)]; !ok {
		t.Errorf("no pool is called %s", key)
	}
	if got := BackendKey("worktree", Value{}); got != "21260a0e423f" {
		t.Error(got)
	}
	if a, b := BackendKey("pool", mustParse(t, `{"b": 1, "a": ["é"]}`)), BackendKey("pool", mustParse(t, `{"a": ["\u00e9"], "b": 1}`)); a != b {
		t.Error(a, b)
	}
}

func TestStatDiff(t *testing.T) {
	t.Parallel()
	const patch = `diff --git a/b/lib b.py b/b/lib b.py
index 1111111..2222222 100644
--- a/b/lib b.py	
+++ b/b/lib b.py	
@@ -1,3 +1,3 @@
 keep
--- sql comment
+++ counted
-old
+new
diff --git a/old name b/new name
similarity index 100%
rename from old name
rename to new name
diff --git "a/caf\303\251.txt" "b/caf\303\251.txt"
new file mode 100644
--- /dev/null
+++ "b/caf\303\251.txt"
@@ -0,0 +1 @@
+x
\ No newline at end of file
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1,2 +0,0 @@
-1
-2
diff --git a/bin b/bin
Binary files a/bin and b/bin differ
`
	got := StatDiff(patch)
	if want := []string{"b/lib b.py", "new name", "café.txt", "gone", "bin"}; !slices.Equal(got.Files, want) || got.Added != 3 || got.Removed != 4 {
		t.Errorf("%+v", got)
	}
	if got := StatDiff(""); got.Files != nil {
		t.Error(got)
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	if got := Fill(`python b.py {target} --w {worktree} '{"a": {b}}'`, "/w/t", "/w"); got != `python b.py /w/t --w /w '{"a": {b}}'` {
		t.Error(got)
	}
	// What is put in is not looked at again.
	if got := Fill("{target}", "/x/{worktree}", "/w"); got != "/x/{worktree}" {
		t.Error(got)
	}
	c := Config{Runtime: &Recipe{Prefix: " uv run "}}
	if got := c.Prefixed("x"); got != "uv run x" {
		t.Error(got)
	}
	env := Place{Experiment: "exp_0001", Attempt: CheckLabel(2), Worktree: "/w", Traces: "/t", Result: "/r", Checkpoints: "/c", Seed: "/s"}.Env([]string{"A=1", "EVO_RESULT_PATH=stale"})
	want := []string{"A=1", "EVO_TRACES_DIR=/t", "EVO_WORKTREE=/w", "EVO_EXPERIMENT_ID=exp_0001", "EVO_ATTEMPT=check-002", "EVO_RESULT_PATH=/r",
		"EVO_CHECKPOINT_DIR=/c", "EVO_SEED_ARTIFACT=/s", "EVO_PARENT_POLICY=/s"}
	if !slices.Equal(env, want) {
		t.Errorf("%q", env)
	}
	if got := GateEnv(env); !slices.Equal(got, []string{"A=1"}) {
		t.Errorf("%q", got)
	}
}

func TestDotenv(t *testing.T) {
	t.Parallel()
	got := ""
	for _, v := range ParseDotenv("# c\nA=1\nexport B = two words # c\nC='a # \\n b'\nD=\"caf\u00e9 \\\"x\\\" a\\nb \\q\"\nE=\n1X=no\nno\nF=a#b\nG=\"\n") {
		got += v.Name + "=" + v.Value + "|"
	}
	if want := "A=1|B=two words|C=a # \\n b|D=café \"x\" a\nb \\q|E=|F=a#b|G=\"|"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEventIDs(t *testing.T) {
	t.Parallel()
	a, b := EventID(1, [10]byte{0xff}), EventID(2, [10]byte{})
	if a != "000000000001FF000000000000000000" || a >= b || !IsEventID(a) || !IsEventID(strings.ToLower(a)) {
		t.Error(a, b)
	}
	for _, s := range []string{"", "../x", strings.Repeat("g", 32), a + "0"} {
		if IsEventID(s) {
			t.Error(s)
		}
	}
	want := "[EVO DIRECTIVE id=X]\ndo it\n[END EVO DIRECTIVE — run `evo ack X` to confirm you have received this message, then proceed]"
	if got := Banner("X", "do it"); got != want {
		t.Error(got)
	}
}

// A gate binds the node that it was put on, in a run as in a check.
func TestGatesBindTheirNode(t *testing.T) {
	t.Parallel()
	g := NewGraph("")
	g.Nodes["a"] = &Node{ID: "a", Parent: ptr(RootID), Gates: []Gate{{Name: "x", Command: "2"}, {Name: "y", Command: "3", Phase: Pre}}}
	g.Nodes[RootID].Gates = []Gate{{Name: "x", Command: "1"}}
	got := ""
	for _, b := range (&Config{Gate: ptr("0")}).Gates(g, "a") {
		got += b.Name + "=" + b.Command + "@" + b.From + "/" + b.When() + " "
	}
	if got != "_init_gate=0@config/post x=1@root/post y=3@a/pre " {
		t.Error(got)
	}
}

// §8: discard of the root is refused, a gate's name is told before it is paid
// for, and a tie says that it is one.
func TestRefusals(t *testing.T) {
	t.Parallel()
	g := NewGraph("")
	if p := g.RefuseDiscard(RootID, true); p == nil {
		t.Error("the root was discarded")
	}
	for _, name := range []string{"", " ", InitGate, "a\nb"} {
		if g.RefuseGate(RootID, name, Post) == nil {
			t.Errorf("a gate called %q", name)
		}
	}
	if p := g.RefuseGate(RootID, "unit/core", Post); p != nil {
		t.Error(p)
	}
	if p := g.RefuseGate(RootID, "x", "during"); p == nil {
		t.Error("an unknown phase")
	}
	half := .5
	if got := (Unkept{ID: "exp_0001", Score: .5, Tied: true, Parent: &half, Remaining: 2}).Line(); got != "EVALUATED exp_0001 score=0.5 score_tied (parent=0.5) (2 attempts remaining)" {
		t.Error(got)
	}
	if p := NoChange("exp_0001", "exp_0000"); !strings.Contains(ErrorText(p), "changes nothing of exp_0000. Edit") {
		t.Error(ErrorText(p))
	}
	if p := UntrackedFiles("exp_0001", slices.Repeat([]string{"x"}, 50)); strings.Count(p.Text, "\n") > 25 || !strings.Contains(p.Text, "30 more") {
		t.Error(p.Text)
	}
}

// Diffs of real git with names that it quotes.
func TestStatDiffOfGit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(script string) string {
		cmd := exec.Command("sh", "-ec", script)
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Skipf("git: %v %s", err, out)
		}
		return string(out)
	}
	out := run(`git init -q . && printf 'a\n-- b\nc\n' > q.sql && echo x > 'b b' && git add . && git commit -qm 1
		printf 'a\nc\n++ d\n' > q.sql && git mv 'b b' 'c c' && printf 'é' > 'é "q"' && git add -A && git diff --cached`)
	got := StatDiff(out)
	slices.Sort(got.Files)
	if want := []string{"c c", "q.sql", "é \"q\""}; !slices.Equal(got.Files, want) || got.Added != 2 || got.Removed != 1 {
		t.Errorf("%+v of\n%s", got, out)
	}
}

func FuzzResults(f *testing.F) {
	for _, s := range []string{`{"score": 1, "tasks": {"a": 1}, "tasks_meta": {"a": {"direction": "min"}}, "artifacts": [{"name": "a", "path": "b"}]}`, "x\n{\"score\": 1}\n", `{"score": NaN}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func([]byte) (*Result, error){ReadResult, ResultOfOutput} {
			r, err := read(data)
			if err != nil {
				continue
			}
			if math.IsNaN(r.Score) || math.IsInf(r.Score, 0) {
				t.Fatalf("%v is a score", r.Score)
			}
			for task, s := range r.Tasks {
				if math.IsNaN(s) || math.IsInf(s, 0) {
					t.Fatalf("%v is a score of %s", s, task)
				}
			}
			// What is passed on is a result too, of the same score.
			if again, err := ReadResult([]byte(Indented(r.Value))); err != nil || again.Score != r.Score {
				t.Fatalf("%v: %s", err, Indented(r.Value))
			}
		}
		if tr, err := ReadTrace("t.json", data); err == nil && strings.ContainsAny(TraceName(tr.Task), "/\\\x00") {
			t.Fatalf("%q is a file's name", TraceName(tr.Task))
		}
		StatDiff(string(data))
		ParseDotenv(string(data))
	})
}
