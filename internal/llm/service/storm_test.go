package service_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
	"github.com/cladehq/clade/internal/llm/breaker"
	"github.com/cladehq/clade/internal/llm/openai"
	"github.com/cladehq/clade/internal/llm/retry"
	"github.com/cladehq/clade/internal/llm/service"
)

// F47: a service that refuses everything is asked a bounded number of times,
// however many slots go on asking, and every request is counted.
func TestF47StormEnds(t *testing.T) {
	t.Parallel()
	const slots, questions, tries, after = 8, 20, 3, 4
	for status, most := range map[int]int64{
		401: slots,                   // those on their way when the first came back
		429: (after + slots) * tries, // the same, and each asks again
		503: (after + slots) * tries,
	} {
		var sent atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			sent.Add(1)
			w.WriteHeader(status)
		}))
		t.Cleanup(server.Close)
		s := service.New(service.Parts{
			Dial:   map[string]service.Dial{clade.ProviderOpenAI: openai.New},
			Lookup: func(string) (string, bool) { return "k", true },
			Guard: func(c llm.Client) llm.Client {
				return breaker.New(retry.New(c, retry.Options{Tries: tries, First: time.Millisecond}), breaker.Options{After: after, Pause: time.Hour})
			},
		})
		var counted atomic.Int64
		var all sync.WaitGroup
		for range slots {
			all.Go(func() {
				c, err := s.Client(clade.Model{Name: "m", Provider: clade.ProviderOpenAI, BaseURL: server.URL})
				if err != nil {
					t.Error(err)
					return
				}
				for range questions {
					_, err := c.Ask(t.Context(), llm.Request{Model: "m", MaxTokens: 1, Messages: []llm.Message{{Role: "user", Text: "x"}}})
					var e *llm.Error
					if !errors.As(err, &e) {
						t.Errorf("%d: %v", status, err)
						return
					}
					counted.Add(e.Calls)
				}
			})
		}
		all.Wait()
		if n := sent.Load(); n == 0 || n > most || n != counted.Load() {
			t.Errorf("%d: %d requests, %d counted, want at most %d", status, n, counted.Load(), most)
		}
	}
}
