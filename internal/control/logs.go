package control

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cladehq/clade"
)

// logs writes what a try's commands print to one file of the run. It is
// telemetry: a failure to write is not an error of the run.
type logs struct {
	dir  string
	most int64 // bytes per file
}

func (l *logs) write(id clade.ID, try int, source, text string) {
	if text == "" {
		return
	}
	// Not MkdirAll: the folder of a run that was deleted stays deleted.
	if err := os.Mkdir(l.dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return
	}
	f, err := os.OpenFile(logFile(l.dir, id, try), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() > l.most {
		return
	}
	_, _ = fmt.Fprintf(f, "── %s\n%s\n", source, text)
}

// logFile is where a try's output is kept below a run's log folder.
func logFile(dir string, id clade.ID, try int) string {
	return filepath.Join(dir, fmt.Sprintf("%d-%d.log", id, try))
}
