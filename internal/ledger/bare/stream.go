package bare

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cladehq/clade/internal/ledger"
)

const (
	// branch is what fast-import calls the commit in hand. It is never written.
	branch = "refs/clade/in-hand"
	// stamp is who made every commit and when: nobody, at a fixed time, so that
	// the same content always has the same id.
	stamp = "clade <clade@localhost> 946684800 +0000"
)

// A put is a file to be set: its data, or the id of a blob that the ledger
// holds already.
type put struct {
	path string
	mode ledger.Mode
	id   oid
	data []byte
	held bool // data is not given
}

// A plan is a commit ready to be made.
type plan struct {
	parents []oid
	from    oid  // tree that is changed
	follows bool // from is the first parent's tree
	dels    []string
	puts    []put
	message string
	tree    oid
	commit  oid
}

// sort puts the changes into the one order that they are written in.
func (p *plan) sort() {
	slices.Sort(p.dels)
	p.dels = slices.Compact(p.dels)
	slices.SortFunc(p.puts, func(a, b put) int { return strings.Compare(a.path, b.path) })
}

// object is the commit as git stores it.
func (p *plan) object() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", p.tree)
	for _, parent := range p.parents {
		fmt.Fprintf(&b, "parent %s\n", parent)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", stamp, stamp, p.message)
	return b.Bytes()
}

// size is about how many bytes write writes.
func (p *plan) size() int {
	n := len(p.message) + 300
	for _, f := range p.puts {
		n += len(f.data) + len(f.path) + 64
	}
	for _, d := range p.dels {
		n += len(d) + 5
	}
	return n
}

// write gives the plan to fast-import as mark number mark. Commits are called
// what name calls them.
func (p *plan) write(w io.Writer, mark int, name func(oid) string) error {
	e := &script{w: w}
	e.line("reset " + branch)
	e.line("commit " + branch)
	e.line("mark :" + strconv.Itoa(mark))
	e.line("committer " + stamp)
	e.data([]byte(p.message))
	for i, parent := range p.parents {
		e.line([]string{"from ", "merge "}[min(i, 1)] + name(parent))
	}
	switch {
	case p.follows || len(p.parents) == 0 && p.from == emptyTree:
	case p.from == emptyTree:
		e.line("deleteall")
	default:
		e.line("M 040000 " + p.from.String() + ` ""`)
	}
	for _, path := range p.dels {
		e.line("D " + quote(path))
	}
	for _, f := range p.puts {
		if f.held {
			e.line("M " + string(f.mode) + " " + f.id.String() + " " + quote(f.path))
			continue
		}
		e.line("M " + string(f.mode) + " inline " + quote(f.path))
		e.data(f.data)
	}
	e.line("")
	return e.err
}

// stream is what write writes, with objects by id: it means the same in any
// process.
func (p *plan) stream() []byte {
	b := bytes.NewBuffer(make([]byte, 0, p.size()))
	_ = p.write(b, 1, oid.String) // a buffer takes everything
	return b.Bytes()
}

// script writes commands of fast-import and keeps the first error.
type script struct {
	w   io.Writer
	err error
}

func (s *script) line(l string) { s.bytes([]byte(l + "\n")) }

func (s *script) data(b []byte) {
	s.line("data " + strconv.Itoa(len(b)))
	s.bytes(b)
	s.line("")
}

func (s *script) bytes(b []byte) {
	if s.err == nil {
		_, s.err = s.w.Write(b)
	}
}

// readStream reads what stream wrote. Only parents, from (unless it follows),
// changes and message of the plan are set.
func readStream(b []byte) (*plan, error) {
	r := &reader{rest: b}
	p := &plan{from: emptyTree}
	for _, want := range []string{"reset " + branch, "commit " + branch, "mark :1", "committer " + stamp} {
		r.want(want)
	}
	p.message = string(r.data())
	for r.err == nil {
		line := r.line()
		if line == "" {
			break
		}
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "from", "merge":
			p.follows = true
			p.parents = append(p.parents, r.id(rest))
		case "deleteall":
			p.follows = false
		case "D":
			p.dels = append(p.dels, r.path(rest))
		case "M":
			r.modify(p, rest)
		default:
			r.fail("unknown command %q", line)
		}
	}
	if r.err == nil && len(r.rest) > 0 {
		r.fail("%d bytes follow the commit", len(r.rest))
	}
	return p, r.err
}

// reader takes a stream apart and keeps the first error.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("stream is malformed: "+format, args...)
	}
}

func (r *reader) line() string {
	l, rest, ok := bytes.Cut(r.rest, []byte{'\n'})
	if !ok {
		r.fail("it ends early")
		return ""
	}
	r.rest = rest
	return string(l)
}

func (r *reader) want(line string) {
	if got := r.line(); got != line {
		r.fail("%q instead of %q", got, line)
	}
}

func (r *reader) data() []byte {
	size, ok := strings.CutPrefix(r.line(), "data ")
	n, err := strconv.Atoi(size)
	if !ok || err != nil || n < 0 || n >= len(r.rest) || r.rest[n] != '\n' {
		r.fail("data of %q bytes", size)
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n+1:]
	return b
}

func (r *reader) id(s string) oid {
	o, err := parseOID(s)
	if err != nil {
		r.fail("%q is no id", s)
	}
	return o
}

func (r *reader) path(s string) string {
	p, err := unquote(s)
	if err != nil {
		r.fail("%v", err)
	}
	return p
}

func (r *reader) modify(p *plan, s string) {
	mode, s, _ := strings.Cut(s, " ")
	what, name, _ := strings.Cut(s, " ")
	if mode == "040000" {
		p.follows, p.from = false, r.id(what)
		return
	}
	f := put{mode: ledger.Mode(mode), path: r.path(name)}
	if f.held = what != "inline"; f.held {
		f.id = r.id(what)
	} else {
		f.data = r.data()
	}
	p.puts = append(p.puts, f)
}
