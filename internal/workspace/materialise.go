package workspace

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/proc"
)

// baseTime is the time of every file of a base tree: a constant, so that the
// same template is the same bytes wherever and whenever it is made, and older
// than anything setup builds from it.
var baseTime = time.Unix(1_000_000_000, 0)

// A reader reads objects; a Ledger is one.
type reader interface {
	Read(ctx context.Context, blob string) ([]byte, error)
}

// writers is how many files are written at once: the work is waiting for the
// file system, not computing.
func writers() int { return min(8, 2*runtime.GOMAXPROCS(0)) }

// materialise writes every file of a tree below dir, which exists, with the time
// at; the zero time leaves them as new as they are. No filter, hook or attribute
// has a say.
func materialise(ctx context.Context, objects reader, dir string, entries []ledger.Entry, at time.Time) error {
	if err := makeDirs(dir, entries); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(writers())
	const chunk = 64
	for from := 0; from < len(entries); from += chunk {
		g.Go(func() error {
			for i := from; i < min(from+chunk, len(entries)); i++ {
				e := entries[i]
				if e.Mode == ledger.ModeGitlink {
					continue
				}
				data, err := objects.Read(ctx, e.Blob)
				if err != nil {
					return fmt.Errorf("reading %q: %w", e.Path, err)
				}
				if err := writeFile(filepath.Join(dir, filepath.FromSlash(e.Path)), e.Mode, data, at); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// makeDirs makes every folder of a sorted listing; a submodule is an empty one.
func makeDirs(dir string, entries []ledger.Entry) error {
	var made []string // the chain of folders of the entry before
	for _, e := range entries {
		if err := CheckPath(e.Path); err != nil {
			return err
		}
		want := parent(e.Path)
		if e.Mode == ledger.ModeGitlink {
			want = e.Path
		}
		if want == "" || slices.Contains(made, want) {
			continue
		}
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(want)), 0o755); err != nil {
			return err
		}
		made = made[:0]
		for d := want; d != ""; d = parent(d) {
			made = append(made, d)
		}
	}
	return nil
}

// writeFile makes a new file or link; nothing may be there yet. The zero time
// leaves it as new as it is.
func writeFile(path string, mode ledger.Mode, data []byte, at time.Time) error {
	if mode == ledger.ModeSymlink {
		if err := os.Symlink(string(data), path); err != nil {
			return err
		}
		return SetTime(path, at)
	}
	write := func() error { return writeRegular(path, 0o644, data) }
	if mode == ledger.ModeExec {
		write = func() error {
			return proc.Unforked(func() error { return writeRegular(path, 0o755, data) })
		}
	}
	if err := write(); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return SetTime(path, at)
}

func writeRegular(path string, perm os.FileMode, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(perm) // whatever the umask
	}
	return cmp.Or(err, f.Close())
}
