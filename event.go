package clade

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// ErrCorruptLog reports a log that cannot have been written by this program.
var ErrCorruptLog = errors.New("corrupt log")

// A Record is an Event with its place in the log.
type Record struct {
	Seq   int64     `json:"seq"` // from 1, without gaps
	At    time.Time `json:"at"`  // when it was written, UTC; never read by the fold
	By    string    `json:"by"`  // which process wrote it
	Event Event     `json:"event"`
}

// An Event is something that happened to a run.
type Event interface{ Kind() string }

type (
	// Opened is the first record of every log.
	Opened struct {
		Run    string `json:"run"`
		Spec   Spec   `json:"spec"` // resolved: every default filled in
		Digest string `json:"digest"`
		Base   string `json:"base"` // commit in the ledger
		Tree   string `json:"tree"`
		// From is the commit of the user's repository the base was taken from,
		// "" for a plain directory or file.
		From string `json:"from,omitempty"`
		// Where is the target's absolute path when the run was opened.
		Where string `json:"where,omitempty"`
		// File is the absolute path of the file that the spec was read from, and
		// Said a digest of each top-level key as that file said it: by them a
		// resume can tell that it says something else now. No decision reads them.
		File string            `json:"file,omitempty"`
		Said map[string]string `json:"said,omitempty"`
	}
	// Amended replaces the spec. One that touches scoring begins an epoch:
	// scores of different epochs are never compared.
	Amended struct {
		Spec   Spec   `json:"spec"`
		Digest string `json:"digest"`
		What   string `json:"what"`
		Epoch  int    `json:"epoch"`
	}
	// Planned opens an attempt. One that is open already, has no candidate and
	// that nobody works on is planned anew: another operator takes it up, with
	// what it is told and may spend. Everything else of it stays as it was.
	Planned struct {
		Attempt Attempt `json:"attempt"`
	}
	// TryBegun is the claim: it fences every lower try of the attempt.
	TryBegun struct {
		ID     ID     `json:"id"`
		Try    int    `json:"try"`
		Worker string `json:"worker,omitempty"`
		// Hand says that somebody outside works on it, and who: no process of
		// clade performs the try, and nothing is held for it. It ends by a
		// Proposed, after which the next try evaluates, or by a TryEnded.
		Hand string `json:"hand,omitempty"`
		// Until is when whoever hands out work may end the try; no decision
		// reads it.
		Until time.Time `json:"until,omitzero"`
	}
	// Proposed is written before evaluation begins, so that the operator is
	// never paid twice.
	Proposed struct {
		ID      ID     `json:"id"`
		Try     int    `json:"try"`
		Commit  string `json:"commit"`
		Tree    string `json:"tree"`
		Summary string `json:"summary"` // the real edit in one line
		// Feedback is JSON that the operator wants back when this candidate
		// becomes a parent (step sizes, say).
		Feedback string `json:"feedback,omitempty"`
		Spent    Amount `json:"spent"`
	}
	// TryEnded ends a try.
	TryEnded struct {
		Outcome Outcome `json:"outcome"`
	}
	// Judged moves candidates.
	Judged struct {
		Verdicts []Verdict `json:"verdicts"`
	}
	// Directed is a person's or another process's word to the run or, when To
	// is not 0, to one attempt.
	Directed struct {
		To   ID        `json:"to,omitempty"`
		What Directive `json:"what"`
		Text string    `json:"text,omitempty"`
	}
	// Noted adds a note.
	Noted struct {
		Note Note `json:"note"`
	}
	// Ticked carries the run's active time so far; the lease holder writes it
	// when a decision depends on time.
	Ticked struct {
		Active time.Duration `json:"active"`
	}
	// Stopped ends the search. A resume directive reopens it.
	Stopped struct {
		Cause  Stop   `json:"cause"`
		Reason string `json:"reason"`
	}
	// Applying is the intent to write a winner into the target, before the
	// first byte is written.
	Applying struct {
		Winner ID     `json:"winner"`
		Undo   bool   `json:"undo,omitempty"`
		Before string `json:"before"` // ledger commit holding the touched paths as they were
		After  string `json:"after"`  // and as they will be
		Paths  Paths  `json:"paths"`  // relative, slash separated; bytes as they are
		// Perms are the permission bits that each of Paths had before an apply,
		// 0 where there was no file: an undo gives them back.
		Perms  []uint32 `json:"perms,omitempty"`
		Commit string   `json:"commit,omitempty"` // of the user's repository, which HEAD moves to; "": HEAD stays
		// Landed is the ledger's commit of the part of the winner that an apply
		// lands, "" where that is all of it.
		Landed string `json:"landed,omitempty"`
	}
	// Applied closes an Applying. Undone says the target is as it was.
	Applied struct {
		Winner ID   `json:"winner"`
		Undone bool `json:"undone,omitempty"`
	}
	// Mirrored records what clade last wrote into a foreign file.
	Mirrored struct {
		Path   string `json:"path"`
		Digest string `json:"digest"`
	}
)

