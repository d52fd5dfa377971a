package container

import (
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cladehq/clade/internal/proc"
	"github.com/cladehq/clade/internal/sandbox"
)

// Where a container finds its warden and the engine.
const (
	wardenPath = "/.clade/warden"
	socketDir  = "/.clade/engine"
	socketName = "s"
)

// A place is what a container is told of this machine.
type place struct {
	exe      string // this program
	socket   string // folder of the engine's socket
	uid, gid int
	// What this process may have: a container may not have more, though docker
	// and podman ask for it where they are not told.
	descriptors, processes uint64
}

// arguments are those of docker or podman for a command.
func arguments(podman bool, o Options, c sandbox.Command, name string, mark proc.Mark, p place) []string {
	args := []string{"run", "--rm", "--name", name, "--label", label + "=" + string(mark), "--pull", "never", "--log-driver", "none",
		"--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--security-opt", "label=disable",
		"--user", fmt.Sprintf("%d:%d", p.uid, p.gid), "--ulimit", "core=0:0",
		"--ulimit", fmt.Sprintf("nofile=%[1]d:%[1]d", int64(p.descriptors)), "--ulimit", fmt.Sprintf("nproc=%[1]d:%[1]d", int64(p.processes))}
	if podman && p.uid != 0 {
		args = append(args, "--userns", "keep-id")
	}
	network := "none"
	if c.Network {
		network = "host"
	}
	args = append(args, "--network", network)
	if n := c.Limits.Processes; n > 0 {
		args = append(args, "--pids-limit", strconv.Itoa(n+wardenTasks))
	}
	if m := c.Limits.Memory; m > 0 {
		held := strconv.FormatInt(m+wardenMemory, 10)
		args = append(args, "--memory", held, "--memory-swap", held)
	}
	for _, dir := range []string{"/tmp", "/run", "/var/tmp"} {
		options := "rw,exec,nosuid,nodev,mode=1777"
		if c.Limits.Disk > 0 {
			options += ",size=" + strconv.FormatInt(c.Limits.Disk, 10)
		}
		args = append(args, "--tmpfs", dir+":"+options)
	}
	args = append(args, bind(p.exe, wardenPath, true)...)
	args = append(args, bind(p.socket, socketDir, true)...)
	for _, f := range append(append([]string(nil), o.Show...), c.Readable...) {
		args = append(args, bind(f, f, true)...)
	}
	for _, f := range c.Writable {
		args = append(args, bind(f, f, false)...)
	}
	return append(args, "--workdir", "/", "--entrypoint", wardenPath, o.Image, sandbox.WardenArg, path.Join(socketDir, socketName))
}

// Room for a warden.
const (
	wardenTasks  = 24
	wardenMemory = 48 << 20
)

// bind is a mount as a line of comma separated values.
func bind(from, to string, readOnly bool) []string {
	fields := []string{"type=bind", "source=" + filepath.Clean(from), "target=" + to}
	if readOnly {
		fields = append(fields, "readonly")
	}
	for i, f := range fields {
		if strings.ContainsAny(f, ",\"\n") {
			fields[i] = `"` + strings.ReplaceAll(f, `"`, `""`) + `"`
		}
	}
	return []string{"--mount", strings.Join(fields, ",")}
}
