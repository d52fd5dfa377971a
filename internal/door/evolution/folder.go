package evolution

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/format/evolution"
	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/syntax"
)

const (
	maxFile  = 4 << 20         // bounds a file of an evolution, bytes
	patience = 5 * time.Second // with which a lock is waited for
	again    = 5               // how often a change is made anew because somebody else wrote
)

// Files of clade's own, in the folder of the variants, which git ignores.
const (
	fileLink = "clade.json"
	fileLock = "clade.lock"
)

// A folder is an evolution's directory on disk.
type folder struct{ dir string } // absolute

// A link points to the run behind an evolution.
type link struct {
	Run string `json:"run"`
	// Base is the commit of the user's repository that the run was opened at, or
	// will be where there is none yet; "" where variants are copies of files.
	Base string `json:"base"`
	// Settings are those of the command line, which hold until others are given.
	Settings *Settings `json:"settings,omitempty"`
}

// find resolves an argument to a directory; see evolution.Resolve.
func (d *Door) find(arg string) (folder, evolution.Match, error) {
	root, names, err := d.names()
	if err != nil {
		return folder{}, evolution.Match{}, err
	}
	m, err := evolution.Resolve(arg, names)
	if err != nil {
		return folder{}, m, err
	}
	return folder{filepath.Join(root, m.Dir)}, m, nil
}

func (f folder) file(name string) string { return filepath.Join(f.dir, name) }

// variants is the folder of what is kept of variants.
func (f folder) variants(below ...string) string {
	return filepath.Join(append([]string{f.dir, evolution.DirVariants}, below...)...)
}

// workspace is the folder in which a variant's tree lies as plain files, and
// result the file in which its worker says what it made of it.
func (f folder) workspace(variant string) string { return f.variants(variant, evolution.DirWorkspace) }
func (f folder) result(variant string) string    { return f.variants(variant, evolution.FileResult) }

// read reads evolution.yaml.
func (f folder) read() (*evolution.Document, error) {
	file, err := load(f.file(evolution.FileEvolution))
	switch {
	case err != nil:
		return nil, err
	case file == nil:
		return nil, missing(f.file(evolution.FileEvolution))
	}
	return evolution.Open(file.name, file.data)
}

func missing(name string) error {
	return &clade.Problem{Fault: clade.FaultNotFound, Where: name, Text: "there is no such file"}
}

// A loaded is a file as it was read.
type loaded struct {
	name string
	data []byte
	perm fs.FileMode
	link bool // the name is a symbolic link
}

// load reads a file of an evolution, nil where there is none.
func load(name string) (*loaded, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.Mode().IsRegular():
		return nil, &clade.Problem{Fault: clade.FaultSpec, Where: name, Text: "is not a regular file"}
	case err == nil && info.Size() > maxFile:
		return nil, &clade.Problem{Fault: clade.FaultSpec, Where: name, Text: fmt.Sprintf("is larger than %v", clade.Bytes(maxFile))}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, &clade.Problem{Fault: clade.FaultEnvironment, Where: name, Text: "cannot be read", Err: err}
	}
	own, err := os.Lstat(name)
	return &loaded{name, data, info.Mode().Perm(), err == nil && own.Mode()&fs.ModeSymlink != 0}, nil
}

// link reads which run is behind the evolution; ok is false where none is, and
// l then has the base that one is to begin at, if that is known.
func (f folder) link() (l link, ok bool, err error) {
	file, err := load(f.variants(fileLink))
	if file == nil || err != nil {
		return link{}, false, err
	}
	if err = syntax.Decode(file.data, &l); err == nil && l == (link{}) {
		err = errors.New("it names no run")
	}
	if err != nil {
		return link{}, false, &clade.Problem{Fault: clade.FaultSpec, Where: file.name, Text: "does not say which run is behind the evolution", Err: err,
			Hint: "delete it: a new run is opened then, and the variants that are stored are measured again"}
	}
	return l, l.Run != "", nil
}

// setLink makes a run the one behind the evolution.
func (f folder) setLink(l link) error {
	data, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("writing which run is behind an evolution: %w", err)
	}
	if err := f.makeVariants(); err != nil {
		return err
	}
	if err := f.ignored(); err != nil {
		return err
	}
	return unwritable(f.variants(fileLink), atomicfile.Write(f.variants(fileLink), append(data, '\n'), 0o644))
}

// ignored keeps what variants are made of out of the repository, also where its
// own .gitignore does not say so.
func (f folder) ignored() error {
	name := f.variants(".gitignore")
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return unwritable(name, atomicfile.Write(name, []byte("*\n"), 0o644))
}

// makeVariants makes the folder of the variants. One that leads elsewhere is
// refused: a repository may come from anybody.
func (f folder) makeVariants(below ...string) error {
	dir := f.dir
	for _, name := range append([]string{evolution.DirVariants}, below...) {
		dir = filepath.Join(dir, name)
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return unwritable(dir, err)
		}
		info, err := os.Lstat(dir)
		switch {
		case err != nil:
			return unwritable(dir, err)
		case !info.IsDir():
			return &clade.Problem{Fault: clade.FaultSpec, Where: dir, Text: "is not a folder", Hint: "what clade keeps of variants lies there; move it away"}
		}
	}
	return nil
}

