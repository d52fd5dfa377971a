package reflect

import (
	"errors"
	"fmt"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
	"github.com/cladehq/clade/internal/propose"
)

// leastTokens is the shortest reply worth paying for.
const leastTokens = 256

// around is what the wire puts around a message, tokens.
const around = 16

// A bound is the most that a question may use, so that the attempt's hold bears
// the worst of it.
type bound struct {
	reply int64        // tokens of the reply
	worst clade.Amount // of one request for it, if nobody says what it used
	bears int64        // such requests, 0: any number
	calls int64        // requests, 0: any number
}

// most is the longest reply that the model's declaration allows, in tokens.
func most(m clade.Model) int64 {
	if m.MaxTokens <= 0 {
		return maxTokens
	}
	return m.MaxTokens
}

// size is the most tokens that a question has: each is at least a byte.
func size(said []llm.Message) int64 {
	tokens := int64(len(system)) + around
	for _, m := range said {
		tokens += int64(len(m.Text)) + around
	}
	return tokens
}

// worst is the most that one request can use.
func worst(p *clade.Price, question, reply int64) clade.Amount {
	var dearest clade.Microdollars
	for _, u := range []llm.Usage{{Input: question, Output: reply}, {CacheRead: question, Output: reply}, {CacheWrite: question, Output: reply}} {
		cost, _ := llm.Cost(p, u)
		dearest = max(dearest, cost)
	}
	return clade.Amount{Microdollars: dearest, Tokens: question + reply, Assumed: true}
}

// within bounds a question by what is left of the hold.
func (t *talk) within(said []llm.Message) (b bound, err error) {
	hold, spent, question := t.r.Attempt.Hold, t.p.Spent, size(said)
	left, price := hold.Minus(spent), t.model.Price
	b.reply = most(t.model)
	least := min(leastTokens, b.reply)
	if hold.Microdollars > 0 && price == nil {
		return b, &llm.Error{Kind: llm.KindBudget, Text: "the model has no price, so nothing can be held for it"}
	}
	if hold.Calls > 0 {
		if b.calls = left.Calls; b.calls == 0 {
			return b, &llm.Error{Kind: llm.KindBudget, Text: fmt.Sprintf("one try may make %s (its share of budget.calls), and has", clade.Counted(int(hold.Calls), "request"))}
		}
	}
	if hold.Tokens > 0 {
		if b.reply = min(b.reply, left.Tokens-question); b.reply < least {
			return b, short(hold, spent, question, least, price)
		}
	}
	if hold.Microdollars > 0 {
		in := worst(price, question, 0).Microdollars
		if b.reply = min(b.reply, llm.Affords(left.Microdollars-in, price.Output)); b.reply < least || in > left.Microdollars {
			return b, short(hold, spent, question, least, price)
		}
	}
	b.worst = worst(price, question, b.reply)
	b.bears = bears(hold, left, b.worst)
	return b, nil
}

// afford refuses a budget under which not even the shortest question can be asked,
// whatever the files are: a *clade.Problem of fault budget.
func (o *Operator) afford(spec *clade.Spec) error {
	var hold clade.Amount
	if b := spec.Budget; b.PerTry != nil {
		hold.Microdollars = *b.PerTry
	}
	if spec.Budget.Tokens != nil {
		hold.Tokens = *spec.Budget.Tokens
	}
	a := clade.Attempt{Hold: hold}
	t := &talk{Operator: o, r: propose.Request{Spec: spec, Attempt: &a}}
	_, err := t.within([]llm.Message{{Role: "user", Text: spec.Objective + t.wanted()}})
	var short *llm.Error
	if !errors.As(err, &short) {
		return err
	}
	return &clade.Problem{Fault: clade.FaultBudget, Text: fmt.Sprintf("operator %s cannot ask its model anything: %s", o.name(), short.Text),
		Hint: "raise the cap; files and results come on top of that question"}
}

// bears is how many requests of one worst case are left of a hold, 0 for any
// number.
func bears(hold, left, worst clade.Amount) (n int64) {
	for _, kind := range [][3]int64{
		{int64(hold.Microdollars), int64(left.Microdollars), int64(worst.Microdollars)},
		{hold.Tokens, left.Tokens, worst.Tokens},
	} {
		if kind[0] > 0 && kind[2] > 0 {
			if fit := max(1, kind[1]/kind[2]); n == 0 || fit < n {
				n = fit
			}
		}
	}
	return n
}

// short says which cap a question does not fit into, even with a short reply.
func short(hold, spent clade.Amount, question, least int64, price *clade.Price) *llm.Error {
	text := fmt.Sprintf("a question of up to %s and a reply of %d", clade.Counted(int(question), "token"), least)
	cost, past := worst(price, question, least), ""
	if left := hold.Tokens - spent.Tokens; hold.Tokens > 0 && cost.Tokens > left {
		if spent.Tokens > 0 {
			past = fmt.Sprintf(", of which %d are spent", spent.Tokens)
		}
		return &llm.Error{Kind: llm.KindBudget, Text: fmt.Sprintf("%s are more than the %s that one try may use (its share of budget.tokens)%s",
			text, clade.Counted(int(hold.Tokens), "token"), past)}
	}
	if spent.Microdollars > 0 {
		past = fmt.Sprintf(", of which $%s are spent", spent.Microdollars)
	}
	return &llm.Error{Kind: llm.KindBudget, Text: fmt.Sprintf("%s may cost $%s, and one try may spend $%s (budget.per_try_usd)%s",
		text, cost.Microdollars, hold.Microdollars, past)}
}

// pay adds what a question cost, failed or not: for every request that did not
// say what it used, the most that can have been.
func (t *talk) pay(b bound, reply llm.Reply, err error) {
	usage, calls := reply.Usage, reply.Calls
	if e := (*llm.Error)(nil); errors.As(err, &e) {
		usage, calls = e.Usage, e.Calls
	} else if err != nil {
		usage, calls = llm.Usage{}, 1 // its time was over while it ran
	}
	silent := min(usage.Silent(), calls)
	usage = llm.Usage{Reported: true}.Plus(usage) // without what is half of a reply
	cost, _ := llm.Cost(t.model.Price, usage)
	t.p.Spent = t.p.Spent.Plus(clade.Amount{Microdollars: cost, Tokens: usage.Tokens(), Calls: calls})
	for range silent {
		t.p.Spent = t.p.Spent.Plus(b.worst)
	}
}
