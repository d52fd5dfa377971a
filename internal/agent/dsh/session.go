package dsh

import (
	"bufio"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/klauspost/compress/zstd"

	"github.com/cladehq/clade/internal/agent"
)

// Bounds of what is read of sessions, which whatever ran beside dsh may have
// written.
const (
	logsMost   = 32       // sessions: helpers have their own
	packedMost = 64 << 20 // bytes of a log as it lies there
	rawMost    = 1 << 30  // bytes of it unpacked
	lineMost   = 16 << 20 // bytes of one event
	windowMost = 32 << 20 // bytes held to unpack
)

// usage is what the sessions of a run say.
type usage struct {
	tokens, calls int64
	reason        reason
}

type reason struct {
	Kind  string  `json:"kind"` // "completed", "error", "aborted", "max-tokens"; "": it did not end
	Error failure `json:"error"`
}

// An entry is one line of a log, as far as it is read.
type entry struct {
	Type  string `json:"type"`
	Depth int    `json:"delegationDepth"` // of session: 0 for the one that was asked for
	Data  struct {
		Chunk struct {
			Type  string `json:"type"`
			Usage struct {
				Input  float64 `json:"inputTokens"`
				Output float64 `json:"outputTokens"`
				Cached float64 `json:"cacheReadTokens"`
			} `json:"usage"`
		} `json:"chunk"` // of assistant/chunk
		Reason reason `json:"reason"` // of turn/end
	} `json:"data"`
}

// logged adds up the logs below config, sessions/FOLDER/SESSION/session.jsonl.zstd.
// What cannot be read is as if it were not there.
func logged(config string) (u usage) {
	root, err := os.OpenRoot(config)
	if err != nil {
		return u
	}
	defer root.Close()
	left := logsMost
	for _, folder := range folders(root, "sessions") {
		for _, session := range folders(root, folder) {
			if left--; left < 0 {
				return u
			}
			u.add(root, path.Join(session, "session.jsonl.zstd"))
		}
	}
	return u
}

// folders lists the real folders in one, no links to any.
func folders(root *os.Root, name string) (list []string) {
	if info, err := root.Lstat(name); err != nil || !info.IsDir() {
		return nil
	}
	dir, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(8 * logsMost) // an error leaves what was read
	for _, e := range entries {
		if e.Type() == fs.ModeDir {
			list = append(list, path.Join(name, e.Name()))
		}
	}
	return list
}

func (u *usage) add(root *os.Root, name string) {
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > packedMost {
		return
	}
	f, err := root.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	u.read(f)
}

// read adds up one log, as far as it can be read: a run that was killed leaves
// half a frame.
func (u *usage) read(packed io.Reader) {
	z, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(windowMost), zstd.WithDecoderMaxMemory(rawMost))
	if err != nil {
		return
	}
	defer z.Close()
	lines := bufio.NewScanner(io.LimitReader(z, rawMost))
	lines.Buffer(nil, lineMost)
	helper := false
	for lines.Scan() {
		e, ok := agent.Event[entry](lines.Bytes())
		switch {
		case !ok:
		case e.Type == "session":
			helper = e.Depth > 0
		case e.Type == "assistant/chunk" && e.Data.Chunk.Type == "usage":
			c := e.Data.Chunk.Usage
			u.tokens = agent.Count(float64(u.tokens), c.Input, c.Output, c.Cached)
			u.calls++
		case e.Type == "turn/end" && !helper:
			u.reason = e.Data.Reason
		}
	}
}
