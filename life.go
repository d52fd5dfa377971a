package clade

import "time"

// A Life is one attempt's story: the plan, how it went, what was measured and
// what was decided. Life 0 is the base.
type Life struct {
	Attempt
	Try      int  `json:"try,omitempty"`     // the highest try begun; the fence
	Ended    int  `json:"ended,omitempty"`   // tries that ended and were not superseded
	Counted  int  `json:"counted,omitempty"` // of these, the ones that count against the attempt
	Running  bool `json:"running,omitempty"` // try Try has begun and not ended
	Open     bool `json:"open,omitempty"`    // no verdict has closed it
	Unjudged bool `json:"unjudged,omitempty"`
	// Hand is who works by hand on the running try, "" where a process of clade
	// performs it; see TryBegun. Handed says that the commit was made so.
	Hand     string    `json:"hand,omitempty"`
	Until    time.Time `json:"until,omitzero"`
	Handed   bool      `json:"handed,omitempty"`
	Commit   string    `json:"commit,omitempty"` // the last commit made
	Tree     string    `json:"tree,omitempty"`
	Summary  string    `json:"summary,omitempty"`
	Feedback string    `json:"feedback,omitempty"`

	Failure     Class             `json:"failure,omitempty"` // of the last ended try
	Detail      string            `json:"detail,omitempty"`
	TimedOut    bool              `json:"timed_out,omitempty"` // see Outcome.TimedOut
	Isolation   string            `json:"isolation,omitempty"`
	Evaluations []Evaluation      `json:"evaluations,omitempty"` // of the last ended try
	Files       map[string]string `json:"files,omitempty"`
	Same        ID                `json:"same,omitempty"`
	Look        int               `json:"look,omitempty"` // see Outcome.Look

	Verdict Verdict `json:"verdict"`
	Paid    Amount  `json:"paid"`
	// Held is what the running try may still spend.
	Held Amount `json:"held"`
	// Overspent is by how much what the attempt cost has passed caps of the run,
	// because it cost more than was held for it.
	Overspent Amount `json:"overspent,omitzero"`
	// Assumed is what of Paid is nobody's word: the holds of tries that died,
	// were fenced or were running when a verdict closed the attempt, and have
	// not spoken since.
	Assumed map[int]Amount `json:"assumed,omitempty"`
	Began   int            `json:"began,omitempty"` // the epoch in which try Try began
	Epoch   int            `json:"epoch,omitempty"` // of its numbers

	// Values are what the attempt's own tree measured during the search, one
	// number per measure; see Values. Score is their scalar merit, higher is
	// better; it means nothing unless Scored.
	Values map[string]float64 `json:"values,omitempty"`
	Passed bool               `json:"passed,omitempty"` // every gate that ran passed, and at least the plan's gates ran
	Score  float64            `json:"score,omitempty"`
	Scored bool               `json:"scored,omitempty"`
}

// Proposes reports whether the attempt's operator must hand back a candidate.
func (l *Life) Proposes() bool { return l.Attempt.proposes() }

func (a *Attempt) proposes() bool { return a.Makes == MakesTree && a.Probe == "" }

// Candidate reports whether the attempt made a candidate of its own.
func (l *Life) Candidate() bool { return l.ID == Base || l.Commit != "" }

// ByHand reports whether the attempt waits for somebody outside: nothing that
// clade does brings it on. One that has settled waits for its verdict only; see
// strategy.Settled.
func (l *Life) ByHand() bool {
	waits := l.Operator == OperatorManual && (l.Ended == 0 || l.Failure != OK && l.Counted < l.Tries)
	return l.Open && l.Commit == "" && (l.Running && l.Hand != "" || waits)
}

// Outside reports whether the attempt's commit came from outside, unchecked.
func (l *Life) Outside() bool { return l.Given != nil || l.Handed }

// ParentOr is the first parent, or the base.
func (l *Life) ParentOr() ID {
	if len(l.Parents) > 0 {
		return l.Parents[0]
	}
	return Base
}

// Head is what a log says apart from its lives.
type Head struct {
	Seq     int64     `json:"seq"`
	Run     string    `json:"run"`
	Spec    Spec      `json:"spec"`
	Digest  string    `json:"digest"`
	From    string    `json:"from,omitempty"`
	Where   string    `json:"where,omitempty"`
	Opened  bool      `json:"opened"`
	Started time.Time `json:"started"` // when the run was opened; for people, no decision reads it
	Epoch   int       `json:"epoch"`
	Count   ID        `json:"count"` // the highest ID planned
	// Proposing, Closed and Usable count attempts that make trees: planned,
	// closed by a verdict, and having a score.
	Proposing int    `json:"proposing"`
	Closed    int    `json:"closed"`
	Usable    int    `json:"usable"`
	Spent     Amount `json:"spent"`
	Held      Amount `json:"held"`
	// Overspent is by how much Spent and Held have passed the caps of Spec.Budget
	// at the most: whatever is planned fits under them, but a try may cost more
	// than its hold, or say so only after its hold was given to another. Kinds
	// without a cap are zero.
	Overspent Amount        `json:"overspent,omitzero"`
	Active    time.Duration `json:"active"`
	Paused    bool          `json:"paused,omitempty"`
	Cancelled string        `json:"cancelled,omitempty"` // the reason given, "" if not
	Stop      Stop          `json:"stop,omitempty"`
	Reason    string        `json:"reason,omitempty"`
	// Resumed is Count when a stopped run was last resumed with its last attempt
	// closed: what only infrastructure failed up to there may be planned again.
	// 0: never; a resume that finds the last attempt open goes on with that.
	Resumed ID `json:"resumed,omitempty"`
	Winner  ID `json:"winner,omitempty"`
	// Best is the scored candidate with the highest Score, the oldest among
	// equals; BestAt counts the attempts closed when it became so.
	Best   ID  `json:"best"`
	BestAt int `json:"best_at"`
	// Ideas counts notes of NoteProposal, Taken is the highest that a planned
	// attempt takes up.
	Ideas int `json:"ideas,omitempty"`
	Taken int `json:"taken,omitempty"`
	// Offered counts notes of NoteAdopt, Adopted those of them that were planned,
	// which may be later ones than those that were not. Named is the highest
	// number in the name of an attempt or of an offer, Generation the highest of one.
	Offered    int       `json:"offered,omitempty"`
	Adopted    int       `json:"adopted,omitempty"`
	Named      int       `json:"named,omitempty"`
	Generation int       `json:"generation,omitempty"`
	Applying   *Applying `json:"applying,omitempty"` // an intent without its Applied
	// Landed are the candidates whose applies stand, oldest first: each was
	// written over what the one before it left. See Applied.
	Landed []ID `json:"landed,omitempty"`
}

// Applied is the candidate that the last apply which stands wrote into the
// target, the base when there is none. Undoing it leaves what the apply before
// it wrote.
func (h *Head) Applied() ID {
	if n := len(h.Landed); n > 0 {
		return h.Landed[n-1]
	}
	return Base
}

// A Book holds the lives that records are folded into. It is memory in the
// engine and rows of a database elsewhere.
type Book interface {
	// Page returns the life with this ID, nil if there is none; the same
	// pointer for the same ID throughout one append. The fold may change it
	// and then calls Changed.
	Page(ID) *Life
	Changed(*Life)
	// Add takes a new life, whose ID is one above the highest.
	Add(*Life)
	// Note takes a note.
	Note(Note)
	// Turn tells that scores of earlier epochs no longer count.
	Turn(epoch int)
}
