package evo

import (
	"encoding/json"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format"
	"github.com/cladehq/clade/internal/policy/frontier"
)

// recorded is what the real program wrote and printed; see testdata/record.py.
func recorded(t testing.TB, name string) map[string]string {
	t.Helper()
	ar, err := txtar.ParseFile(filepath.Join("testdata", "recorded", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range ar.Files {
		out[f.Name] = string(f.Data)
	}
	return out
}

var recordings = []string{"v03", "v08", "v08-min"}

// A file of the layout, by its place.
type file interface{ Marshal() []byte }

func readFile(place string, data []byte) (file, []format.Warning, error) {
	wrap := func(f file, ws []format.Warning, err error) (file, []format.Warning, error) { return f, ws, err }
	name := path.Base(place)
	switch {
	case name == MetaFile:
		m, ws, err := ReadMeta(name, data)
		return wrap(m, ws, err)
	case name == ConfigFile:
		c, ws, err := ReadConfig(name, data)
		return wrap(c, ws, err)
	case name == GraphFile:
		g, ws, err := ReadGraph(name, data)
		return wrap(g, ws, err)
	case name == AnnotationsFile:
		a, ws, err := ReadAnnotations(name, data)
		return wrap(a, ws, err)
	case name == InfraFile:
		l, ws, err := ReadInfraLog(name, data)
		return wrap(l, ws, err)
	case name == OutcomeFile:
		o, ws, err := ReadOutcome(name, data)
		return wrap(o, ws, err)
	case name == StateFile:
		s, ws, err := ReadAttemptState(name, data)
		return wrap(s, ws, err)
	case name == CheckFile, name == GateCheckFile:
		c, ws, err := ReadCheck(name, data)
		return wrap(c, ws, err)
	case name == "manifest.json":
		m, ws, err := ReadManifest(name, data)
		return wrap(m, ws, err)
	case strings.HasPrefix(name, "pool-"):
		p, ws, err := ReadPool(name, data)
		return wrap(p, ws, err)
	case name == ResultFile && !strings.Contains(place, "/attempts/") && !strings.Contains(place, "/checks/"):
		s, ws, err := ReadSummary(name, data)
		return wrap(s, ws, err)
	}
	return nil, nil, nil
}

// Every file that 0.3 and 0.8 wrote is read without a word and written again
// byte for byte.
func TestFilesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	kinds := map[string]bool{}
	for _, name := range recordings {
		for place, data := range recorded(t, name) {
			if path.Ext(place) != ".json" {
				continue
			}
			f, ws, err := readFile(place, []byte(data))
			if err != nil || len(ws) > 0 {
				t.Errorf("%s: %s: %v %v", name, place, ws, err)
				continue
			}
			if f == nil { // what benchmarks publish keeps its order
				v, err := Parse(place, []byte(data))
				if err != nil || strings.TrimSpace(Indented(v)) != strings.TrimSpace(Indented(mustParse(t, Indented(v)))) {
					t.Errorf("%s: %s: %v", name, place, err)
				}
				continue
			}
			kinds[path.Base(place)] = true
			if got := string(f.Marshal()); got != data {
				t.Errorf("%s: %s:\n%s\nwant\n%s", name, place, got, data)
			}
		}
	}
	if len(kinds) < 11 {
		t.Errorf("only %d kinds of files", len(kinds))
	}
}

func mustParse(t testing.TB, s string) Value {
	t.Helper()
	v, err := Parse("x.json", []byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// What is written of nothing but known values is what the program writes.
func TestFreshFiles(t *testing.T) {
	t.Parallel()
	r := recorded(t, "v08")
	const at = "2026-01-02T03:00:00+00:00"
	yes := true
	for place, f := range map[string]file{
		"init/run_0000/graph.json":       NewGraph(at),
		"init/run_0000/annotations.json": &Annotations{},
		"init/run_0000/infra_log.json":   &InfraLog{},
		"init/meta.json":                 &Meta{Active: RunID(0), NextRun: 1, Host: "generic", InstrumentationMode: "inline", TelemetryID: "00000000-0000-4000-8000-000000000000"},
		"init/run_0000/config.json": &Config{RepoRoot: "/repo", WorkspaceDir: Dir, WorktreesDir: "worktrees", ProjectName: "demo", Target: "answer.sh",
			Benchmark: "sh {target}", Metric: "max", Epoch: 1, MaxAttempts: 3, Frontier: &Strategy{Kind: "pareto_per_task", Params: StrategyValue(frontier.Default()).Get("params")},
			RuntimeEnv: &Env{InheritShell: &yes}, Backend: "worktree", CommitStrategy: "all", Timeout: 60, InitializedAt: at},
	} {
		if got := string(f.Marshal()); got != r[place] {
			t.Errorf("%s:\n%s\nwant\n%s", place, got, r[place])
		}
	}
}

// forget drops what records were read from, so that they are written as new.
func TestFilesAreWrittenAnewAsTheyWere(t *testing.T) {
	t.Parallel()
	r := recorded(t, "v08")
	g := end(t, r)
	anew := &Graph{Root: g.Root, NextID: g.NextID, Nodes: map[string]*Node{}}
	for _, n := range g.Notes {
		anew.Notes = append(anew.Notes, Note{Text: n.Text, Timestamp: n.Timestamp, ExpID: n.ExpID})
	}
	for id, n := range g.Nodes {
		c := *n
		c.Rest = Rest{}
		c.Gates, c.Notes = nil, nil
		for _, gate := range n.Gates {
			gate.Rest = Rest{}
			c.Gates = append(c.Gates, gate)
		}
		for _, note := range n.Notes {
			note.Rest = Rest{}
			c.Notes = append(c.Notes, note)
		}
		anew.Nodes[id] = &c
	}
	// Keys that mean nothing where they are empty may be missing.
	empty := regexp.MustCompile(`(?m)^ +"(gate_failures|notes|tags)": \[\],\n|^ +"discard_reason": null,\n`)
	want := empty.ReplaceAllString(r["end/run_0000/graph.json"], "")
	if got := empty.ReplaceAllString(string(anew.Marshal()), ""); got != want {
		t.Errorf("%s", firstDifference(got, want))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "got\n" + strings.Join(g[max(0, i-2):min(len(g), i+4)], "\n") + "\nwant\n" + strings.Join(w[max(0, i-2):min(len(w), i+4)], "\n")
		}
	}
	return "one is longer"
}

// end is the graph as it was left.
func end(t testing.TB, r map[string]string) *Graph {
	t.Helper()
	g, _, err := ReadGraph(GraphFile, []byte(r["end/run_0000/graph.json"]))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// before takes the graph back to when only so many experiments were there.
func before(g *Graph, n int) *Graph {
	for id, node := range g.Nodes {
		if id != RootID && frontier.CompareIDs(id, ExpID(n)) >= 0 {
			delete(g.Nodes, id)
			up := g.Nodes[*node.Parent]
			if up != nil {
				up.Children = slices.DeleteFunc(slices.Clone(up.Children), func(c string) bool { return c == id })
			}
		}
	}
	return g
}

func config(t testing.TB, r map[string]string, epoch int) *Config {
	t.Helper()
	c, _, err := ReadConfig(ConfigFile, []byte(r["end/run_0000/config.json"]))
	if err != nil {
		t.Fatal(err)
	}
	c.Epoch = epoch
	return c
}

// outcome is the result of a node's latest attempt.
func outcome(t testing.TB, r map[string]string) func(*Node) Value {
	return func(n *Node) Value {
		data, ok := r["end/run_0000/"+AttemptDir(n.ID, n.Attempt)+"/"+OutcomeFile]
		if !ok {
			return Value{}
		}
		o, _, err := ReadOutcome(OutcomeFile, []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		return o.Benchmark.Result
	}
}

// The frontier as the program printed it, with its random draws: same seed, same
// nodes.
func TestFrontierAsRecorded(t *testing.T) {
	t.Parallel()
	r := recorded(t, "v08")
	g := before(end(t, r), 16)
	for _, id := range []string{"exp_0008", "exp_0011"} { // pruned later
		g.Nodes[id].Status, g.Nodes[id].PrunedReason, g.Nodes[id].PruneKind = Committed, nil, nil
	}
	nodes := g.Lineage().Frontier(1)
	candidates := g.Candidates(nodes, outcome(t, r))
	seen := 0
	for place, want := range r {
		label, ok := strings.CutSuffix(place, "/stdout")
		if !ok || !strings.HasPrefix(label, "frontier-") || label == "frontier-empty" || want == "" {
			continue
		}
		seen++
		v := mustParse(t, want)
		kind, _ := v.Get("strategy").Get("kind").Text()
		s, err := frontier.Parse(kind, []byte(compact(v.Get("strategy").Get("params"))))
		if err != nil {
			t.Fatal(err)
		}
		seed, _ := v.Get("seed").Number()
		at, _ := v.Get("generated_at").Text()
		var picked []*Node
		for _, id := range frontier.Pick(s, frontier.Direction("max"), candidates, uint64(seed)) {
			picked = append(picked, g.Nodes[id])
		}
		if got := Indented(FrontierDoc(s, picked, int(seed), at)) + "\n"; got != want {
			t.Errorf("%s:\n%s\nwant\n%s", label, got, want)
		}
	}
	if seen < 15 {
		t.Errorf("only %d looks", seen)
	}
}

func TestFrontierErrorsAsRecorded(t *testing.T) {
	t.Parallel()
	r := recorded(t, "v08")
	for label, c := range map[string][2]string{
		"frontier-k-range": {"top_k", `{"k": 99}`}, "frontier-t-range": {"softmax", `{"temperature": 0}`}, "frontier-type": {"softmax", `{"k": "many"}`},
	} {
		_, err := frontier.Parse(c[0], []byte(c[1]))
		if want := strings.TrimSpace(r[label+"/stderr"]); err == nil || "ERROR: "+err.Error() != want {
			t.Errorf("%s: %v, want %s", label, err, want)
		}
	}
	if _, err := frontier.Parse("best", nil); err == nil || !strings.HasPrefix("ERROR: "+err.Error(), strings.TrimSpace(r["config-frontier-unknown/stderr"])) {
		t.Errorf("%v, want %s", err, r["config-frontier-unknown/stderr"])
	}
}

// What lists, trees and single experiments look like.
func TestTextsAsRecorded(t *testing.T) {
	t.Parallel()
	r := recorded(t, "v08")
	early, late := before(end(t, r), 20), end(t, r)
	up := early.Nodes["exp_0001"]
	data := r["end/run_0000/"+AttemptDir("exp_0001", 1)+"/"+OutcomeFile]
	o, _, err := ReadOutcome(OutcomeFile, []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	diff, _ := mustParse(t, r["show/stdout"]).Get("attempts").Items()[0].Get("diff").Text()
	all, _, err := ReadAnnotations(AnnotationsFile, []byte(r["end/run_0000/annotations.json"]))
	if err != nil {
		t.Fatal(err)
	}
	of := slices.DeleteFunc(slices.Clone(all.All), func(a Annotation) bool { return a.ExperimentID != up.ID })
	// The program breaks lines where a hypothesis does; a tree has a line for each.
	broken := func(s string) string { return strings.ReplaceAll(s, "raise b  and \n lower", "raise b and lower") }
	for label, got := range map[string]string{
		"version":     VersionLine(),
		"tree-empty":  NewGraph("").Tree(),
		"tree":        early.Tree(),
		"tree-epochs": late.Tree(),
		"status":      StatusLine(config(t, r, 1), early),
		"path":        strings.TrimSuffix(PathLines(early.Path("exp_0011")), "\n"),
		"get":         Indented(early.GetDoc(up)),
		"show":        Indented(early.ShowDoc(up, []AttemptView{{1, o, &diff}}, of)),
		"notes":       Indented(ListDoc(early.AllNotes())),
		"annotations": Indented(ListDoc(of)),
		"gate-list":   Indented(GatesDoc(early.EffectiveGates(up.ID))),
		"new":         Indented(NewDoc("exp_0000", "/repo/.evo/run_0000/worktrees/exp_0000", "/repo/.evo/run_0000/worktrees/exp_0000/answer.sh", nil)),
		"new-from-artifact": Indented(NewDoc("exp_0008", "/repo/.evo/run_0000/worktrees/exp_0008", "/repo/.evo/run_0000/worktrees/exp_0008/answer.sh",
			early.Nodes["exp_0008"].FromArtifact)),
		"annotate": Indented(Doc(Annotation{ExperimentID: "exp_0001", TaskID: ptr("a"), Analysis: "task a is solved; b has room", Timestamp: all.All[0].Timestamp})),
	} {
		want := broken(strings.TrimRight(r[label+"/stdout"], "\n"))
		if i := strings.Index(want, "{"); strings.HasPrefix(label, "new") {
			want = want[i:] // git's own words come before it there
		}
		if label == "get" || label == "notes" || label == "annotations" || label == "new-from-artifact" {
			got, want = Indented(mustParse(t, got).Sorted()), Indented(mustParse(t, want).Sorted())
		}
		if got != want {
			t.Errorf("%s: %s", label, firstDifference(got, want))
		}
	}
}

func ptr[T any](v T) *T { return &v }

// facts takes from a scratchpad what the recording has of one.
func facts(s string) string {
	s = regexp.MustCompile(`(?m)^(## (?:Tree|Notes)) \(.*\)$`).ReplaceAllString(s, "$1")
	s, _, _ = strings.Cut(s, "\n## Drill-downs")
	return strings.TrimRight(s, "\n")
}

func TestScratchpadAsRecorded(t *testing.T) {
	t.Parallel()
	r := recorded(t, "v08")
	g := before(end(t, r), 20)
	all, _, err := ReadAnnotations(AnnotationsFile, []byte(r["end/run_0000/annotations.json"]))
	if err != nil {
		t.Fatal(err)
	}
	events, _, err := ReadInfraLog(InfraFile, []byte(r["end/run_0000/infra_log.json"]))
	if err != nil {
		t.Fatal(err)
	}
	b := Board{Config: config(t, r, 1), Graph: g, Annotations: all.All, Events: events.Events[:len(events.Events)-1], Strategy: frontier.Default()}
	nodes := g.Lineage().Frontier(1)
	for _, id := range frontier.Pick(b.Strategy, frontier.Max, g.Candidates(nodes, outcome(t, r)), 0) {
		b.Frontier = append(b.Frontier, g.Nodes[id])
	}
	if got, want := facts(b.Scratchpad()), strings.TrimRight(r["scratchpad/stdout"], "\n"); got != want {
		t.Errorf("%s", firstDifference(got, want))
	}
	empty := Board{Config: config(t, r, 1), Graph: NewGraph(""), Strategy: frontier.Default()}
	if got, want := facts(empty.Scratchpad()), strings.TrimRight(r["scratchpad-empty/stdout"], "\n"); got != want {
		t.Errorf("%s", firstDifference(got, want))
	}
}

// Epochs really separate scores: the best and the frontier are those of the
// current one, where the program still showed 0.9 of the epoch before.
func TestEpochsSeparateScores(t *testing.T) {
	t.Parallel()
	r := recorded(t, "v08")
	g := end(t, r)
	if got := StatusLine(config(t, r, 2), g); !strings.HasSuffix(got, " best=0.4") || !strings.Contains(r["status-epochs/stdout"], "best=0.9") {
		t.Errorf("%s", got)
	}
	nodes := g.Lineage().Frontier(2)
	if len(nodes) != 1 || nodes[0].ID != "exp_0021" {
		t.Errorf("%d nodes", len(nodes))
	}
}

// The lines that agents read, each as it was printed.
func TestLinesAsRecorded(t *testing.T) {
	t.Parallel()
	half, three := 0.5, 0.75
	for _, c := range []struct{ recording, label, got string }{
		{"v08", "run-baseline", CommittedLine("exp_0000", .5, nil, "max")},
		{"v08", "run-committed", CommittedLine("exp_0001", .75, &half, "max")},
		{"v08-min", "run-committed", CommittedLine("exp_0001", 9.5, ptr(10.0), "min")},
		{"v08-min", "run-regressed", Unkept{ID: "exp_0003", Score: 11, Regressed: true, Parent: ptr(9.5), Remaining: 2}.Line()},
		{"v08", "run-regressed", Unkept{ID: "exp_0002", Score: .25, Regressed: true, Parent: &half, Remaining: 2}.Line()},
		{"v08", "run-gate-failed", GateFailedLine(Post, []string{"keep-c"}) + "\n" + Unkept{ID: "exp_0003", Score: .9, GateFailures: []string{"keep-c"}, Remaining: 2}.Line()},
		{"v08", "run-last-attempt", GateFailedLine(Post, []string{"keep-c"}) + "\n" + Unkept{ID: "exp_0003", Score: .9, GateFailures: []string{"keep-c"}}.Line()},
		{"v08", "run-artifacts", GateFailedLine(Post, []string{"keep-c"}) + "\n" +
			Unkept{ID: "exp_0007", Score: .1, GateFailures: []string{"keep-c"}, Regressed: true, Parent: &half, Remaining: 2}.Line()},
		{"v08", "run-tiny", Unkept{ID: "exp_0006", Score: 1e-7, Regressed: true, Parent: &three, Remaining: 2}.Line()},
		{"v08", "run-failed", FailedLine("exp_0005", "benchmark_exit_7")},
		{"v08", "run-pre-gate-failed", GateFailedLine(Pre, []string{"syntax"}) + "\n" + FailedLine("exp_0005", "pre_gate_failed:syntax")},
		{"v08", "check-passed", CheckLine("exp_0006", 1e-7, "", "/repo/.evo/run_0000/"+CheckDir("exp_0006", 2))},
		{"v08", "check-failed", CheckLine("exp_0006", 0, ErrNoResult.Error(), "/repo/.evo/run_0000/"+CheckDir("exp_0006", 1))},
		{"v08", "gate-check", GateCheckLine("exp_0001", 2, nil, "/repo/.evo/run_0000/"+CheckDir("exp_0001", 1))},
		{"v08", "prune-exhausted", PrunedLine("exp_0011", Exhausted, "no more")},
		{"v08", "prune-invalid", PrunedLine("exp_0008", Invalid, "leaked")},
		{"v08", "restore", RestoredLine("exp_0011", Pruned, "", "")},
		{"v08", "done", DoneLine("exp_0017", .81, Committed)},
		{"v08", "done-no-compare", DoneLine("exp_0018", 2, Failed)},
		{"v08", "direct", QueuedLine("00000000000000000000000000000001", 0, 0, 0)},
		{"v08", "ack", AckLine("00000000000000000000000000000001", 1)},
		{"v08", "ack-again", AckLine("00000000000000000000000000000001", 2)},
	} {
		if want := strings.TrimRight(recorded(t, c.recording)[c.label+"/stdout"], "\n"); c.got != want {
			t.Errorf("%s: %s\nwant %s", c.label, c.got, want)
		}
	}
	for label, want := range map[string]string{"init": InitializedLine("run_0000", "/repo/.evo/run_0000", "generic", "all"),
		"discard": DiscardedLine("exp_0007", "decoding was wrong")} {
		if got := recorded(t, "v08")[label+"/stdout"]; !strings.HasSuffix(got, "\n"+want+"\n") {
			t.Errorf("%s: %s", label, got)
		}
	}
}

// What is refused begins as the program's refusal does.
func TestRefusalsAsRecorded(t *testing.T) {
	t.Parallel()
	r := recorded(t, "v08")
	g, c := end(t, r), config(t, r, 1)
	g.Nodes["exp_0010"].Status = Active
	l := g.Lineage()
	blocked := config(t, r, 2)
	blocked.Blocked = true
	pruned, best := end(t, r), end(t, r)
	pruned.Nodes["exp_0011"].Status = Pruned
	best.Nodes["exp_0008"].Status, best.Nodes["exp_0008"].PruneKind = Committed, nil
	for label, p := range map[string]*clade.Problem{
		"run-exhausted-error":     l.RefuseRun(c, "exp_0003"),
		"run-invalid-error":       l.RefuseRun(c, "exp_0008"),
		"run-committed-error":     l.RefuseRun(c, "exp_0001"),
		"run-unknown-error":       l.RefuseRun(c, "exp_9999"),
		"run-blocked-error":       l.RefuseRun(blocked, "exp_0020"),
		"run-active-error":        AlreadyActive("exp_0010", 1, 4242),
		"new-unknown-error":       l.RefuseParent("exp_9999"),
		"new-pruned-error":        pruned.Lineage().RefuseParent("exp_0011"),
		"discard-committed-error": g.RefuseDiscard("exp_0001", true),
		"discard-active-error":    g.RefuseDiscard("exp_0010", false),
		"discard-parent-error":    withChild(end(t, r)).RefuseDiscard("exp_0003", false),
		"prune-spine-error":       best.Lineage().RefusePrune(c, "exp_0008", Invalid, false),
		"gate-add-again":          g.RefuseGate("exp_0000", "keep-c", Post),
	} {
		if want := strings.TrimSpace(r[label+"/stderr"]); p == nil || !strings.HasPrefix("ERROR: "+p.Error(), want) {
			t.Errorf("%s: %v, want %s", label, p, want)
		}
	}
	// The words that the published skill tells agents to look for.
	for _, words := range []string{"cannot discard committed node", "use `evo prune"} {
		if got := ErrorText(g.RefuseDiscard("exp_0001", false)); !strings.Contains(strings.ReplaceAll(got, "Use", "use"), words) {
			t.Errorf("%s lacks %s", got, words)
		}
	}
	if got := ErrorText(g.RefuseDiscard("exp_0010", false)); !strings.Contains(got, "cannot discard active node") || !strings.Contains(got, "pass --force") {
		t.Error(got)
	}
	if got := ErrorText(withChild(end(t, r)).RefuseDiscard("exp_0003", false)); !strings.Contains(got, "has 1 non-discarded child") {
		t.Error(got)
	}
}

// withChild has the child of exp_0003 that was discarded afterwards.
func withChild(g *Graph) *Graph {
	g.Nodes["exp_0004"].Status = Pending
	return g
}

func TestArgumentsAreRecorded(t *testing.T) {
	t.Parallel()
	for _, name := range recordings {
		for place, data := range recorded(t, name) {
			var args []string
			if strings.HasSuffix(place, "/args") && json.Unmarshal([]byte(data), &args) != nil {
				t.Errorf("%s: %s", name, place)
			}
		}
	}
}
