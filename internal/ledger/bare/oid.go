package bare

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"

	"github.com/cladehq/clade/internal/ledger"
)

// oid is the id of a git object.
type oid [sha1.Size]byte

var emptyTree = hashOf("tree", nil)

func (o oid) String() string { return hex.EncodeToString(o[:]) }

// parseOID reads 40 hexadecimal digits. Anything else names no object.
func parseOID(s string) (o oid, err error) {
	if len(s) != 2*len(o) {
		return o, fmt.Errorf("%q: %w", s, ledger.ErrNoObject)
	}
	if _, err := hex.Decode(o[:], []byte(s)); err != nil {
		return oid{}, fmt.Errorf("%q: %w", s, ledger.ErrNoObject)
	}
	return o, nil
}

func hashOf(kind string, data []byte) (o oid) {
	h := sha1.New()
	_, _ = io.WriteString(h, kind+" "+strconv.Itoa(len(data))+"\x00")
	_, _ = h.Write(data)
	h.Sum(o[:0])
	return o
}
