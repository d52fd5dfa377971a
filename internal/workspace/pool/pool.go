package pool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
)

// Options say where and with what workspaces are made.
type Options struct {
	Dir     string // the cache folder
	Ledger  ledger.Ledger
	Sandbox sandbox.Sandbox
	Env     []string // what setup's environment begins with
}

// A Provider makes workspaces. It is safe for concurrent use.
type Provider struct {
	dir   string
	store *workspace.Store
	box   sandbox.Sandbox

	mu   sync.Mutex
	free map[string][]*folder // by template; locked by this process
}

var _ workspace.Provider = (*Provider)(nil)

// New returns a provider; it works everywhere.
func New(o Options) (*Provider, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &Provider{
		dir: dir, box: o.Sandbox, free: map[string][]*folder{},
		store: &workspace.Store{Dir: dir, Ledger: o.Ledger, Sandbox: o.Sandbox, Env: o.Env, Mounted: o.Sandbox.Mounts()},
	}, nil
}

// Name implements workspace.Provider.
func (p *Provider) Name() string { return "pool" }

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

// Sweep implements workspace.Provider. Folders of the pool that nobody uses stay
// for the next run unless templates are asked for. What a provider that mounts left in
// the same cache goes too: who only sweeps has this one.
func (p *Provider) Sweep(_ context.Context, s workspace.Sweeping) (int64, error) {
	slots, serr := workspace.NewSlots(p.dir).Sweep(s.Dry)
	freed, err := p.store.Sweep(s)
	freed, err = freed+slots, errors.Join(serr, err)
	if !s.Templates {
		return freed, err
	}
	n, perr := p.sweepFolders(s.Dry)
	return freed + n, errors.Join(err, perr)
}

func (p *Provider) sweepFolders(dry bool) (int64, error) {
	if err := p.Close(); err != nil {
		return 0, err
	}
	pools := filepath.Join(p.dir, poolDir)
	entries, err := os.ReadDir(pools)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	var freed int64
	var errs []error
	for _, e := range entries {
		n, err := workspace.SweepLocked(filepath.Join(pools, e.Name()), dry)
		freed += n
		errs = append(errs, err)
	}
	return freed, errors.Join(errs...)
}

// Close gives up the folders that this process keeps ready but does not use;
// the end of the process does so as well.
func (p *Provider) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for key, free := range p.free {
		for _, f := range free {
			errs = append(errs, f.lock.Unlock())
		}
		delete(p.free, key)
	}
	return errors.Join(errs...)
}
