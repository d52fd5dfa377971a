package workspace

import (
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/cladehq/clade/internal/ledger"
)

// An indexed file is one entry of git's index. Only the time and the size are
// given: with core.checkStat=minimal git looks at nothing else.
type indexed struct {
	ledger.Entry
	at time.Time
}

// maxNameLength is the longest name whose length the flags of an index entry
// can hold; longer ones are marked with it.
const maxNameLength = 0xfff

// headerSize is that of "DIRC", the version and the number of entries.
const headerSize = 12

// An index is git's index, version 2, see gitformat-index(5). Its entries do not
// depend on one another, so that another index can be made of its parts.
type index struct {
	raw   []byte
	paths []string // sorted
	at    []int    // where each entry begins in raw, and where the last one ends
}

// newIndex encodes entries sorted by path.
func newIndex(entries []indexed) (*index, error) {
	size := headerSize + sha1.Size
	for _, e := range entries {
		size += 72 + len(e.Path)
	}
	x := &index{raw: header(make([]byte, 0, size), len(entries))}
	for _, e := range entries {
		x.paths, x.at = append(x.paths, e.Path), append(x.at, len(x.raw))
		var err error
		if x.raw, err = appendIndexed(x.raw, e); err != nil {
			return nil, err
		}
	}
	x.at = append(x.at, len(x.raw))
	x.raw = appendSum(x.raw)
	return x, nil
}

func header(b []byte, entries int) []byte {
	b = append(b, "DIRC"...)
	b = binary.BigEndian.AppendUint32(b, 2)
	return binary.BigEndian.AppendUint32(b, uint32(entries))
}

func appendSum(b []byte) []byte {
	sum := sha1.Sum(b)
	return append(b, sum[:]...)
}

// splice encodes the index with these entries, sorted by path, put in, or taken
// out where they have no mode.
func (x *index) splice(differ []indexed) ([]byte, error) {
	b := header(make([]byte, 0, len(x.raw)+128*len(differ)), 0)
	next, n := 0, len(x.paths)
	for _, e := range differ {
		i, there := slices.BinarySearch(x.paths, e.Path)
		b = append(b, x.raw[x.at[next]:x.at[i]]...)
		if next = i; there {
			next, n = i+1, n-1
		}
		if e.Mode == "" {
			continue
		}
		n++
		var err error
		if b, err = appendIndexed(b, e); err != nil {
			return nil, err
		}
	}
	b = append(b, x.raw[x.at[next]:x.at[len(x.paths)]]...)
	header(b[:0], n)
	return appendSum(b), nil
}

func appendIndexed(b []byte, e indexed) ([]byte, error) {
	mode, err := strconv.ParseUint(string(e.Mode), 8, 32)
	if err != nil {
		return nil, fmt.Errorf("%q has mode %q", e.Path, e.Mode)
	}
	id, err := hex.DecodeString(e.Blob)
	if err != nil || len(id) != sha1.Size {
		return nil, fmt.Errorf("%q is no SHA-1 object name", e.Blob)
	}
	start := len(b)
	sec, nsec := uint32(e.at.Unix()), uint32(e.at.Nanosecond())
	for _, v := range [...]uint32{sec, nsec, sec, nsec, 0, 0, uint32(mode), 0, 0, uint32(e.Size)} {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	b = append(b, id...)
	b = binary.BigEndian.AppendUint16(b, uint16(min(len(e.Path), maxNameLength)))
	b = append(b, e.Path...)
	// At least one NUL, until the entry's length is a multiple of eight.
	return append(b, make([]byte, 8-(len(b)-start)%8)...), nil
}
