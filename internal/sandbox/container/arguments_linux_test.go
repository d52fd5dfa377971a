package container

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	sandboxtest.Main()
	goleak.VerifyTestMain(m)
}

func TestArguments(t *testing.T) {
	t.Parallel()
	c := sandbox.Command{Args: []string{"secret-program"}, Env: []string{"KEY=secret-value"}, Writable: []string{"/w,x"}, Readable: []string{"/r"},
		Limits: sandbox.Limits{Memory: 100 << 20, Processes: 10, Disk: 1 << 20}}
	p := place{exe: "/bin/clade", socket: "/s", uid: 7, gid: 8, descriptors: 99, processes: 1<<64 - 1}
	got := arguments(true, Options{Image: "img", Show: []string{"/show"}}, c, "name", "mark", p)
	want := strings.Fields(`run --rm --name name --label clade.mark=mark --pull never --log-driver none --read-only --cap-drop ALL
		--security-opt no-new-privileges --security-opt label=disable --user 7:8 --ulimit core=0:0 --ulimit nofile=99:99 --ulimit nproc=-1:-1
		--userns keep-id --network none --pids-limit 34 --memory 155189248 --memory-swap 155189248
		--tmpfs /tmp:rw,exec,nosuid,nodev,mode=1777,size=1048576 --tmpfs /run:rw,exec,nosuid,nodev,mode=1777,size=1048576
		--tmpfs /var/tmp:rw,exec,nosuid,nodev,mode=1777,size=1048576
		--mount type=bind,source=/bin/clade,target=/.clade/warden,readonly --mount type=bind,source=/s,target=/.clade/engine,readonly
		--mount type=bind,source=/show,target=/show,readonly --mount type=bind,source=/r,target=/r,readonly
		--mount type=bind,"source=/w,x","target=/w,x" --workdir / --entrypoint /.clade/warden img __clade-warden /.clade/engine/s`)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	c.Network, c.Limits = true, sandbox.Limits{}
	free := arguments(false, Options{Image: "img"}, c, "name", "mark", p)
	if i := slices.Index(free, "--network"); free[i+1] != "host" || slices.Contains(free, "--memory") || slices.Contains(free, "--userns") {
		t.Errorf("with a network, without limits: %q", free)
	}
	if s := strings.Join(append(got, free...), " "); strings.Contains(s, "secret") {
		t.Errorf("docker is told of the command: %s", s)
	}
}

// deadMark is the mark of an engine that is dead.
func deadMark(t *testing.T) string {
	t.Helper()
	mark, err := proc.NewMark()
	if err != nil {
		t.Fatal(err)
	}
	self, err := proc.Self()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(string(mark), self.String(), (proc.Identity{PID: os.Getpid(), Start: "1", Boot: self.Boot}).String(), 1)
}

// F10: what a dead engine left is removed, and no other container, whatever
// becomes of the image.
func TestF10OrphansAreSwept(t *testing.T) {
	alive, err := proc.NewMark()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	marks := map[string]string{"aa": string(alive), "bb": deadMark(t), "cc": "", "dd": "nonsense"}
	script := "#!/bin/sh\necho \"$*\" >> " + dir + "/asked\ncase \"$*\" in\n'ps --all'*) echo aa bb cc dd ee;;\n"
	for id, mark := range marks {
		script += "'container inspect'*" + id + ") echo '" + mark + "';;\n"
	}
	script += "'container inspect'*) exit 1;;\nesac\n"
	err = proc.Unforked(func() error { return os.WriteFile(filepath.Join(dir, "docker"), []byte(script), 0o755) })
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	_, err = New(t.Context(), Options{})
	if clade.FaultOf(err) != clade.FaultSpec {
		t.Errorf("without an image: %v", err)
	}
	asked, err := os.ReadFile(filepath.Join(dir, "asked"))
	if err != nil {
		t.Fatal(err)
	}
	var removed []string
	for line := range strings.Lines(string(asked)) {
		if strings.HasPrefix(line, "rm ") {
			removed = append(removed, line)
		}
	}
	if !slices.Equal(removed, []string{"rm --force bb\n"}) {
		t.Errorf("removed %q, want bb", removed)
	}
}

// A socket of an engine that died while its container was made is removed, one
// of a living engine and what is called alike are not.
func TestSweepSockets(t *testing.T) {
	t.Parallel()
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	dead, mine, other := fmt.Sprintf("%s%d-1", socketPrefix, gone.Process.Pid), fmt.Sprintf("%s%d-2", socketPrefix, os.Getpid()), socketPrefix+"x"
	for _, name := range []string{dead, mine, other} {
		if err := os.MkdirAll(filepath.Join(dir, name, "full"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sweepSockets(dir)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 || entries[0].Name() != mine || entries[1].Name() != other {
		t.Errorf("left %v, %v", entries, err)
	}
}
