package namespace

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/sandbox"
)

// A supervisor lives in a cgroup of its own, and what it forks is born there:
// moving each command would cost milliseconds. Limits are set before each
// command, with room for the supervisor.

// A controller is where cgroups with one resource can be made.
type controller struct {
	name   string // "memory" or "pids"
	v2     bool
	parent string // folder that slots' groups are made in
}

// groups are the controllers that this process may use, found once.
type groups struct {
	list []controller
	self proc.Identity
}

const groupPrefix = "clade-"

// findGroups looks from this process's own cgroup upwards for the first where
// one can be made. It returns nil when there is none.
func findGroups() *groups {
	self, err := proc.Self()
	if err != nil {
		return nil
	}
	g := &groups{self: self}
	mounts, own := cgroupMounts(), ownCgroups()
	for _, name := range []string{"memory", "pids"} {
		root, v2 := mounts[name], false
		path, ok := own[name]
		if root == "" || !ok {
			root, path, v2 = mounts[""], own[""], true
		}
		if root == "" {
			continue
		}
		c := controller{name: name, v2: v2}
		if c.parent = g.usable(c, root, path); c.parent != "" {
			g.list = append(g.list, c)
		}
	}
	if len(g.list) == 0 {
		return nil
	}
	g.sweep()
	return g
}

func (g *groups) has(name string) bool {
	if g == nil {
		return false
	}
	for _, c := range g.list {
		if c.name == name {
			return true
		}
	}
	return false
}

// usable tries each folder from path up to root by making a group.
func (g *groups) usable(c controller, root, path string) string {
	for ; ; path = filepath.Dir(path) {
		dir := filepath.Join(root, path)
		probe := filepath.Join(dir, g.name())
		if os.Mkdir(probe, 0o755) == nil {
			_, err := os.Stat(filepath.Join(probe, c.limitFile()))
			writable := unix.Access(filepath.Join(dir, "cgroup.procs"), unix.W_OK) == nil
			_ = os.Remove(probe)
			if err == nil && writable {
				return dir
			}
		}
		if path == "/" || path == "." {
			return ""
		}
	}
}

// name is a new name that tells whose the group is.
func (g *groups) name() string {
	return groupPrefix + g.self.String() + "-" + rand.Text()
}

// sweep removes groups that dead engines left. One in use is not removable.
func (g *groups) sweep() {
	for _, c := range g.list {
		dirs, _ := filepath.Glob(filepath.Join(c.parent, groupPrefix+"*"))
		for _, d := range dirs {
			s := strings.TrimPrefix(filepath.Base(d), groupPrefix)
			if i := strings.LastIndexByte(s, '-'); i > 0 {
				if id, err := proc.Parse(s[:i]); err == nil && !id.Alive() {
					_ = os.Remove(d)
				}
			}
		}
	}
}

// cgroupMounts finds where hierarchies are mounted, by controller; v2 is "".
func cgroupMounts() map[string]string {
	b, _ := os.ReadFile("/proc/self/mounts")
	found := map[string]string{}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		switch {
		case len(f) < 4:
		case f[2] == "cgroup2":
			found[""] = f[1]
		case f[2] == "cgroup":
			for option := range strings.SplitSeq(f[3], ",") {
				found[option] = f[1]
			}
		}
	}
	return found
}

// ownCgroups is this process's place in each hierarchy, by controller.
func ownCgroups() map[string]string {
	b, _ := os.ReadFile("/proc/self/cgroup")
	own := map[string]string{}
	for line := range strings.Lines(string(b)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		for name := range strings.SplitSeq(f[1], ",") {
			own[name] = f[2]
		}
	}
	return own
}

func (c controller) limitFile() string {
	switch {
	case c.name == "pids":
		return "pids.max"
	case c.v2:
		return "memory.max"
	}
	return "memory.limit_in_bytes"
}

func (c controller) usageFile() string {
	switch {
	case c.name == "pids":
		return "pids.current"
	case c.v2:
		return "memory.current"
	}
	return "memory.usage_in_bytes"
}

func (c controller) none() string {
	if c.name == "pids" || c.v2 {
		return "max"
	}
	return "-1"
}

// A group is the cgroups of one supervisor. A nil group limits nothing.
type group struct {
	members []*member
}

