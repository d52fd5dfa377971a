package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Sweep removes half made templates whose makers are gone and, if they are asked
// for, all that no process uses. It returns the bytes freed.
func (s *Store) Sweep(what Sweeping) (int64, error) {
	entries, err := os.ReadDir(s.templates())
	if err != nil {
		return 0, ignoreGone(err)
	}
	var freed int64
	var errs []error
	for _, e := range entries {
		key, half := strings.CutPrefix(e.Name(), tmpPrefix)
		if !e.IsDir() || !half && !what.Templates {
			continue
		}
		key, _, _ = strings.Cut(key, "-")
		n, err := removeUnlocked(filepath.Join(s.templates(), e.Name()), s.lockFile(key), what.Dry)
		freed += n
		errs = append(errs, err)
	}
	return freed, errors.Join(errs...)
}
