package sandboxtest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/sandbox"
)

func runIsolated(t *testing.T, f fixture) {
	for name, test := range map[string]func(*testing.T, fixture){
		"overlay":                           overlay,
		"layers":                            layers,
		"long paths":                        longPaths,
		"bind":                              binds,
		"tmpfs":                             tmpfs,
		"hide":                              hides,
		"symlinks of a workspace":           symlinks,
		"bad mounts are no results":         badMounts,
		"host is read-only":                 hostReadOnly,
		"host processes are invisible":      hostProcesses,
		"C8 PID 1 shows no environment":     initEnvironment,
		"C7 network is off":                 networkOff,
		"network on request":                networkOn,
		"C6 temporary folders are fresh":    freshFolders,
		"H13 nothing above the workspace":   traversal,
		"no way to undo":                    undo,
		"own user namespaces":               ownNamespaces,
		"two commands share an upper layer": shared,
		"terminals":                         terminals,
		"F14 disk limit":                    diskLimit,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, f)
		})
	}
}

// tree makes files below a new folder, by path.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// workspace is a command over an overlay, and its upper layer.
func workspace(t *testing.T, f fixture, script string, lower ...string) (sandbox.Command, string) {
	t.Helper()
	upper, work := t.TempDir(), t.TempDir()
	t.Cleanup(func() { sandbox.Unseal(work) })
	c := shell(t, script)
	c.Dir = f.Work()
	c.Mounts = []sandbox.Mount{{
		Kind: sandbox.MountOverlay, Target: f.Work(), Lower: lower, Upper: upper, Work: work,
	}}
	return c, upper
}

func (f fixture) output(t *testing.T, c sandbox.Command, want string) {
	t.Helper()
	r := f.must(t, c)
	if got := text(r.Stdout); got != want || !r.OK() {
		t.Errorf("%q: exit %d %s, output %q, want %q, stderr %q", c.Args, r.Exit, r.Signal, got, want, text(r.Stderr))
	}
}

func overlay(t *testing.T, f fixture) {
	lower := tree(t, map[string]string{"a": "lower\n", "dir/b": "b\n"})
	c, upper := workspace(t, f, "cat a; echo new > a; echo x > dir/c; rm dir/b; ls dir", lower)
	f.output(t, c, "lower\nc\n")
	if b, err := os.ReadFile(filepath.Join(upper, "a")); err != nil || string(b) != "new\n" {
		t.Errorf("upper a = %q, %v", b, err)
	}
	if info, err := os.Lstat(filepath.Join(upper, "dir/b")); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		t.Errorf("no whiteout for dir/b: %v, %v", info, err)
	}
	if b, err := os.ReadFile(filepath.Join(lower, "a")); err != nil || string(b) != "lower\n" {
		t.Errorf("lower a = %q, %v", b, err)
	}
}

func layers(t *testing.T, f fixture) {
	var lower []string
	for i := range 60 {
		lower = append(lower, tree(t, map[string]string{"top": fmt.Sprint(i), "f" + strconv.Itoa(i): ""}))
	}
	c, _ := workspace(t, f, "cat top; ls | wc -l", lower...)
	f.output(t, c, "061\n")
}

func longPaths(t *testing.T, f fixture) {
	deep := strings.Repeat("/a:b,c\\"+strings.Repeat("d", 190), 8)
	lower := tree(t, map[string]string{deep + "/x": "deep"})
	c, _ := workspace(t, f, "cat x", filepath.Join(lower, deep))
	f.output(t, c, "deep")
}

func binds(t *testing.T, f fixture) {
	dir := tree(t, map[string]string{"f": "content\n"})
	c := shell(t, "cat /clade/ro/f /clade/file; echo x > /clade/rw/g; echo x 2>/dev/null > /clade/ro/g || echo refused")
	c.Mounts = []sandbox.Mount{
		{Kind: sandbox.MountBind, Source: dir, Target: "/clade/ro", ReadOnly: true},
		{Kind: sandbox.MountBind, Source: dir, Target: "/clade/rw"},
		{Kind: sandbox.MountBind, Source: filepath.Join(dir, "f"), Target: "/clade/file", ReadOnly: true},
	}
	f.output(t, c, "content\ncontent\nrefused\n")
	if b, err := os.ReadFile(filepath.Join(dir, "g")); err != nil || string(b) != "x\n" {
		t.Errorf("g = %q, %v", b, err)
	}
}

func tmpfs(t *testing.T, f fixture) {
	c := shell(t, "cd /clade/t; echo x > f; cat f; head -c 3000000 /dev/zero > big || echo full")
	c.Mounts = []sandbox.Mount{{Kind: sandbox.MountTmpfs, Target: "/clade/t", Size: 1 << 20}}
	f.output(t, c, "x\nfull\n")
}

