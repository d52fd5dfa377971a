package clade

import "fmt"

// Fold applies one record to h and b. It returns ErrCorruptLog, wrapped, if r
// cannot follow what came before; h and b are then unusable.
//
// Records written by other processes are never an error: one that comes too
// late (an outcome of a fenced try or of a closed attempt) counts its money and
// changes nothing else.
func Fold(h *Head, b Book, r Record) error {
	if r.Seq != h.Seq+1 {
		return fmt.Errorf("%w: record %d after %d", ErrCorruptLog, r.Seq, h.Seq)
	}
	if _, first := r.Event.(Opened); first != (r.Seq == 1) {
		return fmt.Errorf("%w: record %d is %T", ErrCorruptLog, r.Seq, r.Event)
	}
	h.Seq = r.Seq
	switch e := r.Event.(type) {
	case nil: // a kind this version may skip
	case Opened:
		open(h, b, e)
		h.Started = r.At
	case Amended:
		amend(h, b, e)
	case Planned:
		return plan(h, b, e.Attempt)
	case TryBegun:
		return begin(h, b, e)
	case Proposed:
		return propose(h, b, e)
	case TryEnded:
		return end(h, b, e.Outcome)
	case Judged:
		for _, v := range e.Verdicts {
			if err := judge(h, b, v); err != nil {
				return err
			}
		}
	case Directed:
		return direct(h, b, e)
	case Noted:
		note(h, b, e.Note)
	case Ticked:
		h.Active = max(h.Active, e.Active)
	case Stopped:
		h.Stop, h.Reason = e.Cause, e.Reason
	case Applying:
		h.Applying = &e
	case Applied:
		landed(h, e)
	case Mirrored:
	default:
		return fmt.Errorf("%w: unknown event %T", ErrCorruptLog, e)
	}
	return nil
}

func open(h *Head, b Book, e Opened) {
	h.Opened, h.Run, h.Spec, h.Digest, h.From, h.Where = true, e.Run, e.Spec, e.Digest, e.From, e.Where
	b.Add(&Life{
		Attempt: Attempt{ID: Base, Makes: MakesTree, Why: "the base"},
		Commit:  e.Base, Tree: e.Tree, Summary: "base",
		Verdict: Verdict{ID: Base, Status: StatusAccepted, Category: "base", Why: "every lineage starts here"},
	})
}

func amend(h *Head, b Book, e Amended) {
	h.Spec, h.Digest = e.Spec, e.Digest
	h.Overspent = beyond(h) // of the caps that hold now
	if e.Epoch > h.Epoch {
		h.Epoch, h.Best, h.BestAt = e.Epoch, Base, h.Closed
		b.Turn(e.Epoch)
	}
}

// landed closes the open intent. One that was put back changes nothing: the
// target is as it was before it.
func landed(h *Head, e Applied) {
	in := h.Applying
	h.Applying = nil
	switch {
	case in == nil:
	case !in.Undo && !e.Undone:
		h.Landed = append(h.Landed, e.Winner)
	case in.Undo && e.Undone && len(h.Landed) > 0:
		h.Landed = h.Landed[:len(h.Landed)-1]
	}
}

func note(h *Head, b Book, n Note) {
	switch n.Kind {
	case NoteProposal:
		h.Ideas++
	case NoteAdopt:
		h.Offered++
		if a, ok := n.Adopted(); ok { // its name is taken from now on
			h.Named = max(h.Named, NumberOf(a.Name))
		}
	}
	b.Note(n)
}

func page(b Book, id ID) (*Life, error) {
	if l := b.Page(id); l != nil {
		return l, nil
	}
	return nil, fmt.Errorf("%w: attempt %d was never planned", ErrCorruptLog, id)
}

func plan(h *Head, b Book, a Attempt) error {
	if l := b.Page(a.ID); l != nil && a.ID != Base {
		replan(b, l, a)
		return nil
	}
	if a.ID != h.Count+1 {
		return fmt.Errorf("%w: attempt %d planned after %d", ErrCorruptLog, a.ID, h.Count)
	}
	for _, p := range a.Parents {
		if p < 0 || p > h.Count {
			return fmt.Errorf("%w: attempt %d has parent %d", ErrCorruptLog, a.ID, p)
		}
	}
	h.Count = a.ID
	if a.proposes() {
		h.Proposing++
	}
	if a.Adopts > 0 {
		h.Adopted++
	}
	h.Taken, h.Named, h.Generation = max(h.Taken, a.Idea), max(h.Named, NumberOf(a.Name)), max(h.Generation, a.Generation)
	l := &Life{Attempt: a, Open: true}
	if g := a.Given; g != nil {
		l.Commit, l.Tree, l.Summary = g.Commit, g.Tree, g.Summary
	}
	b.Add(l)
	return nil
}

