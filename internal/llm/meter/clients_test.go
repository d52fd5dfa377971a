package meter

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

// Requests whose size nobody tells are read one after the other and answered
// side by side.
func TestRequestsInChunks(t *testing.T) {
	t.Parallel()
	const n = 3
	var in sync.WaitGroup
	in.Add(n)
	inner := answering(t)
	w := newWorld(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		in.Done()
		in.Wait() // until all of them are here
		inner.ServeHTTP(rw, r)
	}))
	s := w.open(clade.ProviderOpenAI, llm.Cap{})
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			r := w.request(s, dialects[0])
			r.Body, r.ContentLength = io.NopCloser(io.MultiReader(r.Body)), -1
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			_ = res.Body.Close()
			if res.StatusCode != 200 {
				t.Error(res.Status)
			}
		})
	}
	all.Wait()
	if m := s.Close(); m.Spent.Calls != n || m.Spent.Microdollars != n*answered {
		t.Errorf("%+v", m)
	}
}

// A client that never sends the rest of its request holds up neither the end of
// its session nor that of the gateway, and costs nothing.
func TestAClientThatStalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answering(t))
	s := w.open(clade.ProviderOpenAI, llm.Cap{})
	body, more := io.Pipe()
	r := w.request(s, dialects[0])
	r.Body, r.ContentLength = body, 100
	ended := make(chan error, 1)
	go func() {
		res, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			_, err = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
		}
		ended <- err
	}()
	if _, err := io.WriteString(more, `{"model":`); err != nil { // it is on its way
		t.Fatal(err)
	}
	if m := s.Close(); m.Spent != (clade.Amount{}) {
		t.Errorf("%+v", m)
	}
	if err := w.gateway.Close(); err != nil {
		t.Error(err)
	}
	_ = more.CloseWithError(io.ErrClosedPipe) // or its own transport waits for it
	<-ended
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answering(t))
	s := w.open(clade.ProviderOpenAI, llm.Cap{})
	d := dialects[0]
	d.body = `{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("x", requestMost) + `"}]`
	res, err := http.DefaultTransport.RoundTrip(w.request(s, d))
	if err == nil { // it may be told in the middle of its request
		_ = res.Body.Close()
		if res.StatusCode != 413 {
			t.Error(res.Status)
		}
	}
	if m := s.Close(); m.Spent != (clade.Amount{}) || len(w.seen) > 0 {
		t.Errorf("%+v, the service saw %d requests", m, len(w.seen))
	}
}
