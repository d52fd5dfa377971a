// Package llm declares how models are asked: directly (Client), and on behalf of
// commands that bring their own client (Gateway). Children are providers, and
// decorators such as retry, breaker and cassette. It knows no operator.
package llm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cladehq/clade"
)

// A Message is one turn of a conversation.
type Message struct {
	Role string `json:"role"` // "user" or "assistant"
	Text string `json:"text"`
}

// A Request asks a model for one reply.
type Request struct {
	Model       string    `json:"model"` // what the provider calls it
	System      string    `json:"system,omitempty"`
	Messages    []Message `json:"messages"`
	MaxTokens   int64     `json:"max_tokens"` // > 0
	Temperature *float64  `json:"temperature,omitempty"`
	// Calls is the most requests that may be made of it by a client that asks
	// again, 0: no limit. The first one is always made.
	Calls int64 `json:"-"`
	// Bears is how many requests whose use nobody knows the caller can pay for: a
	// client asks again only while fewer have failed so. 0: any number.
	Bears int64 `json:"-"`
}

// A Finish is why a reply ended.
type Finish string

const (
	FinishStop   Finish = "stop"
	FinishLength Finish = "length"  // cut by the token limit: never a whole answer
	FinishRefuse Finish = "refused" // the model or its filter would not answer
	FinishOther  Finish = "other"
)

// A Reply is what a model answered.
type Reply struct {
	Text   string        `json:"text"`
	Finish Finish        `json:"finish"`
	Usage  Usage         `json:"usage"`
	Calls  int64         `json:"calls"` // requests made for it, failed ones included
	Took   time.Duration `json:"-"`     // until the last byte of the last request
}

// A Client asks one service. It is safe for concurrent use. An error is an
// *Error, or the context's; a reply that is cut or refused is no error.
type Client interface {
	Ask(ctx context.Context, r Request) (Reply, error)
}

// A Kind tells failures of a service apart.
type Kind string

const (
	KindAccess    Kind = "access"      // 401, 403, no key, unknown model: asking again does not help
	KindRate      Kind = "rate"        // 429
	KindServer    Kind = "server"      // 5xx, overloaded
	KindNetwork   Kind = "network"     // no connection, cut stream, no answer in time
	KindRequest   Kind = "request"     // 400 and the like: the request is wrong
	KindReply     Kind = "reply"       // the reply makes no sense: no choices, no JSON
	KindBudget    Kind = "budget"      // refused here, before it was sent: it could cost more than is left
	KindAllFailed Kind = "all-failing" // refused here: every recent call failed
)

// An Error is a call that gave no reply. Text is for people, bounded and without
// secrets.
type Error struct {
	Kind       Kind
	Status     int           // HTTP status, 0: none
	RetryAfter time.Duration // what the service asked for, 0: nothing
	Usage      Usage         // what was used all the same; Reported when that is certain, as after a refusal
	Calls      int64         // requests made
	Text       string
	Err        error
}

func (e *Error) Error() string {
	if e.Status > 0 {
		return fmt.Sprintf("%s (HTTP %d): %s", e.Kind, e.Status, e.Text)
	}
	return fmt.Sprintf("%s: %s", e.Kind, e.Text)
}

func (e *Error) Unwrap() error { return e.Err }

// Class is how an attempt fails that failed by this error.
func (e *Error) Class() clade.Class {
	switch e.Kind {
	case KindAccess:
		return clade.ClassAccess
	case KindAllFailed:
		if last := (*Error)(nil); errors.As(e.Err, &last) && last.Kind == KindAccess {
			return clade.ClassAccess // a pause does not help
		}
		return clade.ClassModel
	case KindRate, KindServer, KindNetwork:
		return clade.ClassModel
	case KindBudget:
		return clade.ClassBudget
	}
	return clade.ClassOperator
}
