package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// start starts a command with its limits in force before its first
// instruction: it is traced just long enough to stop at its exec. Where tracing
// is forbidden the limits are set right after the start.
func start(cmd *exec.Cmd, l Limits) (*tree, error) { return startBound(cmd, rlimits(l)) }

func startBound(cmd *exec.Cmd, bounds map[int]uint64) (*tree, error) {
	runtime.LockOSThread() // the tracer is a thread
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr.Ptrace = true
	traced := true
	err := cmd.Start()
	if errors.Is(err, unix.EPERM) {
		// A Cmd cannot be started twice.
		traced = false
		*cmd = exec.Cmd{Path: cmd.Path, Args: cmd.Args, Dir: cmd.Dir, Env: cmd.Env,
			Stdin: cmd.Stdin, Stdout: cmd.Stdout, Stderr: cmd.Stderr, SysProcAttr: attributes()}
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	pid := cmd.Process.Pid
	if err := bind(pid, traced, bounds); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, err
	}
	return &tree{pgid: pid}, nil
}

func bind(pid int, traced bool, bounds map[int]uint64) error {
	if traced {
		if err := stopped(pid); err != nil {
			return err
		}
	}
	for what, bound := range bounds {
		if err := unix.Prlimit(pid, what, &unix.Rlimit{Cur: bound, Max: bound}, nil); err != nil {
			return fmt.Errorf("setting limits: %w", err)
		}
	}
	if traced {
		if err := unix.PtraceDetach(pid); err != nil {
			return fmt.Errorf("letting the process run: %w", err)
		}
	}
	return nil
}

// stopped waits for a traced process to stop at its exec.
func stopped(pid int) error {
	var ws unix.WaitStatus
	for {
		_, err := unix.Wait4(pid, &ws, unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return fmt.Errorf("waiting for exec: %w", err)
		case ws.Stopped():
			return nil
		default:
			return errors.New("waiting for exec: the process ended")
		}
	}
}

// rlimits are the limits of a single process, and of its user's processes.
func rlimits(l Limits) map[int]uint64 {
	others, err := tasks()
	if err != nil {
		l.Processes = 0
	}
	return rlimitsBeside(l, others)
}

// rlimitsBeside are the same where a user has others tasks already.
func rlimitsBeside(l Limits, others uint64) map[int]uint64 {
	r := map[int]uint64{unix.RLIMIT_CORE: 0}
	if l.Disk > 0 {
		r[unix.RLIMIT_FSIZE] = uint64(l.Disk)
	}
	if l.Memory > 0 {
		r[unix.RLIMIT_DATA] = uint64(l.Memory)
	}
	if l.Processes > 0 {
		r[unix.RLIMIT_NPROC] = others + uint64(l.Processes)
	}
	return r
}

// tasks is how many tasks the machine has: no user has more.
func tasks() (uint64, error) {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0, err
	}
	return uint64(info.Procs), nil
}

// peakMemory is the largest resident set of the command's processes that were
// waited for, bytes.
func peakMemory(s *os.ProcessState) int64 {
	if child, ok := s.SysUsage().(*syscall.Rusage); ok {
		return largest(child.Maxrss)
	}
	return 0
}

// largest is a child's largest resident set in bytes, from KiB. Until its exec a
// child shares this process's memory, and the kernel counts that too: a figure
// no larger than ours says nothing.
func largest(kib int64) int64 {
	var own syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &own) != nil || kib <= own.Maxrss {
		return 0
	}
	return kib << 10
}
