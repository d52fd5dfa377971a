package bare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/ledger"
)

// importDir copies a folder's files as the bytes they are, through a
// fast-import of its own: what goes wrong concerns no commit.
func (l *Ledger) importDir(ctx context.Context, s ledger.Source, copied *counter) (oid, error) {
	files, err := survey(s)
	if err != nil {
		return oid{}, err
	}
	w, err := l.repo.FastImport()
	if err != nil {
		return oid{}, fmt.Errorf("importing %s: %w", s.Dir, err)
	}
	defer w.Kill()
	copied.of.Store(int64(len(files)))
	edits := make([]put, 0, len(files))
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return oid{}, err
		}
		data, err := f.read(s.Dir)
		if err != nil {
			return oid{}, fmt.Errorf("importing %s: %w", s.Dir, err)
		}
		if err := w.Tell(func(out io.Writer) error { return writeBlob(out, data) }); err != nil {
			return oid{}, fmt.Errorf("importing %s: %w", s.Dir, err)
		}
		edits = append(edits, put{path: f.path, mode: f.mode, id: hashOf("blob", data), held: true})
		copied.files.Add(1)
		copied.bytes.Add(int64(len(data)))
	}
	return l.writeTree(w, edits)
}

// writeTree makes the tree of files whose blobs w has, and has all of it on
// disk when it returns.
func (l *Ledger) writeTree(w *git.FastImport, files []put) (oid, error) {
	root, err := planEdits(nil, files)
	if err != nil {
		return oid{}, fmt.Errorf("importing: %w", err)
	}
	p := &plan{from: emptyTree, puts: files, message: baseMessage}
	if p.tree, err = l.trees.apply(emptyTree, root, map[oid]*node{}); err != nil {
		return oid{}, fmt.Errorf("importing: %w", err)
	}
	want := hashOf("commit", p.object()).String()
	got, err := w.Make(1, func(out io.Writer) error { return p.write(out, 1, oid.String) })
	if err == nil && got != want {
		err = fmt.Errorf("git made commit %s and not %s", got, want)
	}
	if err == nil {
		err = w.Tell(func(out io.Writer) error {
			_, err := io.WriteString(out, "reset "+branch+"\n")
			return err
		})
	}
	if err == nil {
		err = w.Checkpoint()
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return oid{}, fmt.Errorf("importing: %w", err)
	}
	return p.tree, atomicfile.SyncDir(l.packs())
}

func writeBlob(w io.Writer, data []byte) error {
	if _, err := io.WriteString(w, "blob\ndata "+strconv.Itoa(len(data))+"\n"); err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// A found file of a folder that is imported.
type found struct {
	path string // slash separated, relative
	mode ledger.Mode
}

func (f found) read(dir string) ([]byte, error) {
	at := filepath.Join(dir, filepath.FromSlash(f.path))
	if f.mode == ledger.ModeSymlink {
		to, err := os.Readlink(at)
		return []byte(filepath.ToSlash(to)), err
	}
	return os.ReadFile(at)
}

// survey lists what of a folder is imported. Folders that can hold nothing of it
// are not entered.
func survey(s ledger.Source) ([]found, error) {
	if err := s.Unfit(); err != nil {
		return nil, err
	}
	var out []found
	err := filepath.WalkDir(s.Dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return unreadable(s.Dir, err)
		}
		rel, err := filepath.Rel(s.Dir, at)
		if err != nil {
			return err
		}
		path := filepath.ToSlash(rel)
		covered := s.Covers(path)
		switch {
		case path == "." && d.IsDir():
			return nil
		case d.IsDir() && !covered && (!s.Leads(path) || checkPath(path) != nil):
			return fs.SkipDir
		case !covered:
			return nil
		}
		f, err := look(at, path, d)
		if err == nil && !d.IsDir() {
			out = append(out, f)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, unmet(s, out)
}

// unmet refuses a restriction to what is not there.
func unmet(s ledger.Source, taken []found) error {
	if len(s.Only) == 0 {
		return nil
	}
	paths := make([]string, len(taken))
	for i, f := range taken {
		paths[i] = f.path
	}
	return s.Unmet(paths)
}

func unreadable(dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &clade.Problem{Fault: clade.FaultNotFound, Text: "the folder cannot be imported", Where: dir, Err: err}
	}
	return &clade.Problem{Fault: clade.FaultEnvironment, Text: "the folder cannot be imported", Where: dir, Err: err}
}

// look tells what one thing in a folder is, and refuses what no tree can hold.
func look(at, path string, d fs.DirEntry) (found, error) {
	if err := checkPath(path); err != nil {
		return found{}, &clade.Problem{Fault: clade.FaultConflict, Where: at, Err: err,
			Text: "a repository inside the folder cannot be imported",
			Hint: "take the repository itself as the target, or skip it"}
	}
	if d.IsDir() {
		return found{}, nil
	}
	info, err := d.Info()
	if err != nil {
		return found{}, unreadable(at, err)
	}
	mode, ok := ledger.ModeOf(info.Mode())
	if !ok {
		return found{}, &clade.Problem{Fault: clade.FaultConflict, Where: at,
			Text: "neither a file nor a folder nor a symlink", Hint: "remove it or skip it"}
	}
	return found{path, mode}, nil
}
