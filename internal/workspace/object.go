package workspace

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
)

// objectID is the name git gives an object.
func objectID(kind string, data []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

func blobID(data []byte) string { return objectID("blob", data) }

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
