package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
)

// answer is what one step sends back, before it is put in a protocol's form.
type answer struct {
	ID    string
	Model string
	Text  string
	Calls []call
	Usage Usage

	Finish        Finish
	Silent, Empty bool
}

// protocol reads requests and writes answers of one wire format.
type protocol interface {
	parse(model string, body []byte) (*Conversation, error)
	// events gives the streamed form: SSE events, in order.
	events(a *answer) []event
	// whole gives the form without streaming.
	whole(a *answer) any
	// failure gives the body of an HTTP error.
	failure(f *Fail) any
}

// event is one server-sent event; Data is marshalled unless it is a string.
type event struct {
	Name string
	Data any
}

type obj = map[string]any

var idCounter atomic.Int64

func newID(prefix string) string {
	return fmt.Sprintf("%s_fake%06d", prefix, idCounter.Add(1))
}

func jsonString(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func writeEvent(w http.ResponseWriter, e event) {
	if e.Name != "" {
		fmt.Fprintf(w, "event: %s\n", e.Name)
	}
	s, ok := e.Data.(string)
	if !ok {
		s = jsonString(e.Data)
	}
	fmt.Fprintf(w, "data: %s\n\n", s)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