func unwritable(name string, err error) error {
	if err == nil {
		return nil
	}
	return &clade.Problem{Fault: clade.FaultEnvironment, Where: name, Text: "cannot be written", Err: err}
}

// lock holds the evolution's files against other processes of clade. It waits a
// few seconds for who has them.
func (f folder) lock(ctx context.Context) (unlock func() error, err error) {
	return f.lockWithin(ctx, patience)
}

func (f folder) lockWithin(ctx context.Context, wait time.Duration) (unlock func() error, err error) {
	if err := f.makeVariants(); err != nil {
		return nil, err
	}
	short, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	l, err := proc.WaitLock(short, f.variants(fileLock), false)
	switch {
	case err == nil:
		return l.Unlock, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("locking an evolution: %w", context.Cause(ctx))
	case short.Err() != nil:
		return nil, &clade.Problem{Fault: clade.FaultBusy, Where: f.dir, Text: "another process writes this evolution", Hint: "try again when it is done"}
	}
	return nil, unwritable(f.variants(fileLock), err)
}

// A change says what evolution.yaml is to say instead, and what EVOLUTION.md is
// refreshed with beside that. It is asked again when somebody else wrote
// meanwhile, and must do nothing else.
type change func(d *evolution.Document) (want *evolution.Evolution, page evolution.Page, err error)

// update changes evolution.yaml and refreshes EVOLUTION.md, each whole or not at
// all, and returns what the file says then. The update time is now where
// anything else changes. Nobody's edit is lost: a file that changed since it was
// read is read again. Killed between the two files it leaves a page that says
// what was so before; the next update refreshes it.
func (f folder) update(ctx context.Context, now time.Time, do change) (doc *evolution.Document, err error) {
	err = f.locked(ctx, func() error {
		doc, err = f.rewrite(ctx, now, do, atomicfile.Write)
		return err
	})
	return doc, err
}

// locked runs fn under the lock.
func (f folder) locked(ctx context.Context, fn func() error) (err error) {
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return fn()
}

// A put writes a file whole.
type put func(name string, data []byte, perm fs.FileMode) error

var errChanged = errors.New("somebody else changed it")

// rewrite is update under the lock.
func (f folder) rewrite(ctx context.Context, now time.Time, do change, write put) (*evolution.Document, error) {
	for range again {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("updating an evolution: %w", context.Cause(ctx))
		}
		doc, err := f.once(now, do, write)
		if !errors.Is(err, errChanged) {
			return doc, err
		}
	}
	return nil, &clade.Problem{Fault: clade.FaultBusy, Where: f.dir, Text: "the files change all the time", Hint: "save them, and try again"}
}

func (f folder) once(now time.Time, do change, write put) (*evolution.Document, error) {
	file, err := load(f.file(evolution.FileEvolution))
	switch {
	case err != nil:
		return nil, err
	case file == nil:
		return nil, missing(f.file(evolution.FileEvolution))
	}
	page, err := load(f.file(evolution.FilePage))
	if err != nil {
		return nil, err
	}
	have, err := evolution.Open(file.name, file.data)
	if err != nil {
		return nil, err
	}
	want, with, err := do(have)
	if err != nil {
		return nil, err
	}
	doc, err := updated(have, want, now)
	if err != nil {
		return nil, err
	}
	if err := replace(file, doc.Data, write); err != nil {
		return nil, err
	}
	with.Evolution = doc.Evolution
	if page == nil {
		page = &loaded{name: f.file(evolution.FilePage), perm: file.perm}
		return doc, create(page, with.Refresh(doc.Evolution.Page()), write)
	}
	return doc, replace(page, with.Refresh(page.data), write)
}

// updated is the document that says what want says. One that says nothing new
// was not updated.
func updated(have *evolution.Document, want *evolution.Evolution, now time.Time) (*evolution.Document, error) {
	want = want.Clone()
	want.UpdatedAt = have.Evolution.UpdatedAt
	doc, err := have.Update(want)
	if err != nil || bytes.Equal(doc.Data, have.Data) {
		return doc, err
	}
	want.UpdatedAt = now
	return have.Update(want)
}

// replace writes a file over the one that was read, if that is still there.
func replace(file *loaded, data []byte, write put) error {
	if bytes.Equal(file.data, data) {
		return nil
	}
	if file.link {
		return linked(file.name)
	}
	is, err := load(file.name)
	switch {
	case err != nil:
		return err
	case is == nil || is.link || !bytes.Equal(is.data, file.data):
		return errChanged
	}
	return unwritable(file.name, write(file.name, data, is.perm))
}

func linked(name string) error {
	return &clade.Problem{Fault: clade.FaultSpec, Where: name, Text: "is a symbolic link, which is not written through", Hint: "put the file itself there"}
}

// create writes a file where there is none.
func create(file *loaded, data []byte, write put) error {
	info, err := os.Lstat(file.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return unwritable(file.name, write(file.name, data, file.perm))
	case err != nil:
		return unwritable(file.name, err)
	case info.Mode()&fs.ModeSymlink != 0: // to nowhere
		return linked(file.name)
	}
	return errChanged
}
