package crash

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDiesAtTheCountedPass(t *testing.T) {
	t.Parallel()
	p, err := Parse("proposed:after:2")
	if err != nil {
		t.Fatal(err)
	}
	deaths := 0
	p.die = func() { deaths++ }
	pass := func() { _ = p.Around("proposed", func() error { return nil }) }
	pass()
	if deaths != 0 {
		t.Fatal("died at the first pass")
	}
	p.At("proposed", Before)
	p.At("planned", After)
	if deaths != 0 {
		t.Fatal("died at another step")
	}
	pass()
	pass()
	if deaths != 1 {
		t.Fatalf("%d deaths, want 1", deaths)
	}
}

func TestNoPlanNeverDies(t *testing.T) {
	t.Parallel()
	p, err := Parse("")
	if p != nil || err != nil {
		t.Fatal(p, err)
	}
	p.At("anything", After)
}

func TestBadPlansAreRefused(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"x", "x:after", "x:during:1", "x:after:0", "x:after:-1", "x:after:y", "x:after:1:2", "x:after:1:all:all", "record:/no/such/folder/f"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestRecordsWhatIsPassed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "passed")
	p, err := Parse("record:" + file)
	if err != nil {
		t.Fatal(err)
	}
	_ = p.Around("sync", func() error { return os.ErrInvalid })
	_ = p.Around("pack", func() error { return nil })
	if got, err := os.ReadFile(file); string(got) != "sync:before\npack:before\npack:after\n" || err != nil {
		t.Errorf("recorded %q, %v", got, err)
	}
}
