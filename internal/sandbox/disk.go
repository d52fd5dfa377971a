package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"
)

// A DiskWatch looks at what folders hold while a command writes in them.
type DiskWatch struct {
	stop   context.CancelFunc
	ended  chan struct{}
	beyond bool
}

// How often folders are looked at: not before a short command is over, and so
// rarely that it takes a small part of a processor.
const (
	diskEvery = 200 * time.Millisecond
	diskShare = 20
)

// WatchDisk begins to look at folders and calls over once they hold more than
// limit bytes together. Zero is no limit. Files without a name are not seen.
func WatchDisk(folders []string, limit int64, over func()) *DiskWatch {
	if limit <= 0 || len(folders) == 0 {
		return nil
	}
	ctx, stop := context.WithCancel(context.Background())
	w := &DiskWatch{stop: stop, ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		if w.beyond = watch(ctx, folders, limit); w.beyond {
			over()
		}
	}()
	return w
}

// Stop ends the watch and reports whether the limit was passed. A nil watch has
// none.
func (w *DiskWatch) Stop() bool {
	if w == nil {
		return false
	}
	w.stop()
	<-w.ended
	return w.beyond
}

func watch(ctx context.Context, folders []string, limit int64) bool {
	pause := time.NewTimer(diskEvery)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-pause.C:
		}
		begun := time.Now()
		if holdMore(ctx, folders, limit) {
			return true
		}
		pause.Reset(max(diskEvery, diskShare*time.Since(begun)))
	}
}

// holdMore reports whether folders hold more than limit bytes. What goes away
// meanwhile, or cannot be looked at, does not count.
func holdMore(ctx context.Context, folders []string, limit int64) bool {
	enough := errors.New("enough")
	for _, f := range folders {
		err := filepath.WalkDir(f, func(_ string, d fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return fs.SkipAll
			}
			if err != nil {
				return nil //nolint:nilerr // it went away
			}
			info, err := d.Info()
			if err != nil {
				return nil //nolint:nilerr // it went away
			}
			if limit -= held(info); limit < 0 {
				return enough
			}
			return nil
		})
		if errors.Is(err, enough) {
			return true
		}
	}
	return false
}

// inode is about what a file costs beside its content, bytes.
const inode = 256
