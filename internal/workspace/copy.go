package workspace

import (
	"cmp"
	"io/fs"
	"os"

	"github.com/cladehq/clade/internal/proc"
)

// CopyFile copies a regular file or a link, of which info tells, with its time
// and mode to a name that is free. A link is copied as a link; blocks are shared
// where the file system can. A pipe, socket or device is not copied.
func CopyFile(from, to string, info fs.FileInfo) error {
	var err error
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		err = copyLink(from, to)
	case !info.Mode().IsRegular():
		return nil
	case info.Mode()&0o111 != 0:
		err = proc.Unforked(func() error { return copyBytes(from, to, info) })
	default:
		err = copyBytes(from, to, info)
	}
	if err != nil {
		return err
	}
	return SetTime(to, info.ModTime())
}

func copyLink(from, to string) error {
	target, err := os.Readlink(from)
	if err != nil {
		return err
	}
	return os.Symlink(target, to)
}

func copyBytes(from, to string, info fs.FileInfo) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = CloneFile(out, in)
	return cmp.Or(err, out.Chmod(info.Mode().Perm()), out.Close())
}
