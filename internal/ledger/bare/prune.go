package bare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/proc"
)

// Prune removes from the ledger at dir every object that none of the commits in
// refs needs, and every ref that is not in refs, and returns the bytes freed.
// refs is asked once nobody has the ledger open, so that no commit is made that
// it does not know of; while somebody has, Prune is ledger.ErrBusy and changes
// nothing. A commit that the ledger lacks is ledger.ErrNoObject, and then
// nothing is removed either. Where no ledger is there is nothing to do.
//
// What stays is put into one new pack before anything goes: a Prune that is
// killed leaves the old objects, the new pack or both.
func Prune(ctx context.Context, dir string, refs func() (map[string]string, error)) (freed int64, err error) {
	repo, lock, err := alone(ctx, dir)
	if repo == nil || err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if _, err := sweep(dir); err != nil {
		return 0, fmt.Errorf("cleaning up: %w", err)
	}
	keep, err := refs()
	if err != nil {
		return 0, err
	}
	p := pruning{ctx, repo, dir, keep}
	if freed, err = p.prune(); err != nil {
		return freed, fmt.Errorf("pruning ledger %s: %w", dir, err)
	}
	return freed, nil
}

// Prunable returns how many bytes Prune would free if refs were what it kept,
// about. It changes nothing and minds nobody.
func Prunable(ctx context.Context, dir string, refs map[string]string) (n int64, err error) {
	if ready, err := exists(dir); !ready || err != nil {
		return 0, err
	}
	g, err := git.Find(ctx)
	if err != nil {
		return 0, err
	}
	p := pruning{ctx, g.At(git.Place{Dir: dir}), dir, refs}
	if n, err = p.needless(); err != nil {
		return 0, fmt.Errorf("looking through ledger %s: %w", dir, err)
	}
	return n, nil
}

func exists(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, marker))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// alone takes the exclusive lock of the ledger at dir; repo is nil where there
// is none.
func alone(ctx context.Context, dir string) (repo *git.Repo, lock *proc.Lock, err error) {
	if ready, err := exists(dir); !ready || err != nil {
		return nil, nil, err
	}
	g, err := git.Find(ctx)
	if err != nil {
		return nil, nil, err
	}
	lock, err = proc.TryLock(filepath.Join(dir, marker), false)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("locking ledger %s: %w", dir, err)
	case lock == nil:
		return nil, nil, fmt.Errorf("ledger %s: %w", dir, ledger.ErrBusy)
	}
	return g.At(git.Place{Dir: dir}), lock, nil
}

// pruning is one look at what a ledger holds and needs.
type pruning struct {
	ctx  context.Context
	repo *git.Repo
	dir  string
	keep map[string]string
}

// commits are those to keep, one a line.
func (p *pruning) commits() string {
	var out []string
	for _, c := range p.keep {
		out = append(out, c+"\n")
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), "")
}

func (p *pruning) prune() (int64, error) {
	if err := p.complete(); err != nil {
		return 0, err
	}
	objects := filepath.Join(p.dir, "objects")
	before := size(objects)
	if err := p.unname(); err != nil {
		return 0, err
	}
	kept, err := p.pack()
	if err == nil {
		err = p.removeBut(kept)
	}
	return before - size(objects), err
}

// complete reports ErrNoObject for a commit to keep that is not there: what
// else is missing nobody knows, so nothing may go.
func (p *pruning) complete() (err error) {
	infos, ids := p.repo.Infos(), strings.Fields(p.commits())
	defer func() { err = errors.Join(err, infos.Close()) }()
	return infos.Each(ids, func(i int, o git.Object, err error) error {
		if err == nil && o.Type != "commit" {
			err = fmt.Errorf("it is a %s: %w", o.Type, git.ErrMissing)
		}
		if err != nil {
			return fmt.Errorf("commit %s: %w", ids[i], noObject(err))
		}
		return nil
	})
}

// unname removes the refs that are not to be kept, and puts the others into one
// file.
func (p *pruning) unname() error {
	list, err := p.repo.Run(p.ctx, "for-each-ref", "--format=%(refname)")
	if err != nil {
		return err
	}
	var in bytes.Buffer
	for ref := range strings.Lines(string(list)) {
		ref = strings.TrimSuffix(ref, "\n")
		if _, ok := p.keep[ref]; !ok {
			fmt.Fprintf(&in, "delete %s\x00\x00", ref)
		}
	}
	if err := p.repo.Do(p.ctx, git.Call{Args: []string{"update-ref", "--stdin", "-z"}, Stdin: &in}); err != nil {
		return err
	}
	_, err = p.repo.Run(p.ctx, "pack-refs", "--all")
	return err
}

// pack puts all that is kept into one pack and has it on disk. It returns the
// pack's name without an ending, "" when nothing is kept.
func (p *pruning) pack() (string, error) {
	if len(p.keep) == 0 {
		return "", nil
	}
	packs := filepath.Join(p.dir, "objects", "pack")
	var out bytes.Buffer
	err := p.repo.Do(p.ctx, git.Call{Args: []string{"pack-objects", "-q", "--revs", "--delta-base-offset", filepath.Join(packs, "pack")},
		Stdin: strings.NewReader(p.commits()), Stdout: &out})
	if err != nil {
		return "", err
	}
	name := "pack-" + strings.TrimSpace(out.String())
	for _, ending := range []string{".pack", ".idx"} {
		if _, err := os.Stat(filepath.Join(packs, name+ending)); err != nil {
			return "", err
		}
	}
	return name, atomicfile.SyncDir(packs)
}

// removeBut removes all objects but those of one pack. An index goes before its
// pack: git takes a pack without one for none.
func (p *pruning) removeBut(kept string) error {
	objects := filepath.Join(p.dir, "objects")
	packs, err := os.ReadDir(filepath.Join(objects, "pack"))
	if err != nil {
		return err
	}
	slices.SortFunc(packs, func(a, b fs.DirEntry) int { return strings.Compare(filepath.Ext(a.Name()), filepath.Ext(b.Name())) }) // .idx, .pack
	for _, f := range packs {
		if name, _, _ := strings.Cut(f.Name(), "."); name == kept || !strings.HasPrefix(name, "pack-") {
			continue
		}
		if err := os.Remove(filepath.Join(objects, "pack", f.Name())); err != nil {
			return err
		}
	}
	loose, err := filepath.Glob(filepath.Join(objects, "[0-9a-f][0-9a-f]"))
	if err != nil {
		return err
	}
	for _, dir := range loose {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return atomicfile.SyncDir(filepath.Join(objects, "pack"))
}

// needless adds up what the objects take on disk that are not to be kept.
func (p *pruning) needless() (n int64, err error) {
	needed := map[string]bool{}
	if len(p.keep) > 0 {
		var out bytes.Buffer
		if err := p.repo.Do(p.ctx, git.Call{Args: []string{"rev-list", "--objects", "--no-object-names", "--stdin"},
			Stdin: strings.NewReader(p.commits()), Stdout: &out}); err != nil {
			return 0, err
		}
		for id := range strings.FieldsSeq(out.String()) {
			needed[id] = true
		}
	}
	all, err := p.repo.Run(p.ctx, "cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname) %(objectsize:disk)")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(all)) {
		id, bytes, _ := strings.Cut(strings.TrimSpace(line), " ")
		if needed[id] {
			continue
		}
		size, err := strconv.ParseInt(bytes, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("git says %q of an object", line)
		}
		n += size
	}
	return n, nil
}

// size is the number of bytes of the files below dir.
func size(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil // it is only counted
	})
	return n
}
