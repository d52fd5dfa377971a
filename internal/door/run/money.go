package run

import "github.com/cladehq/clade"

// Left is what remains of each cap: the cap less what is spent and held, at least
// 0; null where there is no cap.
type Left struct {
	USD    *clade.Microdollars `json:"usd"`
	Tokens *int64              `json:"tokens"`
	Calls  *int64              `json:"calls"`
}

func left(h *clade.Head) (l Left) {
	used, b := h.Spent.Plus(h.Held), h.Spec.Budget
	if b.USD != nil {
		n := max(0, *b.USD-used.Microdollars)
		l.USD = &n
	}
	if b.Tokens != nil {
		n := max(0, *b.Tokens-used.Tokens)
		l.Tokens = &n
	}
	if b.Calls != nil {
		n := max(0, *b.Calls-used.Calls)
		l.Calls = &n
	}
	return l
}

// overspenders are the attempts that passed a cap, ascending.
func overspenders(v clade.View) (ids []clade.ID) {
	h := v.Head()
	if h.Overspent == (clade.Amount{}) {
		return nil
	}
	for id := clade.Base; id <= h.Count; id++ {
		if v.Life(id).Overspent != (clade.Amount{}) {
			ids = append(ids, id)
		}
	}
	return ids
}
