package workspace

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// objectID is the name git gives an object.
func objectID(kind string, data []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

func blobID(data []byte) string { return objectID("blob", data) }

// A looseWriter writes loose objects into a repository's folder of objects.
type looseWriter struct {
	dir string
	buf bytes.Buffer
	z   *zlib.Writer // used again: making one costs more than most objects
}

func newLooseWriter(dir string) *looseWriter {
	w := &looseWriter{dir: dir}
	w.z = zlib.NewWriter(&w.buf)
	return w
}

// write writes one object and returns its name.
func (w *looseWriter) write(kind string, data []byte) (string, error) {
	id := objectID(kind, data)
	w.buf.Reset()
	w.z.Reset(&w.buf)
	fmt.Fprintf(w.z, "%s %d\x00", kind, len(data))
	if _, err := w.z.Write(data); err != nil {
		return "", err
	}
	if err := w.z.Close(); err != nil {
		return "", err
	}
	dir := filepath.Join(w.dir, id[:2])
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	f, err := os.OpenFile(filepath.Join(dir, id[2:]), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if errors.Is(err, fs.ErrExist) {
		return id, nil // two files with one content
	} else if err != nil {
		return "", err
	}
	_, err = f.Write(w.buf.Bytes())
	return id, errors.Join(err, f.Close())
}

// appendTreeEntry adds a member to a tree object.
func appendTreeEntry(tree []byte, mode, name, id string) ([]byte, error) {
	raw, err := hex.DecodeString(id)
	if err != nil || len(raw) != sha1.Size {
		return nil, fmt.Errorf("%q is no SHA-1 object name", id)
	}
	tree = fmt.Appendf(tree, "%s %s\x00", mode, name)
	return append(tree, raw...), nil
}

// treeMode is the mode of a folder in its parent's tree object.
const treeMode = "40000"

// commitObject is a commit without parents, the same bytes for the same tree.
func commitObject(tree string) []byte {
	const who = "clade <clade@localhost> 1000000000 +0000"
	return fmt.Appendf(nil, "tree %s\nauthor %s\ncommitter %s\n\nbase\n", tree, who, who)
}

// treeObject is the tree object of a folder; id gives that of a folder in it.
func treeObject(t *Tree, dir string, id func(dir string) (string, error)) ([]byte, error) {
	var tree []byte
	for _, c := range t.children(dir) {
		mode, object := string(c.entry.Mode), c.entry.Blob
		if c.dir {
			sub, err := id(join(dir, c.name))
			if err != nil {
				return nil, err
			}
			mode, object = treeMode, sub
		}
		var err error
		if tree, err = appendTreeEntry(tree, mode, c.name, object); err != nil {
			return nil, fmt.Errorf("%q: %w", join(dir, c.name), err)
		}
	}
	return tree, nil
}
