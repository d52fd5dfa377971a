package pool

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/workspace"
)

const (
	treeDir     = "tree"
	homeDir     = "home"
	tempDir     = "tmp"
	recordFile  = "records"
	poolDir     = "pool"
	maxInFlight = 1 << 12
)

// A folder is one workspace's worth of files. While a process has its lock
// nobody else uses it.
type folder struct {
	dir        string
	lock       *proc.Lock
	tree, home *mirror
	clean      bool // nothing has been written since it was equal
}

// records are kept beside a folder, so that another process can use it again.
// What that process finds changed since, it copies anew.
type records struct{ Tree, Home map[string]stamp }

// take gives a folder of the template that nobody uses, making one if need be.
func (p *Provider) take(t *workspace.Built) (*folder, error) {
	p.mu.Lock()
	free := p.free[t.Key()]
	if n := len(free); n > 0 {
		f := free[n-1]
		p.free[t.Key()] = free[:n-1]
		p.mu.Unlock()
		return f, nil
	}
	p.mu.Unlock()
	base := filepath.Join(p.dir, poolDir, t.Key())
	if err := os.MkdirAll(base, 0o700); err != nil {
		return nil, err
	}
	for i := 1; i <= maxInFlight; i++ {
		f := &folder{dir: filepath.Join(base, strconv.Itoa(i))}
		var err error
		if f.lock, err = proc.TryLock(f.dir+workspace.LockSuffix, false); err != nil {
			return nil, err
		}
		if f.lock == nil {
			continue
		}
		if err := f.fill(t); err != nil {
			return nil, errors.Join(err, f.lock.Unlock())
		}
		return f, nil
	}
	return nil, fmt.Errorf("%d workspaces are in use", maxInFlight)
}

// give makes the folder available again.
func (p *Provider) give(t *workspace.Built, f *folder) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free[t.Key()] = append(p.free[t.Key()], f)
}

// fill makes the folder equal to the template, from what another process left
// or anew. The records are written last.
func (f *folder) fill(t *workspace.Built) error {
	home, _ := t.Home()
	var r records
	if readGob(filepath.Join(f.dir, recordFile), &r) == nil { // else it is made anew
		f.tree = &mirror{from: t.Tree(), to: filepath.Join(f.dir, treeDir), stamps: r.Tree}
		f.home = &mirror{from: home, to: filepath.Join(f.dir, homeDir), stamps: r.Home}
		return nil
	}
	if err := workspace.Remove(f.dir); err != nil {
		return err
	}
	var err error
	if f.tree, err = newMirror(t.Tree(), filepath.Join(f.dir, treeDir)); err != nil {
		return fmt.Errorf("copying the template: %w", err)
	}
	if f.home, err = newMirror(home, filepath.Join(f.dir, homeDir)); err != nil {
		return fmt.Errorf("copying the template's home: %w", err)
	}
	f.clean = true
	return writeGob(filepath.Join(f.dir, recordFile), records{f.tree.stamps, f.home.stamps})
}

// reset makes the folder equal to the template again.
func (f *folder) reset() error {
	if err := workspace.Unmark(f.dir); err != nil {
		return err
	}
	if !f.clean {
		if err := errors.Join(f.tree.reset(), f.home.reset(), workspace.Remove(filepath.Join(f.dir, tempDir))); err != nil {
			return err
		}
	}
	f.clean = false
	return os.MkdirAll(filepath.Join(f.dir, tempDir), 0o755)
}

func readGob(path string, into any) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return gob.NewDecoder(f).Decode(into)
}

// writeGob writes the file under another name first: a half written one must
// never be read.
func writeGob(path string, from any) error {
	f, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	err = gob.NewEncoder(f).Encode(from)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}
