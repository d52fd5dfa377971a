package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
)

// A channel is a file for one run's result, in a folder made for it.
type channel struct {
	dir, nonce string
	wantsNonce bool // a result without the nonce is none
}

const resultName = "result.json"

// channel tells c, which has entered its scope, where to write its result.
func (s *stage) channel(c *sandbox.Command) (*channel, error) {
	dir, err := os.MkdirTemp(s.Scratch, "clade-")
	if err != nil {
		return nil, fmt.Errorf("make folder for a result: %w", err)
	}
	ch := &channel{dir: dir, nonce: nonce(), wantsNonce: s.job.Spec.Protect.Nonce}
	seen := dir
	if s.Sandbox.Mounts() {
		seen = path.Join(tempOf(c.Env), filepath.Base(dir))
		c.Mounts = append(c.Mounts, sandbox.Mount{Kind: sandbox.MountBind, Source: dir, Target: seen})
	} else {
		c.Writable = append(c.Writable, dir)
	}
	c.Env = append(c.Env, "CLADE_RESULT="+filepath.Join(seen, resultName), "CLADE_NONCE="+ch.nonce)
	return ch, nil
}

// tempOf is the folder for temporary files that a scope gave a command.
func tempOf(env []string) string {
	for _, e := range env {
		if dir, ok := strings.CutPrefix(e, "TMPDIR="); ok {
			return dir
		}
	}
	return "/tmp"
}

// read is called when nothing of the command is alive any more, so that what is
// looked at is what is read.
func (ch *channel) read() (evaluate.Result, error) {
	name := filepath.Join(ch.dir, resultName)
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return evaluate.Result{}, errors.New("it wrote no result to the file named by CLADE_RESULT")
	case err != nil:
		return evaluate.Result{}, fmt.Errorf("its result cannot be read: %w", errors.Unwrap(err))
	case !info.Mode().IsRegular():
		return evaluate.Result{}, fmt.Errorf("its result is no regular file but %v", info.Mode().Type())
	case info.Size() > evaluate.MaxResult:
		return evaluate.Result{}, fmt.Errorf("its result of %d bytes is larger than %d", info.Size(), evaluate.MaxResult)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return evaluate.Result{}, fmt.Errorf("its result cannot be read: %w", errors.Unwrap(err))
	}
	res, err := evaluate.ParseResult(data, ch.nonce)
	if err == nil && ch.wantsNonce && !res.Nonced {
		return evaluate.Result{}, errors.New("its result has no nonce: write the value of CLADE_NONCE as \"nonce\", or take protect.nonce out of the spec")
	}
	return res, err
}

// remove removes the folder, also when the command made it unwritable.
func (ch *channel) remove() error { return workspace.Remove(ch.dir) }
