package control

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/store"
)

// An outside is what the files of a person's target looked like before commands
// ran that could write them. It is made only where isolation is weak: elsewhere
// the target cannot be reached. It tells what changed and touches nothing; a
// person who works there meanwhile changes files, too.
type outside struct {
	dir  string
	flat bool // only the files right in it: the target is one of them
	was  map[string]stamp
}

// A stamp tells one state of a file from another, unless somebody sets its time
// back.
type stamp struct {
	mode  fs.FileMode
	size  int64
	mtime time.Time
}

const (
	// outsideMost files are looked at; more would cost more than the news.
	outsideMost = 50_000
	// outsideTold are named in the warning.
	outsideTold = 10
)

// lookOutside looks at a target before a search; nil when nothing can write it
// or nobody wants to know.
func (b *rig) lookOutside() *outside {
	if b.box.Mounts() || b.spec.Protect.Census == clade.ProtectOff || b.where == "" {
		return nil
	}
	o := &outside{dir: b.origin(), flat: b.spec.Target.Kind == clade.TargetFile}
	var whole bool
	if o.was, whole = o.stamps(); !whole {
		return nil
	}
	return o
}

// stamps are those of every file; whole is false when there are too many. What
// cannot be read is left out.
func (o *outside) stamps() (all map[string]stamp, whole bool) {
	all = map[string]stamp{}
	err := filepath.WalkDir(o.dir, func(name string, d fs.DirEntry, err error) error {
		rel, rerr := filepath.Rel(o.dir, name)
		switch {
		case err != nil || rerr != nil:
			return nil
		case d.IsDir() && (rel == ".clade" || filepath.Base(rel) == "objects" && filepath.Base(filepath.Dir(rel)) == ".git" || o.flat && rel != "."):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		case len(all) == outsideMost:
			return fs.SkipAll
		}
		if info, err := d.Info(); err == nil {
			all[filepath.ToSlash(rel)] = stamp{info.Mode(), info.Size(), info.ModTime()}
		}
		return nil
	})
	return all, err == nil && len(all) < outsideMost
}

// changed names what is not as it was, sorted.
func (o *outside) changed() (names []string) {
	now, _ := o.stamps()
	for name, s := range now {
		if was, there := o.was[name]; !there || was != s {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.was)) {
		if _, there := now[name]; there {
			continue
		}
		if _, err := os.Lstat(filepath.Join(o.dir, name)); err != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// tellOutside keeps in the log which of a person's files changed while commands
// ran that could write them.
func (b *rig) tellOutside(ctx context.Context, o *outside) {
	if o == nil {
		return
	}
	names := o.changed()
	if len(names) == 0 {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), tellWithin)
	defer stop()
	told := make([]string, 0, outsideTold)
	for _, name := range names[:min(len(names), outsideTold)] {
		told = append(told, fmt.Sprintf("%q", name))
	}
	if more := len(names) - len(told); more > 0 {
		told = append(told, fmt.Sprintf("%d more", more))
	}
	text := fmt.Sprintf("files of the target itself changed during the search: %s. With isolation %s commands can write there: unless it was you, one of them did; clade has not touched them",
		strings.Join(told, ", "), b.box.Grade())
	note := clade.Noted{Note: clade.Note{Kind: clade.NoteWarning, Body: text}}
	_ = b.log.Update(ctx, func(tx store.Tx) error { return tx.Append(note) }) // the search's own end matters more
}
