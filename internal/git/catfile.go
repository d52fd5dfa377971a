package git

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// ErrMissing reports an object that a repository does not hold.
var ErrMissing = errors.New("object is missing")

// An Object is one object of a repository.
type Object struct {
	ID   string
	Type string // blob, tree, commit or tag
	Size int64  // bytes
	Data []byte // nil from Info
}

// A CatFile reads objects through one persistent git process, which it starts
// when first asked and again after it died. It is safe for concurrent use.
type CatFile struct {
	repo *Repo
	mode string // --batch or --batch-check
	mu   sync.Mutex
	p    *process
	over bool
}

// Contents reads whole objects of r.
func (r *Repo) Contents() *CatFile { return &CatFile{repo: r, mode: "--batch"} }

// Infos reads only types and sizes of objects of r.
func (r *Repo) Infos() *CatFile { return &CatFile{repo: r, mode: "--batch-check"} }

// Get returns one object. It reports ErrMissing if there is none.
func (c *CatFile) Get(id string) (Object, error) {
	var o Object
	err := c.Each([]string{id}, func(_ int, got Object, err error) error {
		o = got
		return err
	})
	return o, err
}

// lookahead is how many objects are asked for before the first answer is read.
// The questions must fit into the pipe, or both sides wait for each other.
const lookahead = 256

// Each asks for objects in order and hands each answer to f, with ErrMissing
// for one that is not there. An error of f ends the walk; it is returned.
func (c *CatFile) Each(ids []string, f func(i int, o Object, err error) error) error {
	for _, id := range ids {
		if id == "" || strings.ContainsAny(id, "\x00\r\n") {
			return fmt.Errorf("%q names no object", id)
		}
	}
	for from := 0; from < len(ids); from += lookahead {
		if err := c.batch(ids, from, min(from+lookahead, len(ids)), f); err != nil {
			return err
		}
	}
	return nil
}

func (c *CatFile) batch(ids []string, from, to int, f func(int, Object, error) error) error {
	p, err := c.process()
	if err != nil {
		return err
	}
	var stopped error
	err = p.exchange(func(w *bufio.Writer) error {
		for _, id := range ids[from:to] {
			if _, err := w.WriteString(id + "\n"); err != nil {
				return err
			}
		}
		return nil
	}, func(r *bufio.Reader) error {
		for i := from; i < to; i++ {
			o, err := readObject(r, c.mode == "--batch")
			if err != nil && !errors.Is(err, ErrMissing) {
				return err
			}
			if stopped == nil {
				stopped = f(i, o, err)
			}
		}
		return nil
	})
	return errors.Join(err, stopped)
}

// process returns the running process, a new one if the last has ended.
func (c *CatFile) process() (*process, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil, ErrEnded
	}
	if c.p != nil && c.p.alive() {
		return c.p, nil
	}
	p, err := c.repo.start("cat-file", c.mode)
	if err == nil {
		c.p = p
	}
	return p, err
}

func (p *process) alive() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err == nil
}

// Close ends the process. Later questions report ErrEnded.
func (c *CatFile) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.p == nil {
		return nil
	}
	return c.p.close("")
}

// readObject parses one answer of cat-file: a header, then the content and a
// newline.
func readObject(r *bufio.Reader, content bool) (Object, error) {
	o, err := readHeader(r)
	if err != nil {
		return o, err
	}
	if o.Type == "" {
		return o, fmt.Errorf("%s: %w", o.ID, ErrMissing)
	}
	if content {
		o.Data, err = readData(r, o.Size)
	}
	return o, err
}

// readHeader parses "<id> blob <size>"; for "<id> missing" Type is empty.
func readHeader(r *bufio.Reader) (Object, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return Object{}, unexpectedEOF(err)
	}
	line = strings.TrimSuffix(line, "\n")
	if name, ok := strings.CutSuffix(line, " missing"); ok {
		return Object{ID: name}, nil
	}
	f := strings.Split(line, " ")
	if len(f) != 3 {
		return Object{}, fmt.Errorf("git answered %q", line)
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil || size < 0 {
		return Object{}, fmt.Errorf("git answered %q", line)
	}
	return Object{ID: f[0], Type: f[1], Size: size}, nil
}

// readData reads size bytes and the newline after them.
func readData(r *bufio.Reader, size int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(min(size, 1<<20))) // the rest is believed when it comes
	if _, err := io.CopyN(&b, r, size); err != nil {
		return nil, unexpectedEOF(err)
	}
	if end, err := r.ReadByte(); err != nil || end != '\n' {
		return nil, fmt.Errorf("no newline after an object: %w", unexpectedEOF(err))
	}
	return b.Bytes(), nil
}

func unexpectedEOF(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