// replan has another operator take up an attempt, unless somebody was faster.
// What it is called, where it comes from and how it is measured stay as they are:
// others were told of them.
func replan(b Book, l *Life, a Attempt) {
	if !l.Open || l.Running || l.Commit != "" || !l.Proposes() {
		return
	}
	b.Changed(l)
	l.Operator, l.Hold, l.Brief, l.Before, l.Kept, l.Tries = a.Operator, a.Hold, a.Brief, a.Before, a.Kept, a.Tries
}

func begin(h *Head, b Book, e TryBegun) error {
	l, err := page(b, e.ID)
	if err != nil {
		return err
	}
	if e.Try <= l.Try || !l.Open {
		return nil // fenced already
	}
	abandon(h, l)
	l.Try, l.Running, l.Began, l.Hand, l.Until = e.Try, true, h.Epoch, e.Hand, e.Until
	if l.Held = l.Hold; e.Hand != "" || l.Commit != "" && !h.Spec.Rolls() {
		l.Held = Amount{} // nobody is paid, or the operator has been and is not asked again
	}
	b.Changed(l)
	h.Held = h.Held.Plus(l.Held)
	return nil
}

// abandon ends a running try that said nothing. It is settled at its hold; see
// late for what happens if it speaks after all.
func abandon(h *Head, l *Life) {
	if !l.Running {
		return
	}
	l.Running = false
	assumed := atHold(Amount{}, l.Held)
	release(h, l)
	pay(h, l, assumed)
	if l.Assumed == nil {
		l.Assumed = map[int]Amount{}
	}
	l.Assumed[l.Try] = assumed
}

// late takes the word of a try that was fenced: it replaces what was assumed of
// it. A try that has had its say is not paid twice when it is delivered twice.
func late(h *Head, l *Life, try int, spent Amount, last bool) {
	assumed, unheard := l.Assumed[try]
	if !unheard && try <= l.Try {
		return
	}
	if spent.Unknown || spent.IsZero() && assumed != (Amount{}) { // the assumption stands, unless it was more
		spent = spent.Minus(assumed)
	} else {
		l.Paid, h.Spent = l.Paid.Minus(assumed), h.Spent.Minus(assumed)
	}
	pay(h, l, spent)
	switch {
	case last:
		delete(l.Assumed, try)
	case unheard:
		l.Assumed[try] = Amount{} // what its outcome adds is known apart
	}
}

// atHold fills in what nobody reported: the most it can have been. Time is not
// filled in; it was not reserved but passed.
func atHold(spent, hold Amount) Amount {
	spent.Microdollars = max(spent.Microdollars, hold.Microdollars)
	if spent.Tokens == 0 {
		spent.Tokens = hold.Tokens
	}
	if spent.Calls == 0 {
		spent.Calls = hold.Calls
	}
	spent.Unknown = spent.Unknown || hold.Microdollars > 0
	return spent
}

// pay takes in what an attempt cost, and by how much that passes a cap for the
// first time.
func pay(h *Head, l *Life, spent Amount) {
	l.Paid, h.Spent = l.Paid.Plus(spent), h.Spent.Plus(spent)
	if more := beyond(h).Minus(h.Overspent); more != (Amount{}) {
		l.Overspent, h.Overspent = l.Overspent.Plus(more), h.Overspent.Plus(more)
	}
}

// beyond is by how much what is spent and held passes the caps.
func beyond(h *Head) (over Amount) {
	used, b := h.Spent.Plus(h.Held), &h.Spec.Budget
	if b.USD != nil {
		over.Microdollars = max(0, used.Microdollars-*b.USD)
	}
	if b.Tokens != nil {
		over.Tokens = max(0, used.Tokens-*b.Tokens)
	}
	if b.Calls != nil {
		over.Calls = max(0, used.Calls-*b.Calls)
	}
	return over
}

// release frees what is left of the running try's hold.
func release(h *Head, l *Life) {
	h.Held = h.Held.Minus(l.Held)
	l.Held = Amount{}
}

func propose(h *Head, b Book, e Proposed) error {
	l, err := page(b, e.ID)
	if err != nil {
		return err
	}
	b.Changed(l)
	if e.Try != l.Try || !l.Running {
		late(h, l, e.Try, e.Spent, false)
		return nil
	}
	// The hold is settled with the operator: what remains of it is not owed,
	// whatever the evaluation costs or whatever happens to it; unless agents
	// answer its cases, which what remains is for.
	spent, rest := e.Spent, Amount{}
	if spent.Unknown {
		spent = atHold(spent, l.Held)
	} else if h.Spec.Rolls() {
		rest = l.Held.Minus(spent)
		rest.Wall = 0
	}
	release(h, l)
	l.Held, h.Held = rest, h.Held.Plus(rest)
	pay(h, l, spent)
	l.Commit, l.Tree, l.Summary, l.Feedback = e.Commit, e.Tree, e.Summary, e.Feedback
	l.Handed = l.Hand != ""
	return nil
}

