package evo

import (
	"fmt"
	"strings"
)

// Banner is a directive as an agent sees it. The words are the sign by which
// agents know that the user speaks, and are published.
func Banner(eventID, text string) string {
	return "[EVO DIRECTIVE id=" + eventID + "]\n" + text + "\n" +
		"[END EVO DIRECTIVE — run `evo ack " + eventID + "` to confirm you have received this message, then proceed]"
}

// IsEventID reports whether s is the id of a directive: 32 hexadecimal digits.
// Ids name files, so nothing else is one.
func IsEventID(s string) bool {
	return len(s) == 32 && strings.Trim(strings.ToLower(s), "0123456789abcdef") == ""
}

// EventID makes an id of a time in milliseconds since 1970 and 80 random bits:
// later ones sort after earlier ones.
func EventID(ms int64, random [10]byte) string {
	return fmt.Sprintf("%012X%X", uint64(ms)&(1<<48-1), random)
}

// QueuedLine says that a directive to all was queued: how many sessions it goes
// to, and how many were passed over because they do not take part or work on one
// experiment.
func QueuedLine(id string, fanout, unengaged, subagents int) string {
	return fmt.Sprintf("directive queued (id=%s, fanout=%d sessions, skipped_unengaged=%d, skipped_subagent=%d)", id, fanout, unengaged, subagents)
}

// QueuedForLine says that a directive to one experiment was queued.
func QueuedForLine(exp, id string, woken int) string {
	return fmt.Sprintf("directive queued (exp=%s, id=%s, woken=%d)", exp, id, woken)
}

// AckLine says that a directive was acknowledged, for the count-th time.
func AckLine(id string, count int) string {
	if count > 1 {
		return fmt.Sprintf("ack recorded (id=%s, ack_count=%d)", id, count)
	}
	return "ack recorded (id=" + id + ")"
}
