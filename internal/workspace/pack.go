package workspace

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
)

// The kinds of objects in a pack: gitformat-pack(5).
var packKinds = map[string]byte{"commit": 1, "tree": 2, "blob": 3}

// A packWriter writes objects into one pack: two files, where loose objects
// would need a file and mostly a folder each.
type packWriter struct {
	body    bytes.Buffer // of the pack, without its header and sum
	z       *zlib.Writer // used again: making one costs more than most objects
	objects []packed
	known   map[string]bool
}

// A packed object is one of the index.
type packed struct {
	id  [sha1.Size]byte
	at  uint32 // in the pack
	crc uint32
}

const packHeader = 12

func newPackWriter() *packWriter {
	w := &packWriter{known: map[string]bool{}}
	w.z = zlib.NewWriter(&w.body)
	return w
}

// add adds one object and returns its name. One that is there already is not
// added again.
func (w *packWriter) add(kind string, data []byte) (string, error) {
	id := objectID(kind, data)
	if w.known[id] {
		return id, nil
	}
	w.known[id] = true
	one := packed{at: packHeader + uint32(w.body.Len())}
	if _, err := hex.Decode(one.id[:], []byte(id)); err != nil {
		return "", err
	}
	from := w.body.Len()
	w.body.Write(packEntry(packKinds[kind], len(data)))
	w.z.Reset(&w.body)
	if _, err := w.z.Write(data); err != nil {
		return "", err
	}
	if err := w.z.Close(); err != nil {
		return "", err
	}
	one.crc = crc32.ChecksumIEEE(w.body.Bytes()[from:])
	w.objects = append(w.objects, one)
	return id, nil
}

// packEntry is what stands before an object: its kind and its size, four bits
// first and then seven at a time.
func packEntry(kind byte, size int) []byte {
	b, rest := kind<<4|byte(size&15), size>>4
	var out []byte
	for rest > 0 {
		out, b, rest = append(out, b|0x80), byte(rest&0x7f), rest>>7
	}
	return append(out, b)
}

// writeTo writes the pack and its index into a repository's folder of packs.
func (w *packWriter) writeTo(dir string) error {
	pack := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(w.objects)))
	pack = append(pack, w.body.Bytes()...)
	sum := sha1.Sum(pack)
	name := filepath.Join(dir, "pack-"+hex.EncodeToString(sum[:]))
	if err := os.WriteFile(name+".pack", append(pack, sum[:]...), 0o444); err != nil {
		return err
	}
	return os.WriteFile(name+".idx", w.index(sum), 0o444)
}

// index is the second version of a pack's index. A pack of edits has no offsets
// beyond 2 GiB.
func (w *packWriter) index(sum [sha1.Size]byte) []byte {
	slices.SortFunc(w.objects, func(a, b packed) int { return bytes.Compare(a.id[:], b.id[:]) })
	out := []byte("\xfftOc\x00\x00\x00\x02")
	next := 0
	for first := range 256 {
		for next < len(w.objects) && int(w.objects[next].id[0]) <= first {
			next++
		}
		out = binary.BigEndian.AppendUint32(out, uint32(next))
	}
	for _, o := range w.objects {
		out = append(out, o.id[:]...)
	}
	for _, o := range w.objects {
		out = binary.BigEndian.AppendUint32(out, o.crc)
	}
	for _, o := range w.objects {
		out = binary.BigEndian.AppendUint32(out, o.at)
	}
	out = append(out, sum[:]...)
	end := sha1.Sum(out)
	return append(out, end[:]...)
}
