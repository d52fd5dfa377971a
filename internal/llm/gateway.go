package llm

import "github.com/cladehq/clade"

// A Gateway lets commands that run without a network, and without a key, reach
// models: they talk to a loopback address of this process, which adds the key,
// passes the request on, counts what is used and refuses what could cost more
// than is left. It is safe for concurrent use.
type Gateway interface {
	// Open begins a session for one try. The model's key is looked up now: an
	// *Error of KindAccess names the variable that is not set.
	Open(m clade.Model, cap Cap) (Session, error)
	Close() error
}

// A Cap is the most a session may use. Zero fields are no limit.
type Cap struct {
	Microdollars clade.Microdollars
	Tokens       int64
	Calls        int64
}

// A Session is one command's way to one model.
type Session interface {
	// Address is what goes into sandbox.Command.Gateways. It leads to this session
	// only.
	Address() string
	// BaseURL is what the command is told instead of the provider's address:
	// without a version path ("http://127.0.0.1:4711/s/K3Q…").
	BaseURL() string
	// Key is what the command is told instead of the key. It is worth nothing
	// outside this session, and nothing once it is closed.
	Key() string
	// Close ends the session and says what it used. Requests still running are
	// ended and counted at the most they could cost. It may be called again.
	Close() Metered
}

// Metered is what passed through a session.
type Metered struct {
	Spent clade.Amount // Unknown when the model has no price; Assumed when a reply did not say its usage
	Usage Usage
	// Refused counts requests that the cap did not bear.
	Refused int64
	// Last is the last failure of the service, nil if the last request went well.
	Last *Error
}
