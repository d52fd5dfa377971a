package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// errNotRegular reports a folder, link, pipe, socket or device where a file was
// to be read.
var errNotRegular = errors.New("not a regular file")

// ReadFile returns a regular file below dir, at most limit bytes. No link is
// followed, neither at the end of the path nor on the way, and a pipe is not
// waited for. It reports fs.ErrNotExist where there is nothing.
func ReadFile(dir, path string, limit int64) ([]byte, error) {
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	f, err := openBeneath(dir, path)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%q: %w", path, errNotRegular)
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%q: %w: %d bytes, the most is %d", path, ErrTooLarge, info.Size(), limit)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("%q: %w: more than %d bytes", path, ErrTooLarge, limit)
	}
	return data, err
}

// ReadFound is the content of a file or link that a walk below dir found; see
// Collect.
func ReadFound(dir, path string, link bool, limit int64) ([]byte, error) {
	if link {
		to, err := os.Readlink(filepath.Join(dir, filepath.FromSlash(path)))
		return []byte(to), err
	}
	data, err := ReadFile(dir, path, limit)
	if errors.Is(err, fs.ErrPermission) {
		if err := grant(filepath.Join(dir, filepath.FromSlash(path)), 0o400); err != nil {
			return nil, err
		}
		data, err = ReadFile(dir, path, limit)
	}
	return data, err
}