func hides(t *testing.T, f fixture) {
	lower := tree(t, map[string]string{"secret/a": "s", "answers": "42", "open": "o"})
	c, upper := workspace(t, f, "ls; ls -A secret; cat open answers; echo x > answers || echo kept; echo y > secret/b || echo kept", lower)
	for _, p := range []string{"secret", "answers", "nothing-there"} {
		c.Mounts = append(c.Mounts, sandbox.Mount{Kind: sandbox.MountHide, Target: filepath.Join(f.Work(), p)})
	}
	r := f.must(t, c)
	if got := text(r.Stdout); got != "answers\nopen\nsecret\nokept\nkept\n" {
		t.Errorf("got %q, stderr %q", got, text(r.Stderr))
	}
	if list, err := os.ReadDir(upper); err != nil || len(list) != 0 {
		t.Errorf("upper layer holds %v, %v", list, err)
	}
}

// symlinks: a workspace must not lead a mount out of it.
func symlinks(t *testing.T, f fixture) {
	outside := t.TempDir()
	lower := tree(t, map[string]string{"x": ""})
	for name, target := range map[string]string{
		"abs": outside, "up": "../../../../../../../.." + outside, "fd": "/proc/self/fd/4/host" + outside, "old": "/host" + outside,
	} {
		if err := os.Symlink(target, filepath.Join(lower, name)); err != nil {
			t.Fatal(err)
		}
		c, _ := workspace(t, f, "true", lower)
		c.Mounts = append(c.Mounts, sandbox.Mount{Kind: sandbox.MountTmpfs, Target: filepath.Join(f.Work(), name, "made")})
		if _, err := f.Run(t.Context(), c); err == nil {
			t.Errorf("%s: a mount went through a symlink", name)
		}
	}
	if list, err := os.ReadDir(outside); err != nil || len(list) > 0 {
		t.Errorf("outside holds %v, %v", list, err)
	}
}

func badMounts(t *testing.T, f fixture) {
	for name, m := range map[string]sandbox.Mount{
		"missing source": {Kind: sandbox.MountBind, Source: "/no/such/folder", Target: "/clade/x"},
		"missing layer":  {Kind: sandbox.MountOverlay, Lower: []string{"/no/such/folder"}, Target: "/clade/x"},
		"relative":       {Kind: sandbox.MountTmpfs, Target: "x"},
		"root":           {Kind: sandbox.MountTmpfs, Target: "/"},
		"unknown":        {Kind: "other", Target: "/clade/x"},
		"read-only host": {Kind: sandbox.MountTmpfs, Target: "/usr/no-such-folder"},
	} {
		c := shell(t, "true")
		c.Mounts = []sandbox.Mount{m}
		if r, err := f.Run(t.Context(), c); err == nil {
			t.Errorf("%s: ran, exit %d", name, r.Exit)
		}
	}
	f.output(t, shell(t, "echo still works"), "still works\n")
}

// hostReadOnly: the host's file system takes no writes, whoever the user is,
// and what lies where the command has folders of its own is not there.
func hostReadOnly(t *testing.T, f fixture) {
	dir := tree(t, map[string]string{"f": "x"})
	for _, script := range []string{
		"echo x > /etc/clade-test", "echo x > /usr/clade-test", "echo x > /clade-test", "rm /etc/passwd", "mkdir /var/clade-test",
		"echo x > " + dir + "/f", "cat " + dir + "/f", "chmod 777 /etc", "touch /etc/passwd", "mknod /tmp/sda b 254 0 && cat /tmp/sda",
		"mount -o remount,rw /etc", "umount /etc", "echo x > /dev/clade-test", "echo core > /proc/sys/kernel/core_pattern",
		"mkdir /sys/fs/cgroup/pids/clade-test",
	} {
		if r := f.must(t, shell(t, script)); r.OK() {
			t.Errorf("%q succeeded", script)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "f")); err != nil || string(b) != "x" {
		t.Errorf("f = %q, %v", b, err)
	}
}

// machineSettings: nothing of /proc that is the machine's can be written, but
// for what everyone may write everywhere. Only opening is tried.
func machineSettings(t *testing.T, f fixture) {
	if !f.holds.Files {
		t.Skip("its commands see the machine as the user does")
	}
	f.output(t, shell(t, `find /proc -mindepth 1 -maxdepth 1 ! -name '[0-9]*' ! -type l -exec find {} -type f -perm /222 ! -perm -002 \; 2>/dev/null |
		while read -r p; do (: >> "$p") 2>/dev/null && echo "$p"; done; true`), "")
}

func hostProcesses(t *testing.T, f fixture) {
	f.output(t, shell(t, "echo $$; for p in /proc/[0-9]*; do echo ${p#/proc/}; done"), "2\n1\n2\n")
}

func initEnvironment(t *testing.T, f fixture) {
	for _, script := range []string{"cat /proc/1/environ", "cat /proc/1/mem", "readlink /proc/1/fd/0", "ls /proc/1/root/", "ls /proc/1/map_files/"} {
		r := f.must(t, shell(t, script))
		if r.Stdout.Size != 0 {
			t.Errorf("%s printed %.100q", script, text(r.Stdout))
		}
	}
}

