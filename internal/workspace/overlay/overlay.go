package overlay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
)

// Options say where and with what workspaces are made.
type Options struct {
	Dir     string // the cache folder, on a file system that can hold an upper layer
	Ledger  ledger.Ledger
	Sandbox sandbox.Sandbox // must make mounts
	Env     []string        // what setup's environment begins with
}

// A Provider makes workspaces. It is safe for concurrent use.
type Provider struct {
	store *workspace.Store
	slots *workspace.Slots
	box   sandbox.Sandbox

	spares spares
}

var _ workspace.Provider = (*Provider)(nil)

// New returns a provider after trying an overlay in the cache folder once. That
// it does not work there is a *clade.Problem; another provider must be used.
func New(o Options) (*Provider, error) {
	if !o.Sandbox.Mounts() {
		return nil, &clade.Problem{Fault: clade.FaultEnvironment, Text: "the sandbox cannot mount an overlay"}
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	p := &Provider{
		store: &workspace.Store{Dir: dir, Ledger: o.Ledger, Sandbox: o.Sandbox, Env: o.Env, Mounted: true},
		slots: workspace.NewSlots(dir),
		box:   o.Sandbox,
	}
	if err := p.probe(o.Env); err != nil {
		return nil, &clade.Problem{Fault: clade.FaultEnvironment, Text: "overlayfs does not work in " + dir, Err: err,
			Hint: "the cache folder may lie on an overlay itself, as in a container: put it on a volume or a tmpfs"}
	}
	return p, nil
}

// probe checks that an overlay can be mounted with our whiteouts in a lower
// layer and that what a command writes is found.
func (p *Provider) probe(env []string) (err error) {
	dir, err := p.slots.Next()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, workspace.Remove(dir)) }()
	s := &scope{dir: filepath.Join(dir, "scope"), view: p.view()}
	delta, tree := filepath.Join(dir, "delta"), filepath.Join(dir, "tree")
	s.lower = []string{delta, tree}
	if err := errors.Join(os.Mkdir(delta, 0o755), os.Mkdir(tree, 0o755), s.make(false)); err != nil {
		return err
	}
	for _, name := range []string{"gone", "kept"} {
		if err := os.WriteFile(filepath.Join(tree, name), []byte(name), 0o600); err != nil {
			return err
		}
	}
	if err := whiteout(filepath.Join(delta, "gone")); err != nil {
		return err
	}
	c := sandbox.Command{
		Args: []string{"sh", "-c", `test ! -e gone && test -f kept && rm kept && echo new >new`}, Env: env,
		Limits: sandbox.Limits{Wall: 10 * time.Second},
	}
	s.Enter(&c, "")
	r, err := p.box.Run(context.Background(), c)
	if err != nil {
		return err
	}
	if !r.OK() {
		return fmt.Errorf("exit %d: %s", r.Exit, bytes.TrimSpace(r.Stderr.Head))
	}
	info, err := os.Lstat(filepath.Join(s.dir, upperDir, "kept"))
	if err != nil || !isWhiteout(info) {
		return errors.Join(errors.New("a deletion was not found in the upper layer"), err)
	}
	return nil
}

// view is where commands find a workspace's folders.
func (p *Provider) view() workspace.View {
	return workspace.View{Tree: p.box.Work(), Home: p.box.Home(), Temp: workspace.MountedTemp}
}

// Name implements workspace.Provider.
func (p *Provider) Name() string { return "overlay" }

// Template implements workspace.Provider.
func (p *Provider) Template(ctx context.Context, s workspace.TemplateSpec) (workspace.Template, error) {
	return p.store.Template(ctx, s)
}

// Keep implements workspace.Provider.
func (p *Provider) Keep(ctx context.Context, t workspace.Template, plan workspace.Plan, dir string) error {
	return workspace.Keep(ctx, t, plan, dir)
}

// Collect implements workspace.Provider.
func (p *Provider) Collect(ctx context.Context, t workspace.Template, commit, dir string) ([]ledger.Change, error) {
	return workspace.Collect(ctx, t, commit, dir)
}

// Sweep implements workspace.Provider.
func (p *Provider) Sweep(_ context.Context, s workspace.Sweeping) (int64, error) {
	slots, err := p.slots.Sweep(s.Dry)
	templates, terr := p.store.Sweep(s)
	return slots + templates, errors.Join(err, terr)
}

// Close removes what this process has made beside templates; without it the
// next Sweep does.
func (p *Provider) Close() error { return p.slots.Close() }
