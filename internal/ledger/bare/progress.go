package bare

import (
	"fmt"
	"sync/atomic"
	"time"
)

const (
	beat = time.Second // an import is told of once it takes longer
	rest = 5           // beats between two reports
)

// A counter counts what an import has copied. It may be written to from
// anywhere.
type counter struct {
	files, of atomic.Int64 // of is 0 while it is not known
	bytes     atomic.Int64
}

// Write counts the bytes that pass.
func (c *counter) Write(b []byte) (int, error) {
	c.bytes.Add(int64(len(b)))
	return len(b), nil
}

func (c *counter) String() string {
	text := "importing the base"
	if of := c.of.Load(); of > 0 {
		text += fmt.Sprintf(", %d of %d files", c.files.Load(), of)
	}
	return text + fmt.Sprintf(", %d MB so far", c.bytes.Load()/1e6)
}

// report tells say of c at the first of the beats and every few of them, until
// stop is called.
func (c *counter) report(say func(string), beats <-chan time.Time) (stop func()) {
	if say == nil {
		return func() {}
	}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for n := 0; ; n++ {
			select {
			case <-beats:
			case <-over:
				return
			}
			if n%rest == 0 {
				say(c.String())
			}
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}
