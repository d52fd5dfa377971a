package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/git"
)

// Conditions are what figures depend on.
type Conditions struct {
	Isolation  string  `json:"isolation"`  // grade of the sandbox
	Workspaces string  `json:"workspaces"` // provider
	FileSystem string  `json:"file_system"`
	Sync       string  `json:"sync"` // how the log is made durable
	SyncMS     float64 `json:"fdatasync_ms"`
	Processors int     `json:"processors"`
	Load       string  `json:"load"` // averages of 1, 5 and 15 minutes
	System     string  `json:"system"`
	Git        string  `json:"git"`
	Quick      bool    `json:"quick,omitempty"` // small sizes: the figures mean nothing
}

func (c Conditions) lines() []string {
	out := []string{
		fmt.Sprintf("isolation %s, workspaces by %s, log %s", c.Isolation, c.Workspaces, c.Sync),
		fmt.Sprintf("%s on %s, %d processors, load %s, git %s; the disk's own fdatasync takes %s ms",
			c.System, c.FileSystem, c.Processors, c.Load, c.Git, figure(c.SyncMS)),
	}
	if c.Quick {
		out = append(out, "quick sizes: this shows that everything works; the figures mean nothing")
	}
	return out
}

// conditions looks at the machine and the folder that is measured in.
func (b *bench) conditions(ctx context.Context) (Conditions, error) {
	c := Conditions{
		Sync: "SQLite WAL synchronous=FULL", FileSystem: fileSystem(b.dir), Processors: runtime.GOMAXPROCS(0),
		Load: load(), System: runtime.GOOS + "/" + runtime.GOARCH, Quick: b.sizes.quick,
	}
	g, err := git.Find(ctx)
	if err != nil {
		return c, err
	}
	c.Git = g.Version()
	box, err := b.parts.Sandbox(ctx, &clade.Spec{}, nil)
	if err != nil {
		return c, err
	}
	defer box.Close()
	c.Isolation = box.Grade()
	spaces, err := b.parts.Workspaces(b.parts.Cache, nil, box)
	if err != nil {
		return c, err
	}
	defer spaces.Close()
	c.Workspaces = spaces.Name()
	c.SyncMS, err = syncTime(b.dir, b.sizes.syncs)
	return c, err
}

// syncTime is the median time in milliseconds that the disk takes to make 4 KiB
// at the end of a file durable.
func syncTime(dir string, n int) (float64, error) {
	f, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	page := make([]byte, 4<<10)
	t := timer{}
	for range n {
		if _, err := f.Write(page); err != nil {
			return 0, err
		}
		if err := t.time(func() error { return syncData(f) }); err != nil {
			return 0, err
		}
	}
	return t.median(), nil
}

// load is what Linux says of the load, "unknown" elsewhere.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(b)); err == nil && len(f) > 2 {
		return strings.Join(f[:3], " ")
	}
	return "unknown"
}

// A timer collects times in milliseconds.
type timer struct{ ms []float64 }

// time adds what f took, unless it failed.
func (t *timer) time(f func() error) error {
	start := time.Now()
	err := f()
	if err == nil {
		t.ms = append(t.ms, milliseconds(time.Since(start)))
	}
	return err
}

func (t *timer) median() float64 { return clade.Median(t.ms) }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
