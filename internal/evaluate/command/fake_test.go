//go:build unix

package command

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/none"
	"github.com/cladehq/clade/internal/workspace"
)

// provider makes plain folders of commits it is told of, a copy per scope.
type provider struct {
	mu      sync.Mutex
	root    string
	commits map[string]map[string]string
	opened  []string // commits, in order
	closed  int
	scopes  int             // open now
	box     sandbox.Sandbox // that mounts, or nil
}

func (p *provider) Name() string { return "fake" }

func (p *provider) Template(context.Context, workspace.TemplateSpec) (workspace.Template, error) {
	return template{}, nil
}

func (p *provider) Open(_ context.Context, _ workspace.Template, plan workspace.Plan) (workspace.Workspace, error) {
	files, ok := p.commits[plan.Commit]
	if !ok {
		return nil, ledger.ErrNoObject
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened = append(p.opened, plan.Commit)
	return &space{p, files}, nil
}

func (*provider) Close() error { return nil }

func (*provider) Keep(context.Context, workspace.Template, workspace.Plan, string) error {
	return errors.New("an evaluation keeps no folder")
}

func (*provider) Collect(context.Context, workspace.Template, string, string) ([]ledger.Change, error) {
	return nil, errors.New("an evaluation collects from no folder")
}

func (p *provider) Sweep(context.Context, workspace.Sweeping) (int64, error) { return 0, nil }

type template struct{}

func (template) Key() string          { return "template" }
func (template) Commit() string       { return "base" }
func (template) Making() (int, error) { return 1, nil }

type space struct {
	*provider
	files map[string]string
}

func (w *space) Scope(context.Context) (workspace.Scope, error) {
	dir, err := os.MkdirTemp(w.root, "scope-")
	if err != nil {
		return nil, err
	}
	for _, d := range []string{"tree", "home", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			return nil, err
		}
	}
	for name, text := range w.files {
		name = filepath.Join(dir, "tree", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, err
		}
		if err := proc.Unforked(func() error { return os.WriteFile(name, []byte(text), 0o755) }); err != nil {
			return nil, err
		}
	}
	w.count(&w.scopes, 1)
	return &scope{w, dir}, nil
}

func (w *space) Close() error { w.count(&w.closed, 1); return nil }

func (p *provider) count(n *int, by int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*n += by
}

type scope struct {
	*space
	dir string
}

func (s *scope) Enter(c *sandbox.Command, dir string) {
	if s.box != nil {
		s.mount(c, dir)
		return
	}
	c.Dir = filepath.Join(s.dir, "tree", dir)
	c.Env = append(c.Env, "HOME="+filepath.Join(s.dir, "home"), "TMPDIR="+filepath.Join(s.dir, "tmp"))
}

func (s *scope) Changes(context.Context) ([]ledger.Change, error) {
	return nil, errors.New("an evaluation asks for no changes")
}

func (s *scope) ReadFile(path string, limit int64) ([]byte, error) {
	name := filepath.Join(s.dir, "tree", path)
	info, err := os.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > limit:
		return nil, errors.New("not a regular file, or too large")
	}
	return os.ReadFile(name)
}

func (s *scope) Close() error { s.count(&s.scopes, -1); return os.RemoveAll(s.dir) }

// memory keeps samples in a map.
type memory struct {
	mu     sync.Mutex
	own    map[evaluate.Key]clade.Sample
	shared map[evaluate.Key]clade.Sample // by what other attempts look for
	kept   []evaluate.Key
	// stopAfter makes the n-th Keep fail, as a crash would.
	stopAfter int
}

func newMemory() *memory {
	return &memory{own: map[evaluate.Key]clade.Sample{}, shared: map[evaluate.Key]clade.Sample{}}
}

func public(k evaluate.Key) evaluate.Key {
	return evaluate.Key{Tree: k.Tree, Evaluator: k.Evaluator, Check: k.Check, Case: k.Case, Split: k.Split}
}

func (m *memory) Recall(_ context.Context, k evaluate.Key, share bool) (clade.Sample, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.own[k]; ok {
		return s, true, nil
	}
	if s, ok := m.shared[public(k)]; share && ok && s.PaidBy != k.Attempt {
		return s, true, nil
	}
	return clade.Sample{}, false, nil
}

var errCrash = errors.New("crash")

func (m *memory) Keep(_ context.Context, k evaluate.Key, s clade.Sample, share bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopAfter > 0 && len(m.kept) >= m.stopAfter {
		return errCrash
	}
	m.kept = append(m.kept, k)
	m.own[k] = s
	if share {
		s.PaidBy = k.Attempt
		m.shared[public(k)] = s
	}
	return nil
}

// bench is an evaluator over a fake provider with the real sandbox "none".
type bench struct {
	t    *testing.T
	prov *provider
	eval *Evaluator
	env  map[string]string // the user's environment
	log  string            // a file clade does not know, that commands may append to
}

