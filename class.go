package clade

// A Class says why there is no number: absence is never zero.
type Class string

const (
	OK Class = ""
	// ClassCandidate: the candidate's own fault (a gate said no, it did not
	// compile, it ran out of its time or memory). Not retried.
	ClassCandidate Class = "candidate"
	// ClassEvaluator: a missing, invalid or impossible result. Retried once.
	ClassEvaluator Class = "evaluator"
	// ClassInfra: the machine, the disk, a lost worker, a setup that failed.
	// Retried up to three times; never counts against the candidate.
	ClassInfra Class = "infra"
	// ClassPolicy: the edit broke a rule (frozen file, path outside allow, a
	// nested repository, a size). Rejected before evaluation; not retried.
	ClassPolicy Class = "policy"
	// ClassPoisoned: several workers died on it.
	ClassPoisoned Class = "poisoned"
	// ClassBudget: not performed because the budget would not bear it.
	ClassBudget Class = "budget"
	// ClassOperator: the operator failed or proposed nothing usable (it exited
	// with an error, its reply made no sense).
	ClassOperator Class = "operator"
	// ClassModel: the model's service failed for now (rate limited, overloaded,
	// unreachable, no answer). Retried like infra; one after the other stops the
	// run.
	ClassModel Class = "model"
	// ClassAccess: the model or the agent cannot be used at all (signed out, no
	// key, forbidden, unknown model, program missing). Not retried; a few in a
	// row stop the run.
	ClassAccess Class = "access"
)

// Lost reports whether a failure of this class is nobody's in the run: the
// machine's, the model's service's, or that of whoever set them up.
func (c Class) Lost() bool { return c == ClassInfra || c == ClassModel || c == ClassAccess }

// CountsAgainst reports whether a failure of this class is held against the
// candidate.
func (c Class) CountsAgainst() bool {
	switch c {
	case ClassInfra, ClassBudget, ClassModel, ClassAccess:
		return false
	}
	return true
}

// Retries is how many more tries a failure of this class earns.
func (c Class) Retries() int {
	switch c {
	case ClassInfra, ClassModel:
		return 3
	case ClassEvaluator:
		return 1
	}
	return 0
}
