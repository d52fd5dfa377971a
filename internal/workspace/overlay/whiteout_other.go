//go:build !linux

package overlay

import (
	"errors"
	"io/fs"
)

func whiteout(string) error { return errors.ErrUnsupported }

func isWhiteout(fs.FileInfo) bool { return false }

func attributes(string) (opaque, redirected bool, err error) { return false, false, nil }