func newBench(t *testing.T, options ...func(*Options)) *bench {
	t.Helper()
	box, err := none.New(none.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, prov: &provider{root: t.TempDir(), commits: map[string]map[string]string{"base": {}, "c1": {}, "c2": {}}}}
	b.log = filepath.Join(t.TempDir(), "log")
	b.env = map[string]string{"PATH": os.Getenv("PATH")}
	o := Options{Workspaces: b.prov, Sandbox: box, Scratch: t.TempDir(),
		Lookup: func(name string) (string, bool) { v, ok := b.env[name]; return v, ok }}
	for _, f := range options {
		f(&o)
	}
	b.eval = New(o)
	t.Cleanup(func() {
		if b.prov.scopes != 0 || b.prov.closed != len(b.prov.opened) {
			t.Errorf("%d scopes are open, %d of %d workspaces were closed", b.prov.scopes, b.prov.closed, len(b.prov.opened))
		}
		if left, err := os.ReadDir(o.Scratch); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return b
}

// tree sets a commit's files.
func (b *bench) tree(commit string, files map[string]string) *bench {
	b.prov.commits[commit] = files
	return b
}

// job is a job of attempt 1 whose child is commit c1; subject 0 is the base.
func (b *bench) job(spec *clade.Spec, subjects ...clade.ID) evaluate.Job {
	spec.Seed = 7
	for i := range spec.Gates {
		b.tell(&spec.Gates[i].Command)
	}
	for i := range spec.Measures {
		b.tell(&spec.Measures[i].Command)
	}
	if spec.Benchmark != nil {
		b.tell(&spec.Benchmark.Command)
	}
	if spec.Dataset != nil {
		b.tell(&spec.Dataset.Command)
	}
	j := evaluate.Job{Spec: spec, Attempt: &clade.Attempt{ID: 1}, Template: template{}}
	for _, id := range subjects {
		commit := "base"
		if id != clade.Base {
			commit = "c" + string(rune('0'+id))
		}
		j.Subjects = append(j.Subjects, evaluate.Subject{ID: id, Commit: commit, Tree: "tree-" + commit})
	}
	return j
}

// tell lets a command know the log.
func (b *bench) tell(c *clade.Command) {
	c.Env = maps.Clone(c.Env)
	if c.Env == nil {
		c.Env = map[string]string{}
	}
	c.Env["LOG"] = b.log
}

// logged is what commands wrote to the log, by word.
func (b *bench) logged() []string {
	b.t.Helper()
	text, err := os.ReadFile(b.log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		b.t.Fatal(err)
	}
	return strings.Fields(string(text))
}

func (b *bench) forget() { _ = os.Remove(b.log) }

func (b *bench) evaluate(j evaluate.Job) []clade.Evaluation {
	b.t.Helper()
	evs, err := b.eval.Evaluate(b.t.Context(), j)
	if err != nil {
		b.t.Fatal(err)
	}
	if len(evs) != len(j.Subjects) {
		b.t.Fatalf("%d evaluations of %d subjects", len(evs), len(j.Subjects))
	}
	for i, e := range evs {
		if e.Subject != j.Subjects[i].ID || e.Tree != j.Subjects[i].Tree || e.Stage != j.Index {
			b.t.Errorf("evaluation %d is of %d %s in stage %d", i, e.Subject, e.Tree, e.Stage)
		}
		for _, s := range e.Samples {
			if s.Replicate < 1 || s.Split == "" || s.Class != clade.OK && s.Detail == "" || len(s.Detail) > 2*maxDetail {
				b.t.Errorf("sample without replicate, split or (bounded) detail: %+v", s)
			}
		}
	}
	return evs
}

func sh(line string) clade.Command { return clade.Command{Run: line} }

func gate(id, line string) clade.Gate { return clade.Gate{ID: id, Command: sh(line)} }

func measure(id, line string, edit ...func(*clade.Measure)) clade.Measure {
	m := clade.Measure{ID: id, Read: clade.Read{Kind: clade.ReadWhole}, Goal: clade.Maximize, Noise: clade.NoiseNone}
	if line != "" {
		m.Command = sh(line)
	}
	for _, f := range edit {
		f(&m)
	}
	return m
}

// brief shows samples in one line each: check[/case]#replicate=value or !class.
func brief(samples []clade.Sample) (out []string) {
	for _, s := range samples {
		text := s.Check
		if s.Case != "" {
			text += "/" + s.Case
		}
		if s.Replicate != 1 {
			text += "#" + itoa(s.Replicate)
		}
		if s.Class != clade.OK {
			out = append(out, text+"!"+string(s.Class))
			continue
		}
		out = append(out, text+"="+ftoa(s.Value))
	}
	return out
}

func wantSamples(t *testing.T, what string, got []clade.Sample, want ...string) {
	t.Helper()
	if !slices.Equal(brief(got), want) {
		t.Errorf("%s: %q, want %q", what, brief(got), want)
		for _, s := range got {
			if s.Detail != "" {
				t.Logf("%s: %s", s.Check, s.Detail)
			}
		}
	}
}
