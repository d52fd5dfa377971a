package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/cladehq/clade"
)

// problem turns what SQLite and the file system say about the file at path into
// a *clade.Problem where a person can do something about it.
func problem(path string, err error) error {
	var known *clade.Problem
	var wrong refused
	var said *driver.Error
	switch {
	case err == nil, errors.As(err, &known), errors.As(err, &wrong), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &said):
		return coded(path, said.Code()&0xff, err)
	case errors.Is(err, clade.ErrCorruptLog):
		return &clade.Problem{Fault: clade.FaultCorrupt, Text: "the log cannot be read", Where: path, Hint: keepItHint, Err: err}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return cannotWrite(path, err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return coded(path, codes.SQLITE_FULL, err)
	case errors.Is(err, syscall.EIO):
		return coded(path, codes.SQLITE_IOERR, err)
	}
	return err
}

// refused is an event that cannot follow the log: the fault of who appends it,
// not of the file.
type refused struct{ error }

func (r refused) Unwrap() error { return r.error }

func coded(path string, code int, err error) error {
	p := &clade.Problem{Fault: clade.FaultEnvironment, Where: path, Err: err}
	switch code {
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB:
		p.Fault, p.Text, p.Hint = clade.FaultCorrupt, "the database is damaged", keepItHint
	case codes.SQLITE_FULL:
		p.Text, p.Hint = "the disk is full", "free some space, then resume: everything recorded so far is kept"
	case codes.SQLITE_IOERR:
		p.Text, p.Hint = "reading or writing failed", "look at the disk and the kernel's log, then resume"
	case codes.SQLITE_READONLY, codes.SQLITE_CANTOPEN, codes.SQLITE_PERM, codes.SQLITE_AUTH:
		return cannotWrite(path, err)
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED:
		p.Fault, p.Text, p.Hint = clade.FaultBusy, "another process has been writing for 10 s", "try again"
	default:
		return err
	}
	return p
}

// cannotWrite names the variable that moves the file: the user's index does not
// go where CLADE_DIR says, and a run that there is does not go anywhere.
func cannotWrite(path string, err error) error {
	hint := "make the folder writable, or set CLADE_DIR to one that is"
	switch dir := filepath.Dir(path); {
	case filepath.Base(path) == indexName:
		hint = "make the folder writable, or set XDG_STATE_HOME to one that is"
	case filepath.Base(filepath.Dir(dir)) == "runs" && there(dir):
		hint = "make the run's folder writable: a run goes on where it is kept"
	}
	return &clade.Problem{Fault: clade.FaultEnvironment, Text: "the state cannot be opened for writing", Where: path, Hint: hint, Err: err}
}

func there(dir string) bool {
	_, err := os.Stat(dir)
	return err == nil
}

// indexName is what the user's index is called.
const indexName = "index.db"
