package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// A Link is a symlink on the way to a file.
type Link struct{ Path, To string }

// maxLinks is how many links a path may lead through, as in the kernel.
const maxLinks = 40

var errLoop = errors.New("too many levels of symbolic links")

// Trail follows an absolute path in files, the tree of a machine from its root.
// It returns the links on the way, in order, and the path that they lead to,
// which leads through none. What does not exist is fs.ErrNotExist.
func Trail(files fs.FS, p string) (links []Link, end string, err error) {
	if !path.IsAbs(p) {
		return nil, "", fmt.Errorf("%q is not an absolute path", p)
	}
	at, rest := "/", strings.Split(path.Clean(p), "/")
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		if part == "" || part == "." {
			continue
		}
		next := path.Join(at, part) // ".." leaves at, which leads through no link
		info, err := fs.Lstat(files, inside(next))
		if err != nil {
			return nil, "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		if len(links) == maxLinks {
			return nil, "", fmt.Errorf("%s: %w", p, errLoop)
		}
		to, err := fs.ReadLink(files, inside(next))
		if err != nil {
			return nil, "", err
		}
		links = append(links, Link{next, to})
		if path.IsAbs(to) {
			at = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return links, at, nil
}

// inside is an absolute path as an fs.FS names it.
func inside(p string) string {
	if p == "/" {
		return "."
	}
	return strings.TrimPrefix(p, "/")
}
