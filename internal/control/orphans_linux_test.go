package control

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/proc"
)

// F48: whoever starts next ends what a dead clade left. Another clade that starts
// meanwhile may be first.
func TestF48EndsOrphans(t *testing.T) {
	t.Parallel()
	self, err := proc.Self()
	if err != nil {
		t.Fatal(err)
	}
	dead := proc.Identity{PID: self.PID, Start: "1", Boot: self.Boot} // whoever had the number before
	mark, err := proc.NewMark()
	if err != nil {
		t.Fatal(err)
	}
	orphan := exec.Command("sh", "-c", "echo; exec sleep 1000")
	orphan.Env = []string{"PATH=/usr/bin:/bin", proc.Mark(strings.Replace(string(mark), self.String(), dead.String(), 1)).Env()}
	out, err := orphan.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = orphan.Process.Kill(); _ = orphan.Wait() })
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	id, err := proc.Of(orphan.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := endOrphans(t.Context()); err != nil {
		t.Fatal(err)
	}
	if id.Alive() {
		t.Error("the orphan lives")
	}
}
