package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cladehq/clade/internal/git"
)

// file is the name of one of a repository's files; edited is the first.
func file(i int) string { return fmt.Sprintf("m%02d/p%d/f%d.txt", i/1000, i/50, i) }

const edited = "m00/p0/f0.txt"

// repository makes a git repository of n files of about 1 KiB, as small source
// files are, in one commit.
func (b *bench) repository(ctx context.Context, name string, n int) (string, error) {
	dir := filepath.Join(b.dir, name)
	for i := range n {
		if err := write(filepath.Join(dir, filepath.FromSlash(file(i))), content(i)); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "-qm", "base"},
	} {
		if err := runGit(ctx, dir, args...); err != nil {
			return "", err
		}
	}
	return dir, nil
}

func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// content is file i of a repository.
func content(i int) []byte {
	data := fmt.Appendf(nil, "%d\n", i)
	for len(data) < 1000 {
		data = fmt.Appendf(data, "line %d of file %d\n", len(data), i)
	}
	return data
}

// runGit runs git in a folder, without the user's settings.
func runGit(ctx context.Context, dir string, args ...string) error {
	g, err := git.Find(ctx)
	if err != nil {
		return err
	}
	_, err = g.At(git.Place{}).Run(ctx, append([]string{"-C", dir}, args...)...)
	return err
}
