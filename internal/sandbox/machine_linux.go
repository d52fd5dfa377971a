package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// MachineProc lists the entries of a proc file system, mounted at dir, that are
// the machine's, not a process's, and that its owner may write: before root,
// whose user namespace maps root, a capability does not stand before all of them.
func MachineProc(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		_, err := strconv.Atoi(e.Name())
		if err != nil && e.Type()&fs.ModeSymlink == 0 && machineWritable(filepath.Join(dir, e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// machineWritable reports whether root may write a file in the tree p, or may
// come to: what cannot be looked at counts, and so does what drivers may fill
// later.
func machineWritable(p string) bool {
	if slices.Contains([]string{"bus", "driver", "fs", "irq", "scsi", "sys"}, filepath.Base(p)) {
		return true
	}
	found := false
	err := filepath.WalkDir(p, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.Type().IsDir() {
			return err
		}
		if info, err := d.Info(); err != nil || info.Mode().Perm()&0o222 != 0 {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found || err != nil
}
