package git

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"strings"
)

// A FastImport is one git fast-import. What it is given is in the repository
// after Checkpoint; until then its ids mean nothing to anybody else, and even it
// knows unfinished commits only by their marks. It is safe for concurrent use. Once it has died, by itself or because it was given nonsense, every
// call reports ErrEnded and what was not checkpointed is lost.
type FastImport struct{ p *process }

// FastImport starts one for r. Its objects always go into packs, and those are
// flushed to the disk by Checkpoint.
func (r *Repo) FastImport() (*FastImport, error) {
	r = r.With([]string{"fastimport.unpackLimit=0", "core.fsync=committed"}, nil)
	p, err := r.start("fast-import", "--force", "--quiet", "--done", "--date-format=raw")
	if err != nil {
		return nil, err
	}
	return &FastImport{p}, nil
}

// Tell gives fast-import commands that it does not answer.
func (f *FastImport) Tell(write func(io.Writer) error) error {
	return f.p.exchange(func(w *bufio.Writer) error { return write(w) }, nil)
}

// Make gives it commands that define a mark and returns that object's id.
func (f *FastImport) Make(mark int, write func(io.Writer) error) (id string, err error) {
	err = f.p.exchange(func(w *bufio.Writer) error {
		if err := write(w); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "get-mark :%d\n", mark)
		return err
	}, func(r *bufio.Reader) error {
		line, err := r.ReadString('\n')
		if err != nil {
			return unexpectedEOF(err)
		}
		id = strings.TrimSuffix(line, "\n")
		if len(id) != 40 {
			return fmt.Errorf("get-mark answered %q", line)
		}
		return nil
	})
	return id, err
}

// Checkpoint returns when everything given so far is in a finished pack, which
// git has flushed to the disk. Folders are not flushed. A pack is named after
// what is in it, and two processes that finish the same one at the same time
// fail over its .keep file; a blob of random bytes makes each its own.
func (f *FastImport) Checkpoint() error {
	return f.p.exchange(func(w *bufio.Writer) error {
		_, err := fmt.Fprintf(w, "blob\ndata 26\n%s\ncheckpoint\nprogress done\n", rand.Text())
		return err
	}, func(r *bufio.Reader) error {
		line, err := r.ReadString('\n')
		if err != nil {
			return unexpectedEOF(err)
		}
		if line != "progress done\n" {
			return fmt.Errorf("checkpoint answered %q", line)
		}
		return nil
	})
}

// Close ends the process in peace; call Checkpoint before.
func (f *FastImport) Close() error { return f.p.close("done\n") }

// Kill ends the process; what was not checkpointed is lost.
func (f *FastImport) Kill() {
	f.p.mu.Lock()
	defer f.p.mu.Unlock()
	if f.p.err == nil {
		f.p.end(fmt.Errorf("killed"))
	}
}