type member struct {
	controller
	dir string
	own int64  // used by the supervisor itself
	set string // the limit in force
}

// make moves a supervisor into new groups.
func (g *groups) make(pid int) (*group, error) {
	if g == nil {
		return nil, nil
	}
	made := &group{}
	for _, c := range g.list {
		m := &member{controller: c, dir: filepath.Join(c.parent, g.name()), set: c.none()}
		if err := os.Mkdir(m.dir, 0o755); err != nil {
			return made, fmt.Errorf("making a cgroup: %w", err)
		}
		made.members = append(made.members, m)
		if err := m.write("cgroup.procs", strconv.Itoa(pid)); err != nil {
			return made, fmt.Errorf("moving a supervisor into its cgroup: %w", err)
		}
	}
	return made, nil
}

func (m *member) write(file, value string) error {
	return os.WriteFile(filepath.Join(m.dir, file), []byte(value), 0o644)
}

func (m *member) read(file string) (int64, error) {
	b, err := os.ReadFile(filepath.Join(m.dir, file))
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
}

// limit puts limits in force while nothing runs in the group. The answer, asked
// when the command has ended, is whether the memory limit killed anything.
func (g *group) limit(l sandbox.Limits) (oom func() bool, err error) {
	oom = func() bool { return false }
	if g == nil {
		return oom, nil
	}
	for _, m := range g.members {
		bound := l.Memory
		if m.name == "pids" {
			bound = int64(l.Processes)
		}
		if err := m.limit(bound); err != nil {
			return nil, fmt.Errorf("setting the %s limit: %w", m.name, err)
		}
		if m.name == "memory" && bound > 0 {
			before := m.kills()
			oom = func() bool { return m.kills() > before }
		}
	}
	return oom, nil
}

func (m *member) limit(bound int64) error {
	want := m.none()
	if bound > 0 {
		if m.own == 0 {
			used, err := m.read(m.usageFile())
			if err != nil {
				return err
			}
			m.own = used + m.slack()
		}
		want = strconv.FormatInt(bound+m.own, 10)
	}
	if want == m.set {
		return nil
	}
	if err := m.apply(want); err != nil {
		return err
	}
	m.set = want
	return nil
}

// apply also bars the way out by swapping, where there is swap.
func (m *member) apply(bound string) error {
	if m.name != "memory" {
		return m.write(m.limitFile(), bound)
	}
	if m.v2 {
		return errors.Join(m.write(m.limitFile(), bound), optional(m.write("memory.swap.max", "0")))
	}
	// Memory may never exceed memory and swap: which is set first depends on
	// whether the limit grows.
	const both = "memory.memsw.limit_in_bytes"
	if m.write(m.limitFile(), bound) == nil {
		return optional(m.write(both, bound))
	}
	return errors.Join(optional(m.write(both, bound)), m.write(m.limitFile(), bound))
}

// optional passes over a file that this kernel does not have.
func optional(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil // a new file in a cgroup cannot be made: EACCES
	}
	return err
}

// slack is room for PID 1 and for what a supervisor may still grow.
func (m *member) slack() int64 {
	if m.name == "pids" {
		return 4
	}
	return 4 << 20
}

// kills is how many processes the memory limit has killed in this group.
func (m *member) kills() int64 {
	file := "memory.oom_control"
	if m.v2 {
		file = "memory.events"
	}
	b, _ := os.ReadFile(filepath.Join(m.dir, file))
	for line := range bytes.Lines(b) {
		if v, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("oom_kill ")); ok {
			n, _ := strconv.ParseInt(string(v), 10, 64)
			return n
		}
	}
	return 0
}

// remove removes the groups of a dead supervisor. The kernel takes a moment to
// let go of its last processes.
func (g *group) remove() error {
	if g == nil {
		return nil
	}
	var errs []error
	for _, m := range g.members {
		err := os.Remove(m.dir)
		for tries := 0; errors.Is(err, unix.EBUSY) && tries < 100; tries++ {
			time.Sleep(time.Millisecond << min(tries, 4))
			err = os.Remove(m.dir)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("removing a cgroup: %w", err))
		}
	}
	return errors.Join(errs...)
}