// Directive is what a Directed event asks for.
type Directive string

const (
	DirectPause  Directive = "pause"
	DirectResume Directive = "resume"
	DirectCancel Directive = "cancel"
	DirectSteer  Directive = "steer"
)

// Stop is why a search ended.
type Stop string

const (
	StopNone       Stop = ""
	StopCandidates Stop = "candidates" // the budget of candidates is used
	StopWall       Stop = "wall"
	StopMoney      Stop = "money"
	StopTokens     Stop = "tokens"
	StopCalls      Stop = "calls"
	StopPlateau    Stop = "plateau"
	StopTarget     Stop = "target"
	StopAllFailed  Stop = "all-failed"
	StopBaseline   Stop = "baseline" // the base fails its own gates or cannot be measured
	StopCancelled  Stop = "cancelled"
	StopDone       Stop = "done"      // the strategy has nothing more to try
	StopEvaluator  Stop = "evaluator" // the evaluator cannot be trusted, or gave no valid number in the final
	StopModel      Stop = "model"     // every call of a model or agent fails; a resume tries again
	StopInfra      Stop = "infra"     // the machine failed the final, or one candidate after the other; a resume tries again
)

func (Opened) Kind() string   { return "opened" }
func (Amended) Kind() string  { return "amended" }
func (Planned) Kind() string  { return "planned" }
func (TryBegun) Kind() string { return "try-begun" }
func (Proposed) Kind() string { return "proposed" }
func (TryEnded) Kind() string { return "try-ended" }
func (Judged) Kind() string   { return "judged" }
func (Directed) Kind() string { return "directed" }
func (Noted) Kind() string    { return "noted" }
func (Ticked) Kind() string   { return "ticked" }
func (Stopped) Kind() string  { return "stopped" }
func (Applying) Kind() string { return "applying" }
func (Applied) Kind() string  { return "applied" }
func (Mirrored) Kind() string { return "mirrored" }

// Decisive reports whether the fold needs events of this kind: a reader that
// does not know a decisive kind must refuse the log; it may skip the others.
func Decisive(kind string) bool {
	switch kind {
	case "applying", "applied", "mirrored":
		return false
	}
	return true
}

// EncodeEvent returns the JSON of e. Kind and body are stored apart.
func EncodeEvent(e Event) (kind string, body []byte, err error) {
	body, err = json.Marshal(e)
	if err != nil {
		return "", nil, fmt.Errorf("encode %s: %w", e.Kind(), err)
	}
	return e.Kind(), body, nil
}

// DecodeEvent is the reverse. An unknown kind gives nil and no error when it is
// not decisive by its name ending in "?", else ErrCorruptLog: newer programs
// mark the kinds that older ones may skip.
func DecodeEvent(kind string, body []byte) (Event, error) {
	decode, ok := decoders[kind]
	if !ok {
		if kind != "" && kind[len(kind)-1] == '?' {
			return nil, nil
		}
		return nil, fmt.Errorf("%w: unknown event %q (written by a newer clade?)", ErrCorruptLog, kind)
	}
	e, err := decode(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCorruptLog, kind, err)
	}
	return e, nil
}

func as[E Event](body []byte) (Event, error) {
	var e E
	err := json.Unmarshal(body, &e)
	return e, err
}

var decoders = map[string]func([]byte) (Event, error){
	"opened": as[Opened], "amended": as[Amended], "planned": as[Planned],
	"try-begun": as[TryBegun], "proposed": as[Proposed], "try-ended": as[TryEnded],
	"judged": as[Judged], "directed": as[Directed], "noted": as[Noted],
	"ticked": as[Ticked], "stopped": as[Stopped], "applying": as[Applying],
	"applied": as[Applied], "mirrored": as[Mirrored],
}
