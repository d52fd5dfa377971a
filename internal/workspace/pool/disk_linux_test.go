package pool_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/workspace"
)

// A full disk leaves nothing half made, and nothing in the way of the next try.
func TestKeptOnAFullDisk(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if err := syscall.Mount("clade-test", disk, "tmpfs", 0, "size=256k"); err != nil {
		t.Skip("needs the right to mount a tmpfs: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	p := parts(bareHands(t))(t)
	base, err := p.Ledger.Commit(t.Context(), ledger.Draft{Message: "base", Changes: []ledger.Change{
		{Path: "a", Mode: ledger.ModeFile, Data: []byte("a")},
		{Path: "d/large", Mode: ledger.ModeExec, Data: make([]byte, 512<<10)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	provider, err := p.Open()
	if err != nil {
		t.Fatal(err)
	}
	template, err := provider.Template(t.Context(), workspace.TemplateSpec{Commit: base.Commit})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(disk, "workspace")
	for name, err := range map[string]error{
		"Keep":   provider.Keep(t.Context(), template, workspace.Plan{Commit: base.Commit}, dir),
		"Export": workspace.Export(t.Context(), p.Ledger, base.Commit, dir, nil),
	} {
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := os.ReadDir(disk); err != nil || len(left) > 0 {
		t.Errorf("left behind %v, %v", left, err)
	}
	small := func(path string) bool { return path == "a" }
	if err := workspace.Export(t.Context(), p.Ledger, base.Commit, dir, small); err != nil {
		t.Error(err)
	}
}
