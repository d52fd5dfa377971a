package namespace

import "golang.org/x/sys/unix"

// An assembler writes a program. PID 1 has descriptors 0 to next-1 open when
// its last op so far has run.
type assembler struct {
	p    *program
	next uintptr
	ops  *[]op
}

func (a *assembler) add(what string, nr uintptr, args ...uintptr) *op {
	o := op{nr: nr, want: anyResult, what: what}
	copy(o.args[:], args)
	*a.ops = append(*a.ops, o)
	return &(*a.ops)[len(*a.ops)-1]
}

// str keeps a C string for the program's life. A NUL would cut it short.
func (a *assembler) str(s string) uintptr {
	b := append([]byte(s), 0)
	a.p.keep = append(a.p.keep, b)
	return addr(&b[0])
}

func keep[T any](a *assembler, v T) uintptr {
	p := &v
	a.p.keep = append(a.p.keep, p)
	return addr(p)
}

// vector keeps a NULL-terminated array of C strings.
func (a *assembler) vector(list []string) uintptr {
	v := make([]uintptr, 0, len(list)+1)
	for _, s := range list {
		v = append(v, a.str(s))
	}
	v = append(v, 0)
	a.p.keep = append(a.p.keep, v)
	return addr(&v[0])
}

// open adds an open whose descriptor is known beforehand and returns it.
func (a *assembler) open(what, file string, flags uintptr) uintptr {
	o := a.add(what, unix.SYS_OPENAT, atCWD, a.str(file), flags|unix.O_CLOEXEC, 0)
	o.want = a.next
	a.next++
	return o.want
}

// openHost opens a path of the machine, as it would be there: its links lead
// where they lead on the machine.
func (a *assembler) openHost(what, file string) uintptr {
	o := a.add(what, unix.SYS_OPENAT2, machineFD, a.str(file), keep(a, machine), unix.SizeofOpenHow)
	o.want = a.next
	a.next++
	return o.want
}

var machine = unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT}

// atCWD is AT_FDCWD as an argument.
const atCWD = ^uintptr(-unix.AT_FDCWD - 1)
