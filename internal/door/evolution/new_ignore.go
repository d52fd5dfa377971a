package evolution

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/atomicfile"
	"github.com/cladehq/clade/internal/format/evolution"
	"github.com/cladehq/clade/internal/git"
)

// variantsIgnored is the line of .gitignore that keeps what variants are made of
// out of the repository.
const variantsIgnored = evolution.Root + "/*/" + evolution.DirVariants + "/"

// An ignoring is what is to be done to a repository's .gitignore.
type ignoring struct {
	name     string // of the file
	old, new []byte // equal: nothing
	there    bool   // the file is
	perm     fs.FileMode
}

func (i *ignoring) needed() bool { return !bytes.Equal(i.old, i.new) }

// ignore finds out what .gitignore lacks for git to ignore the variants of an
// evolution's directory. Nothing is written.
func (s *Seed) ignore(ctx context.Context, dir string) (*ignoring, error) {
	i := &ignoring{name: filepath.Join(s.place, ".gitignore"), perm: 0o644}
	if s.repo.Top == "" { // a plain folder
		return i, nil
	}
	yes, err := s.ignores(ctx, dir)
	if err != nil || yes {
		return i, err
	}
	info, err := os.Lstat(i.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		i.new = withLine(nil, variantsIgnored)
		return i, nil
	case err != nil:
		return nil, unwritten(i.name, err)
	case !info.Mode().IsRegular():
		what := "is no regular file"
		if info.Mode()&fs.ModeSymlink != 0 {
			what = "is a symbolic link, which git does not follow"
		}
		return nil, &clade.Problem{Fault: clade.FaultConflict, Where: i.name, Text: what,
			Hint: "make it a file with the line " + variantsIgnored + ", or ignore that in .git/info/exclude"}
	case info.Size() > maxFile:
		return nil, &clade.Problem{Fault: clade.FaultConflict, Where: i.name, Text: fmt.Sprintf("is larger than %v", clade.Bytes(maxFile)),
			Hint: "add the line " + variantsIgnored + " by hand"}
	}
	if i.old, err = os.ReadFile(i.name); err != nil {
		return nil, unwritten(i.name, err)
	}
	i.new, i.there, i.perm = withLine(i.old, variantsIgnored), true, info.Mode().Perm()
	return i, nil
}

// ignores asks git whether variants of the directory are ignored already, by
// whatever rule of the repository.
func (s *Seed) ignores(ctx context.Context, dir string) (bool, error) {
	name, err := filepath.Rel(s.repo.Top, filepath.Join(s.root(), dir, evolution.DirVariants, "v1", evolution.FileResult))
	if err != nil {
		return false, fmt.Errorf("asking what git ignores: %w", err)
	}
	// check-ignore refuses literal pathspecs, which the package asks for.
	err = s.repo.Repo(s.git).Do(ctx, git.Call{
		Args:  []string{"--no-literal-pathspecs", "check-ignore", "--no-index", "-q", "-z", "--stdin"},
		Stdin: strings.NewReader("./" + filepath.ToSlash(name) + "\x00"),
	})
	if err != nil && !git.Exited(err, 1) { // 1: it is not
		return false, fmt.Errorf("asking what git ignores: %w", err)
	}
	return err == nil, nil
}

func (i *ignoring) write() error {
	if !i.needed() {
		return nil
	}
	return atomicfile.Write(i.name, i.new, i.perm)
}

// undo puts back what write replaced.
func (i *ignoring) undo() error {
	switch {
	case !i.needed():
		return nil
	case i.there:
		return atomicfile.Write(i.name, i.old, i.perm)
	}
	return os.Remove(i.name)
}

// withLine is a text file with a line at its end, unless it has that line: with
// the file's own line ends, and everything else as it is.
func withLine(data []byte, line string) []byte {
	for have := range bytes.Lines(data) {
		if string(bytes.TrimRight(have, " \t\r\n")) == line {
			return data
		}
	}
	eol := "\n"
	if at := bytes.LastIndexByte(data, '\n'); at > 0 && data[at-1] == '\r' {
		eol = "\r\n"
	}
	out := bytes.Clone(data)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, eol...)
	}
	return append(out, line+eol...)
}
