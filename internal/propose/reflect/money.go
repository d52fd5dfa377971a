package reflect

import (
	"fmt"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

// leastTokens is the shortest reply worth paying for.
const leastTokens = 256

// bearable is how long a reply may be so that the attempt's hold bears the worst
// case. A token is at least one byte, so a question of n bytes has at most n.
func (t *talk) bearable(said []llm.Message) (int64, error) {
	tokens := t.model.MaxTokens
	if tokens <= 0 {
		tokens = maxTokens
	}
	hold := t.r.Attempt.Hold
	if hold.Microdollars > 0 && t.model.Price == nil {
		return 0, &llm.Error{Kind: llm.KindBudget, Text: "the model has no price, so nothing can be held for it"}
	}
	bytes := int64(len(system))
	for _, m := range said {
		bytes += int64(len(m.Text)) + 16 // and what the wire puts around a message
	}
	if hold.Tokens > 0 {
		tokens = min(tokens, hold.Tokens-t.p.Spent.Tokens-bytes)
	}
	if hold.Calls > 0 && t.p.Spent.Calls >= hold.Calls {
		return 0, &llm.Error{Kind: llm.KindBudget, Text: fmt.Sprintf("the attempt may make %d calls", hold.Calls)}
	}
	if hold.Microdollars > 0 {
		in, _ := llm.Cost(t.model.Price, llm.Usage{CacheWrite: bytes})
		plain, _ := llm.Cost(t.model.Price, llm.Usage{Input: bytes})
		left := hold.Microdollars - t.p.Spent.Microdollars - max(in, plain)
		if per := t.model.Price.Output; per > 0 {
			tokens = min(tokens, int64(left)*1_000_000/int64(per))
		} else if left < 0 {
			tokens = 0
		}
	}
	if tokens < leastTokens {
		return 0, &llm.Error{Kind: llm.KindBudget,
			Text: fmt.Sprintf("what one try may spend ($%s, budget.per_try_usd) does not bear a question of %s", hold.Microdollars, clade.Bytes(bytes))}
	}
	return tokens, nil
}

// pay adds what a call cost, failed or not.
func (t *talk) pay(reply llm.Reply, err error) {
	usage, calls := reply.Usage, reply.Calls
	var e *llm.Error
	if err != nil {
		if asError(err, &e) {
			usage, calls = e.Usage, e.Calls
		} else {
			calls = 1
		}
	}
	cost, priced := llm.Cost(t.model.Price, usage)
	known := priced && (usage.Reported || calls == 0 || e != nil && free(e))
	t.p.Spent = t.p.Spent.Plus(clade.Amount{Microdollars: cost, Tokens: usage.Tokens(), Calls: calls, Unknown: !known})
}

// free reports whether a failure certainly cost nothing: the service refused
// before it worked.
func free(e *llm.Error) bool {
	return e.Status >= 400 && e.Status < 500 || e.Kind == llm.KindBudget || e.Kind == llm.KindAllFailed
}