func end(h *Head, b Book, o Outcome) error {
	l, err := page(b, o.ID)
	if err != nil {
		return err
	}
	b.Changed(l)
	if o.Try != l.Try || !l.Running {
		late(h, l, o.Try, o.Spent, true)
		return nil
	}
	for _, n := range o.Notes {
		note(h, b, n)
	}
	spent := o.Spent
	if spent.Unknown || spent.IsZero() && l.Held != (Amount{}) && performed(o) {
		spent = atHold(spent, l.Held) // a try that says nothing at all is no free one
	}
	release(h, l)
	pay(h, l, spent)
	l.Running = false
	l.Ended++
	if o.Failure.CountsAgainst() {
		l.Counted++
	}
	if o.Commit != "" {
		l.Commit, l.Tree = o.Commit, o.Tree
	}
	l.Failure, l.Detail, l.TimedOut, l.Isolation, l.Files, l.Same = o.Failure, o.Detail, o.TimedOut, o.Isolation, o.Files, o.Same
	l.Look = max(l.Look, o.Look)
	l.Evaluations, l.Epoch, l.Unjudged = o.Evaluations, l.Began, true
	return grade(h, b, l)
}

// performed is false for tries that were ended without being begun in earnest.
func performed(o Outcome) bool { return o.Failure != ClassBudget && o.Failure != ClassPoisoned }

// grade works out the values, the score and the best after an outcome.
func grade(h *Head, b Book, l *Life) error {
	for _, s := range subjects(l) {
		of, err := page(b, s)
		if err != nil {
			return err
		}
		base := b.Page(Base)
		values, passed := Values(&h.Spec, l.Evaluations, s)
		if s == Base && of.Scored && of.Epoch >= l.Epoch {
			continue // the baseline stands; later readings are the other half of pairs
		}
		if s != Base {
			anchor(&h.Spec, l.Evaluations, s, values, base.Values)
		}
		b.Changed(of)
		had, was := of.Scored, of.Score
		of.Values, of.Passed, of.Epoch = values, passed, l.Epoch
		score, ok := Merit(&h.Spec, values, base.Values)
		of.Score, of.Scored = score, ok && passed && l.Failure == OK
		if s != Base {
			h.Usable += count(of.Scored) - count(had)
		}
		if s == h.Best && had && (!of.Scored || of.Score < was) {
			h.Best = best(h, b) // another try of the best came out worse
		} else if of.Scored && of.Epoch == h.Epoch && s != Base && b.Page(h.Best) != nil {
			best := b.Page(h.Best)
			tie := best.Score == of.Score && s < h.Best
			if !best.Scored || best.Epoch != h.Epoch || of.Score > best.Score || tie {
				h.Best = s // the oldest among equals, in whatever order they came
			}
		}
	}
	return nil
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// best looks through all lives.
func best(h *Head, b Book) ID {
	top := b.Page(Base)
	for id := Base + 1; id <= h.Count; id++ {
		l := b.Page(id)
		if l == nil || !l.Scored || l.Epoch != h.Epoch {
			continue
		}
		if !top.Scored || top.Epoch != h.Epoch || l.Score > top.Score {
			top = l
		}
	}
	return top.ID
}

// subjects are the lives whose search values l's outcome sets: its own
// candidate, or the base when l is the baseline.
func subjects(l *Life) []ID {
	if l.Proposes() {
		return []ID{l.ID}
	}
	if l.Probe == "" && len(l.After) > 0 && len(l.After[0].Subjects) > 0 && l.After[0].Subjects[0] == Base && l.After[0].Split != SplitTest {
		return []ID{Base}
	}
	return nil
}

func judge(h *Head, b Book, v Verdict) error {
	l, err := page(b, v.ID)
	if err != nil {
		return err
	}
	wasOpen := l.Open
	if v.ID != Base && !wasOpen && !v.Status.Closes() {
		return nil // nothing opens a closed attempt
	}
	b.Changed(l)
	l.Verdict, l.Unjudged = v, false
	if v.ID == Base {
		return nil
	}
	l.Open = !v.Status.Closes()
	if wasOpen && !l.Open {
		abandon(h, l)
		if l.Proposes() {
			h.Closed++
		}
		if h.Best == v.ID && l.Scored {
			h.BestAt = h.Closed
		}
	}
	if v.Status == StatusWinner {
		h.Winner = v.ID
	}
	return nil
}

func direct(h *Head, b Book, e Directed) error {
	switch e.What {
	case DirectPause:
		h.Paused = true
	case DirectResume:
		last, err := page(b, h.Count)
		if err != nil {
			return err
		}
		if h.Stop != StopNone && !last.Open {
			h.Resumed = h.Count
		}
		h.Paused, h.Cancelled, h.Stop, h.Reason = false, "", StopNone, ""
	case DirectCancel:
		if e.To == Base {
			h.Cancelled = e.Text
			if h.Cancelled == "" {
				h.Cancelled = "cancelled"
			}
		}
	case DirectSteer:
		n := Note{Kind: NoteSteer, Body: e.Text}
		if e.To != Base {
			n.About = []ID{e.To}
		}
		b.Note(n)
	}
	return nil
}