func networkOff(t *testing.T, f fixture) {
	addr := listen(t)
	f.output(t, shell(t, "cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' '"), "lo\n")
	r := f.must(t, sandbox.Command{Args: []string{"bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/" + addr},
		Env: []string{"PATH=/usr/bin:/bin", census(t)}, Dir: "/"})
	if r.OK() {
		t.Error("the host's loopback was reached")
	}
}

func networkOn(t *testing.T, f fixture) {
	c := sandbox.Command{Args: []string{"bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/" + listen(t)},
		Env: []string{"PATH=/usr/bin:/bin", census(t)}, Dir: "/", Network: true}
	f.output(t, c, "")
}

// listen opens a port of the host and returns its number.
func listen(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

func freshFolders(t *testing.T, f fixture) {
	dirs := []string{"/tmp", "/run", "/dev/shm", f.Home(), f.Work()}
	for range 2 {
		for _, d := range dirs {
			f.output(t, shell(t, "ls -A "+d+"; echo x > "+d+"/left && cat "+d+"/left"), "x\n")
		}
	}
}

func traversal(t *testing.T, f fixture) {
	base := tree(t, map[string]string{"repo/deep/a": "a", "repo/.env": "SECRET", ".env": "SECRET"})
	c, _ := workspace(t, f, "for p in .. ../.. ../../.. ../../../..; do cat $p/.env; ls -A $p | grep -x .env; done; echo none", filepath.Join(base, "repo", "deep"))
	f.output(t, c, "none\n")
}

// undo: no user namespace of the command's own takes back what is masked or
// read-only.
func undo(t *testing.T, f fixture) {
	lower := tree(t, map[string]string{"secret": "s3cr3t"})
	for _, script := range []string{
		"umount secret; cat secret", "unshare -Urm sh -c 'umount secret; cat secret'",
		"unshare -Urm sh -c 'umount -l secret; cat secret'", "unshare -Urm sh -c 'umount -l /clade/work; cat secret'",
		"unshare -Urm sh -c 'mount -o remount,bind,rw /etc; echo x > /etc/clade-test && echo s3cr3t'",
		"unshare -Urm sh -c 'mount --bind / /tmp; cat /tmp" + f.Work() + "/secret'",
		"unshare -UrmC sh -c 'mount -t cgroup2 none /tmp && { mkdir /tmp/clade-test || echo max > /tmp/memory.max || echo max > /tmp/pids.max; } && echo s3cr3t'",
		"unshare -Urm sh -c 'mount -t cgroup2 none /tmp && echo s3cr3t'",
		"unshare -Urm sh -c 'mount -t sysfs none /tmp && echo s3cr3t'",
	} {
		c, _ := workspace(t, f, script, lower)
		c.Mounts = append(c.Mounts, sandbox.Mount{Kind: sandbox.MountHide, Target: filepath.Join(f.Work(), "secret")})
		if r := f.must(t, c); strings.Contains(text(r.Stdout), "s3cr3t") {
			t.Errorf("%q got it", script)
		}
	}
}

func ownNamespaces(t *testing.T, f fixture) {
	r := f.must(t, shell(t, "unshare -U true"))
	if !r.OK() {
		t.Skip("not allowed on this machine: " + text(r.Stderr))
	}
	f.output(t, shell(t, "unshare -Urmpf sh -c 'mount -t tmpfs none /tmp && echo $$'"), "1\n")
}

// shared: commands of one scope run one after the other over one upper layer.
func shared(t *testing.T, f fixture) {
	lower := tree(t, map[string]string{"a": "1\n"})
	c, _ := workspace(t, f, "cat a; echo more >> a", lower)
	f.output(t, c, "1\n")
	f.output(t, c, "1\nmore\n")
	f.output(t, c, "1\nmore\nmore\n")
}

func terminals(t *testing.T, f fixture) {
	f.output(t, shell(t, "test -c /dev/null && test -c /dev/tty && echo x > /dev/null && head -c 3 /dev/zero | wc -c; script -qec 'echo tty' /dev/null < /dev/null | tr -d '\\r'"), "3\ntty\n")
}

// diskLimit: a command that fills the disk is ended, by what its folders hold
// together; one that fills a temporary folder finds it full.
func diskLimit(t *testing.T, f fixture) {
	c, upper := workspace(t, f, "i=0; while [ $i -lt 400 ]; do i=$((i+1)); head -c 1000000 /dev/zero > f$i; sleep 0.01; done", tree(t, map[string]string{"x": ""}))
	c.Limits.Disk = 8 << 20
	r := f.must(t, c)
	if !r.OutOfDisk || r.OK() || r.TimedOut || r.Wall > patience {
		t.Errorf("got %+v", r)
	}
	if left, err := os.ReadDir(upper); err != nil || len(left) < 8 {
		t.Errorf("it was ended with %d MB, %v", len(left), err)
	}
	c = shell(t, "for d in /tmp /dev/shm "+f.Home()+"; do head -c 3000000 /dev/zero > $d/a; head -c 3000000 /dev/zero > $d/b || echo full; done")
	c.Limits.Disk = 4 << 20
	f.output(t, c, "full\nfull\nfull\n")
}
