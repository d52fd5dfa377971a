package meter

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

// A reply is made no longer than what is left bears: of 10000 millionths of a
// dollar one goes for each byte of the request and for each token of the
// overhead, and a token of the reply costs five.
func TestLowersTheReplyToTheCap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answering(t))
	for _, d := range dialects {
		s := w.open(d.provider, llm.Cap{Microdollars: 10_000})
		if status, _, body := w.ask(s, d); status != 200 {
			t.Fatalf("%s: %d %s", d.name, status, body)
		}
		sent := w.last()
		got, _ := field(t, sent.body, d.most).(float64)
		// The reply's bound itself is not part of what was bounded.
		low, high := (10_000-float64(len(sent.body))-overhead)/5-1, (10_000-overhead)/5.
		if got < low || got > high {
			t.Errorf("%s: at most %v tokens, want %v to %v: %s", d.name, got, low, high, sent.body)
		}
		if m := s.Close(); m.Spent.Microdollars != answered {
			t.Errorf("%s: %+v", d.name, m)
		}
	}
}

// Without a cap a reply may be as long as it asks for and the declaration allows.
func TestDeclarationBoundsTheReply(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answering(t))
	for _, d := range dialects {
		s := w.open(d.provider, llm.Cap{})
		w.ask(s, d)
		want := 32_000.
		if d.name == "messages" {
			want = 20_000
		}
		if got := field(t, w.last().body, d.most); got != want {
			t.Errorf("%s: %v, want %v", d.name, got, want)
		}
	}
}

// What the cap does not bear is refused, in words by which the clients give up.
func TestRefusesWhatTheCapDoesNotBear(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answering(t))
	words := map[string]string{"chat": "insufficient_quota", "responses": "insufficient_quota", "messages": "credit balance is too low", "generate": "FAILED_PRECONDITION"}
	for _, d := range dialects {
		for name, most := range map[string]llm.Cap{"money": {Microdollars: 3000}, "tokens": {Tokens: 2200}} {
			s := w.open(d.provider, most)
			status, header, body := w.ask(s, d)
			m := s.Close()
			if status != 400 || !strings.Contains(body, words[d.name]) || header.Get("X-Should-Retry") != "false" {
				t.Errorf("%s, %s: %d %s", d.name, name, status, body)
			}
			if m.Refused != 1 || m.Spent != (clade.Amount{}) || m.Last == nil || m.Last.Kind != llm.KindBudget {
				t.Errorf("%s, %s: %+v", d.name, name, m)
			}
		}
	}
	if len(w.seen) > 0 {
		t.Errorf("the service saw %d requests", len(w.seen))
	}
}

func TestCapOfCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answering(t))
	s := w.open(clade.ProviderOpenAI, llm.Cap{Calls: 2})
	var got []int
	for range 3 {
		status, _, _ := w.ask(s, dialects[0])
		got = append(got, status)
	}
	if m := s.Close(); fmt.Sprint(got) != "[200 200 400]" || m.Spent.Calls != 2 || m.Refused != 1 {
		t.Errorf("answered %v, metered %+v", got, m)
	}
}

// greedy is a service that uses all that a request can be held to: a token for
// each byte and the longest reply.
type greedy struct{ told bool }

func (g greedy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var q struct {
		Most int64 `json:"max_tokens"`
	}
	_ = json.Unmarshal(body, &q)
	usage := fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d}`, len(body), q.Most)
	if !g.told {
		usage = "null"
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"choices":[{"message":{"content":"x"},"finish_reason":"length"}],"usage":%s}`, usage)
}

// However many requests run at once and however greedy the service is, a session
// never spends more than its cap; what is not told is counted at the most.
func TestCapIsNeverPassed(t *testing.T) {
	t.Parallel()
	for _, told := range []bool{true, false} {
		w := newWorld(t, greedy{told})
		for seed := range uint64(12) {
			rng := rand.New(rand.NewPCG(seed, 1))
			most := llm.Cap{Microdollars: clade.Microdollars(3000 + rng.IntN(60_000)), Tokens: int64(3000 + rng.IntN(40_000)), Calls: int64(2 + rng.IntN(9))}
			s := w.open(clade.ProviderOpenAI, most)
			var all sync.WaitGroup
			for n := range 10 {
				d := dialects[0]
				d.body = fmt.Sprintf(`{"model":"m","max_tokens":%d,"messages":[{"role":"user","content":"%s"}]`, 1+rng.IntN(6000), strings.Repeat("é", rng.IntN(3000)))
				if n%3 == 0 {
					d.body = strings.Replace(d.body, `"max_tokens"`, `"other"`, 1)
				}
				all.Go(func() { w.ask(s, d) })
			}
			all.Wait()
			m := s.Close()
			if m.Spent.Microdollars > most.Microdollars || m.Spent.Tokens > most.Tokens || m.Spent.Calls > most.Calls {
				t.Errorf("seed %d: spent %+v of %+v", seed, m.Spent, most)
			}
			if m.Spent.Assumed == told && m.Spent.Calls > 0 || m.Spent.Calls+m.Refused != 10 {
				t.Errorf("seed %d: %+v of 10 requests", seed, m)
			}
		}
	}
}

// A request that would be cut short waits for those that hold most of the cap,
// since they give some back.
func TestWaitsForWhatIsHeld(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}, 2), make(chan struct{})
	inner := answering(t)
	w := newWorld(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		<-leave
		inner.ServeHTTP(rw, r)
	}))
	s := w.open(clade.ProviderOpenAI, llm.Cap{Microdollars: 20_000})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if status, _, body := w.ask(s, dialects[0]); status != 200 {
				t.Errorf("%d %s", status, body)
			}
		})
	}
	<-entered // the first holds all of the cap; the second waits
	close(leave)
	all.Wait()
	if m := s.Close(); m.Spent.Microdollars != 2*answered || m.Refused != 0 {
		t.Errorf("%+v", m)
	}
}

// A conversation that goes on is held to what was counted of it, not to a token
// a byte again.
func TestKnowsAConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answering(t)) // 1000 tokens, whatever is sent
	s := w.open(clade.ProviderOpenAI, llm.Cap{Microdollars: 100_000})
	long := strings.Repeat("word ", 10_000)
	d := dialects[0]
	d.body = `{"model":"m","messages":[{"role":"user","content":"` + long + `"}]`
	if status, _, body := w.ask(s, d); status != 200 {
		t.Fatal(status, body)
	}
	if got := field(t, w.last().body, "max_tokens").(float64); got > 10_000 {
		t.Errorf("the first request may have a reply of %v tokens", got)
	}
	d.body = strings.TrimSuffix(d.body, "]") + `,{"role":"assistant","content":"yes"},{"role":"user","content":"more"}]`
	if status, _, body := w.ask(s, d); status != 200 {
		t.Fatal(status, body)
	}
	// (100000 − 1070 − 1000 − 2048 − the new messages and the seams) ÷ 5
	if got := field(t, w.last().body, "max_tokens").(float64); got < 18_500 || got > 19_200 {
		t.Errorf("the second request may have a reply of %v tokens", got)
	}
	s.Close()
}
