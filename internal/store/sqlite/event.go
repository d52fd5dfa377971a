package sqlite

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/cladehq/clade"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum covers a whole row, so that a flipped bit in a body that is still
// good JSON is found by whoever folds the log.
func checksum(seq, at int64, by, kind string, body []byte) int64 {
	var fixed [16]byte
	binary.BigEndian.PutUint64(fixed[:8], uint64(seq))
	binary.BigEndian.PutUint64(fixed[8:], uint64(at))
	sum := crc32.Checksum(fixed[:], castagnoli)
	for _, part := range [][]byte{[]byte(by), {0}, []byte(kind), {0}, body} {
		sum = crc32.Update(sum, castagnoli, part)
	}
	return int64(sum)
}

// insert appends an event. It returns the record as a reader will have it:
// what is folded here is what is folded there, down to replaced bytes that were
// no text.
func insert(s *session, seq int64, at time.Time, by string, e clade.Event) (clade.Record, error) {
	kind, body, err := clade.EncodeEvent(e)
	if err != nil {
		return clade.Record{}, err
	}
	stored, err := clade.DecodeEvent(kind, body)
	if err != nil {
		return clade.Record{}, err
	}
	us := at.UnixMicro()
	err = s.exec("INSERT INTO events (seq, at, by, kind, body, sum) VALUES (?, ?, ?, ?, ?, ?)",
		seq, us, by, kind, string(body), checksum(seq, us, by, kind, body))
	return clade.Record{Seq: seq, At: time.UnixMicro(us).UTC(), By: by, Event: stored}, err
}

const selectEvents = "SELECT seq, at, by, kind, body, sum FROM events WHERE seq > ? ORDER BY seq LIMIT ?"

// records reads at most limit records after seq; a negative limit is none. A
// row that is not what was written gives clade.ErrCorruptLog.
func records(s *session, after int64, limit int, fn func(clade.Record) error) error {
	return s.each(func(row scanner) error {
		r, err := scanRecord(row)
		if err != nil {
			return err
		}
		return fn(r)
	}, selectEvents, after, limit)
}

func scanRecord(row scanner) (clade.Record, error) {
	var seq, at, sum int64
	var by, kind string
	var body []byte
	if err := row.Scan(&seq, &at, &by, &kind, &body, &sum); err != nil {
		return clade.Record{}, err
	}
	if checksum(seq, at, by, kind, body) != sum {
		return clade.Record{}, fmt.Errorf("%w: record %d has changed since it was written", clade.ErrCorruptLog, seq)
	}
	e, err := clade.DecodeEvent(kind, body)
	if err != nil {
		return clade.Record{}, fmt.Errorf("record %d: %w", seq, err)
	}
	return clade.Record{Seq: seq, At: time.UnixMicro(at).UTC(), By: by, Event: e}, nil
}
