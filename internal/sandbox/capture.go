package sandbox

import (
	"io"
	"sync"
)

// defaultOutput is what is kept of a stream when Limits.Output is zero, bytes.
const defaultOutput = 16 << 20

// A Capture keeps the beginning and the end of what is written to it and counts
// the rest, so that any output fits in bounded memory. It grows as needed. It
// is not safe for concurrent use.
type Capture struct {
	half int // bytes kept of either end
	head []byte
	tail []byte // a ring once it is full
	next int    // where the ring is written next
	size int64
}

// NewCapture keeps at most limit bytes, half of it from the beginning. Zero
// means 16 MiB.
func NewCapture(limit int64) *Capture {
	if limit <= 0 {
		limit = defaultOutput
	}
	return &Capture{half: int(max(limit/2, 1))}
}

// Write never fails.
func (c *Capture) Write(p []byte) (int, error) {
	n := len(p)
	c.size += int64(n)
	take := min(c.half-len(c.head), len(p))
	c.head, p = append(c.head, p[:take]...), p[take:]
	if len(p) > c.half {
		p = p[len(p)-c.half:]
	}
	take = min(c.half-len(c.tail), len(p))
	c.tail, p = append(c.tail, p[:take]...), p[take:]
	for len(p) > 0 {
		k := copy(c.tail[c.next:], p)
		c.next, p = (c.next+k)%c.half, p[k:]
	}
	return n, nil
}

// Stream is what was kept. The Capture must not be written to afterwards.
func (c *Capture) Stream() Stream {
	tail := c.tail
	if c.next > 0 {
		tail = append(append(make([]byte, 0, len(tail)), tail[c.next:]...), tail[:c.next]...)
	}
	return Stream{Head: c.head, Tail: tail, Size: c.size}
}

// Tee returns writers for the two streams of a command that also copy
// everything to log, one write at a time. A nil log copies nothing. What log
// answers is ignored: a broken log is no reason to lose a result.
func Tee(stdout, stderr *Capture, log io.Writer) (io.Writer, io.Writer) {
	if log == nil {
		return stdout, stderr
	}
	var mu sync.Mutex
	return &tee{stdout, log, &mu}, &tee{stderr, log, &mu}
}

type tee struct {
	keep *Capture
	log  io.Writer
	mu   *sync.Mutex
}

func (t *tee) Write(p []byte) (int, error) {
	t.mu.Lock()
	_, _ = t.log.Write(p)
	t.mu.Unlock()
	return t.keep.Write(p)
}
