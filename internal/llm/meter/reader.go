package meter

import (
	"bytes"
	"encoding/json"
)

// A reader looks at a reply on its way. read and end return what the client
// gets.
type reader interface {
	read(p []byte) []byte
	end() []byte
}

const (
	// lineHeld is how much of a line may wait for its end before it is passed on.
	lineHeld = 64 << 10
	// lineMost is the longest line that is read.
	lineMost = 8 << 20
)

// events looks at a stream of server-sent events, line by line.
type events struct {
	tally *tally
	wire  wire
	hide  bool // an event that holds nothing but the usage is kept from the client

	line   []byte // the line so far
	passed bool   // its beginning was passed on already
	long   bool   // it is too long to be read
	blank  bool   // the blank line after a hidden event goes with it
}

func (e *events) read(p []byte) (out []byte) {
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			return append(out, e.part(p)...)
		}
		out = append(out, e.finish(p[:i+1])...)
		p = p[i+1:]
	}
	return out
}

// part takes a piece of a line without its end.
func (e *events) part(p []byte) (out []byte) {
	if e.passed {
		out = p
	}
	if e.long || len(e.line)+len(p) > lineMost {
		e.long = true
	} else {
		e.line = append(e.line, p...)
	}
	if !e.passed && len(e.line) > lineHeld {
		e.passed = true
		out = bytes.Clone(e.line)
	}
	return out
}

// finish takes the end of a line.
func (e *events) finish(p []byte) (out []byte) {
	if len(e.line) == 0 && !e.passed { // the usual case: a line that came in one piece
		return e.whole(p, p)
	}
	out = e.part(p)
	if !e.passed {
		out = e.line
	}
	if e.long {
		e.line = nil
	}
	out = e.whole(e.line, out)
	e.line, e.passed, e.long = e.line[:0], false, false
	return bytes.Clone(out)
}

// whole reads a line, of which out is yet to be passed on.
func (e *events) whole(line, out []byte) []byte {
	line = bytes.TrimRight(line, "\r\n")
	if e.blank {
		if e.blank = false; len(line) == 0 {
			return nil
		}
	}
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		return out
	}
	e.wire.take(e.tally, bytes.TrimSpace(data))
	if e.hide && e.tally.aside && !e.passed {
		e.tally.aside, e.blank = false, true
		return nil
	}
	return out
}

func (e *events) end() []byte {
	if len(e.line) == 0 || e.passed {
		return nil
	}
	return e.whole(e.line, e.line)
}

// document looks at a reply that comes as one piece of JSON.
type document struct {
	tally *tally
	wire  wire
	body  []byte
	large bool
}

func (d *document) read(p []byte) []byte {
	if d.large = d.large || len(d.body)+len(p) > wholeMost; d.large {
		d.body = nil
	} else {
		d.body = append(d.body, p...)
	}
	return p
}

func (d *document) end() []byte {
	if json.Valid(d.body) {
		d.wire.take(d.tally, d.body)
		d.tally.done = true
	} else if d.large {
		d.tally.answered, d.tally.done = true, true // it was a reply, of which nothing is known
	}
	return nil
}
