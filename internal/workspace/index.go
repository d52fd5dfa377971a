package workspace

import (
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
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

// encodeIndex writes git's index, version 2, for entries sorted by path. See
// gitformat-index(5).
func encodeIndex(entries []indexed) ([]byte, error) {
	size := 12 + sha1.Size
	for _, e := range entries {
		size += 72 + len(e.Path)
	}
	b := make([]byte, 0, size)
	b = append(b, "DIRC"...)
	b = binary.BigEndian.AppendUint32(b, 2)
	b = binary.BigEndian.AppendUint32(b, uint32(len(entries)))
	for _, e := range entries {
		var err error
		if b, err = appendIndexed(b, e); err != nil {
			return nil, err
		}
	}
	sum := sha1.Sum(b)
	return append(b, sum[:]...), nil
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
