//go:build unix

package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/namespace"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == namespace.SupervisorArg {
		namespace.Main()
		return
	}
	os.Exit(m.Run())
}

// In namespaces a result reaches us through a mount of its own, and the paths a
// command sees are the sandbox's.
func TestInNamespaces(t *testing.T) {
	t.Parallel()
	if err := namespace.Probe(t.Context()); err != nil {
		t.Skip(err)
	}
	box, err := namespace.New(namespace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { box.Close() })
	b := newBench(t, func(o *Options) { o.Sandbox = box }).tree("c1", map[string]string{"n": "3"})
	b.prov.box = box
	spec := &clade.Spec{
		Gates:     []clade.Gate{gate("g", "echo score: 5; pwd; echo $HOME $CLADE_RESULT")},
		Benchmark: &clade.Benchmark{Command: sh(`test ! -e $CLADE_RESULT && printf '{"score": %s, "nonce": "%s"}' $(cat n) $CLADE_NONCE > $CLADE_RESULT`)},
		Measures: []clade.Measure{
			measure("from", "", func(m *clade.Measure) { m.From, m.Read = "g", clade.Read{Kind: clade.ReadRegex, Regex: `score: (\d)`} }),
			measure("score", "", func(m *clade.Measure) { m.Read.Kind = clade.ReadResult }),
			measure("memory", "head -c 9000000 /dev/zero | tail -c 8000000 | wc -c", func(m *clade.Measure) { m.Read.Kind, m.Unit = clade.ReadMemory, "GiB" }),
			measure("file", "mkdir out; echo 2 > out/n", func(m *clade.Measure) { m.Read.File = "out/n" }),
			measure("wait", "sleep 600", func(m *clade.Measure) { m.Timeout = clade.Duration(1e8) }),
		},
	}
	j := b.job(spec, 1)
	var said []string
	j.Log = func(check, text string) { said = append(said, check+": "+text) }
	got := b.evaluate(j)[0].Samples
	for i := range got {
		if got[i].Check == "memory" && got[i].Class == clade.OK && got[i].Value > 0 && got[i].Value < 4 {
			got[i].Value = 1
		}
	}
	wantSamples(t, "namespaces", got, "g=1", "from=5", "score=3", "memory=1", "file=2", "wait!candidate")
	if log := strings.Join(said, "\n"); !strings.Contains(log, box.Work()+"\n"+box.Home()) || strings.Contains(log, b.prov.root) {
		t.Errorf("log:\n%s", log)
	}
	if b.eval.Grade() != sandbox.GradeNamespaces {
		t.Errorf("grade %s", b.eval.Grade())
	}
}

// mount shows a fake scope's folders where the sandbox has them.
func (s *scope) mount(c *sandbox.Command, dir string) {
	c.Dir = filepath.Join(s.box.Work(), dir)
	c.Env = append(c.Env, "HOME="+s.box.Home(), "TMPDIR=/tmp")
	for target, source := range map[string]string{s.box.Work(): "tree", s.box.Home(): "home", "/tmp": "tmp"} {
		c.Mounts = append(c.Mounts, sandbox.Mount{Kind: sandbox.MountBind, Target: target, Source: filepath.Join(s.dir, source)})
	}
}
