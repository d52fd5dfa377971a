package native

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cladehq/clade"
)

// Caps on looking at a folder: enough to tell what it is.
const (
	maxLook  = 5_000     // files
	maxPeek  = 256 << 10 // bytes of one file
	maxLevel = 6         // folders inside one another
)

// A folder is what was found in one. Paths are slash separated and sorted.
type folder struct {
	dir   string
	top   []string // names right in it, folders and what is ignored among them
	files []string // regular files in it and below, without what is ignored
}

// ignored are folders that hold nothing of one's own.
var ignored = []string{"node_modules", "vendor", "target", "dist", "build", "__pycache__", "venv", "site-packages"}

// lookAt lists a folder without following links.
func lookAt(dir string) (*folder, error) {
	f := &folder{dir: dir}
	entries, err := os.ReadDir(dir)
	if err != nil {
		fault := clade.FaultEnvironment
		if errors.Is(err, fs.ErrNotExist) {
			fault = clade.FaultNotFound
		}
		return nil, &clade.Problem{Fault: fault, Text: "cannot look at " + dir, Err: err, Hint: "name a folder"}
	}
	for _, e := range entries {
		f.top = append(f.top, e.Name())
	}
	err = filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(dir, p)
		switch {
		case err != nil || relErr != nil || rel == ".":
			return nil // what cannot be read is not looked at
		case e.IsDir() && (strings.HasPrefix(e.Name(), ".") || slices.Contains(ignored, e.Name()) || strings.Count(rel, string(filepath.Separator)) >= maxLevel):
			return fs.SkipDir
		case e.Type().IsRegular():
			f.files = append(f.files, filepath.ToSlash(rel))
		}
		if len(f.files) >= maxLook {
			return fs.SkipAll
		}
		return nil
	})
	slices.Sort(f.files)
	return f, err
}

// has reports whether one of the names is right in the folder.
func (f *folder) has(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(f.top, n) })
}

// matching lists the files whose base name matches.
func (f *folder) matching(re *regexp.Regexp) (all []string) {
	for _, file := range f.files {
		if re.MatchString(path.Base(file)) {
			all = append(all, file)
		}
	}
	return all
}

// read is the beginning of one of the files, "" if it cannot be read. Only
// what was seen to be a regular file is opened: a pipe would never end.
func (f *folder) read(file string) string {
	if _, ok := slices.BinarySearch(f.files, file); !ok {
		return ""
	}
	r, err := os.Open(filepath.Join(f.dir, filepath.FromSlash(file)))
	if err != nil {
		return ""
	}
	defer r.Close()
	data, _ := io.ReadAll(io.LimitReader(r, maxPeek)) // what could be read is looked at
	return string(data)
}

// present keeps the names that are right in the folder.
func (f *folder) present(names ...string) (all []string) {
	for _, n := range names {
		if f.has(n) {
			all = append(all, n)
		}
	}
	return all
}
