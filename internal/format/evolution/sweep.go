package evolution

// MostTries is how often a worker is sent out for a variant: a result that is
// missing or malformed is asked for once more, nothing else is.
const MostTries = 2

// An Action is what becomes of a variant on resume.
type Action string

const (
	Ingest  Action = "ingest"  // its result is taken, whatever it says
	Requeue Action = "requeue" // it waits for another worker
	GiveUp  Action = "give-up" // it is errored: its tries are used up
)

// Found is what was found of a running variant.
type Found struct {
	Result *Result // nil: missing or malformed
	Err    error   // what is wrong with the file; nil: there is none
	Tries  int     // workers that were sent out for it so far, the last one included
}

// A Decision says what becomes of one variant, and why.
type Decision struct {
	Variant string
	Action  Action
	Why     string
}

// Sweep decides, for every variant that is running, what becomes of it now that
// its worker has ended. A result is taken with its own status, so that one that
// says killed is never counted as evaluated. A variant of which nothing is found
// has one try behind it. Variants that are not running are left alone: a
// result.json beside one that is pending is of an earlier try.
func Sweep(e *Evolution, found map[string]Found) (all []Decision) {
	for _, v := range e.Variants {
		if v.Status != Running {
			continue
		}
		f := found[v.ID]
		d := Decision{v.ID, Requeue, "it left no result"}
		if f.Err != nil {
			d.Why = "its result cannot be read: " + f.Err.Error()
		}
		switch {
		case f.Result != nil:
			d.Action, d.Why = Ingest, "its result says "+string(f.Result.Status)
		case f.Tries >= MostTries:
			d.Action = GiveUp
		}
		all = append(all, d)
	}
	return all
}

// Swept carries decisions out on a copy of the evolution.
func Swept(e *Evolution, all []Decision, found map[string]Found) *Evolution {
	out := e.Clone()
	for _, d := range all {
		switch v := out.Variant(d.Variant); d.Action {
		case Ingest:
			v.Take(found[d.Variant].Result)
		case Requeue:
			v.Status = Pending
		case GiveUp:
			v.Status, v.Gates, v.Rubric = Errored, nil, nil
		}
	}
	return out
}
