package sqlite

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/cladehq/clade"
)

// A format is a kind of database file that this program reads and writes.
type format struct {
	what    string // for people
	app     uint32 // SQLite's application_id
	version uint32 // SQLite's user_version; grows with the schema
	schema  string
	tables  int
}

var (
	//go:embed run.sql
	runSchema string
	//go:embed index.sql
	indexSchema string
)

func runFormat() format {
	return format{"run", 0x636c6461 /* "clda" */, 1, runSchema, 8}
}

func indexFormat() format {
	return format{"index of runs", 0x636c6978 /* "clix" */, 1, indexSchema, 2}
}

// The header of a database file: https://www.sqlite.org/fileformat2.html §1.3.
const (
	headerSize  = 100
	magic       = "SQLite format 3\x00"
	pageSizeAt  = 16
	pagesAt     = 28
	versionAt   = 60
	appAt       = 68
	keepItHint  = "nothing was changed or deleted; restore the file from a backup or move it away"
	upgradeHint = "use the newer clade that wrote it; nothing was changed"
)

// check looks at the file's first bytes, so that a file that is not this
// format's is never handed to SQLite, which might write to it. It returns
// fs.ErrNotExist when there is no file.
func (f format) check(path string) error {
	head, err := header(path)
	switch {
	case errors.Is(err, io.EOF):
		return corrupt(path, "the file is empty", keepItHint)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return corrupt(path, "the file is cut short", keepItHint)
	case err != nil:
		return err
	case string(head[:len(magic)]) != magic:
		return corrupt(path, "this is no database", keepItHint)
	}
	app, version := binary.BigEndian.Uint32(head[appAt:]), binary.BigEndian.Uint32(head[versionAt:])
	switch {
	case app != f.app:
		return corrupt(path, fmt.Sprintf("this database is no %s of clade (application id %#x)", f.what, app), keepItHint)
	case version > f.version:
		return corrupt(path, fmt.Sprintf("written by a newer clade (schema %d, this one reads up to %d)", version, f.version), upgradeHint)
	case version != f.version:
		return corrupt(path, fmt.Sprintf("schema %d is unknown", version), keepItHint)
	}
	return whole(path, head)
}

// whole compares the file's size with what its header says. While there is a
// write-ahead file the header may be ahead of the size, and SQLite knows best.
func whole(path string, head []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	page := int64(binary.BigEndian.Uint16(head[pageSizeAt:]))
	if page == 1 {
		page = 1 << 16
	}
	if info.Size() >= page*int64(binary.BigEndian.Uint32(head[pagesAt:])) {
		return nil
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return corrupt(path, "the file is cut short", keepItHint)
}

func header(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, headerSize)
	_, err = io.ReadFull(f, head)
	return head, err
}

func corrupt(path, text, hint string) *clade.Problem {
	return &clade.Problem{Fault: clade.FaultCorrupt, Text: text, Where: path, Hint: hint}
}
