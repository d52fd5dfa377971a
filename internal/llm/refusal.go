package llm

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// refusal is the error for a status other than 2xx.
func (l *Link) refusal(status int, h http.Header, body []byte) *Error {
	c := complaintOf(body)
	e := &Error{Kind: kindOf(status, c), Status: status, Calls: 1, RetryAfter: retryAfter(h)}
	// Services charge for replies, not for refusals. A proxy that gave up
	// waiting does not know what became of the request.
	e.Usage.Reported = status != http.StatusRequestTimeout && status != http.StatusGatewayTimeout && status != 524
	if e.RetryAfter == 0 {
		e.RetryAfter = c.retryAfter
	}
	if c.text == "" {
		c.text = http.StatusText(status)
	}
	if to := h.Get("Location"); status < 400 && to != "" {
		c.text = "the service is elsewhere: " + to
	}
	e.Text = l.text(c.text)
	return e
}

// Complaint is the error that a service wrote into a reply of status 200, as
// {"error": …}; nil if there is none.
func (l *Link) Complaint(reply []byte) *Error {
	c := complaintOf(reply)
	if !c.marked {
		return nil
	}
	e := &Error{Calls: 1, Text: l.text(c.text), RetryAfter: c.retryAfter}
	if status, err := strconv.Atoi(c.code); err == nil && status >= 400 && status < 600 {
		e.Kind, e.Status = kindOf(status, c), status
		return e
	}
	switch {
	case contains(c.kind, "rate_limit", "exhausted"):
		e.Kind = KindRate
	case contains(c.kind, "authentication", "permission", "not_found", "billing"):
		e.Kind = KindAccess
	case contains(c.kind, "invalid_request", "invalid_argument"):
		e.Kind = KindRequest
	default:
		e.Kind = KindServer
	}
	return e
}

// Outright reports whether a service certainly did not begin, if nothing of a
// reply came with the error: it refused the request for what it is.
func (e *Error) Outright() bool {
	return e.Status >= 400 && e.Status < 500 && e.Status != http.StatusRequestTimeout
}

// kindOf tells refusals apart.
func kindOf(status int, c complaint) Kind {
	switch {
	case c.unpaid() || status != http.StatusTooManyRequests && c.signedOut():
		return KindAccess
	case status == http.StatusTooManyRequests:
		return KindRate
	case status >= 500, status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly:
		return KindServer
	case status == http.StatusUnauthorized, status == http.StatusPaymentRequired, status == http.StatusForbidden,
		status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status == http.StatusProxyAuthRequired, status < 400:
		return KindAccess
	}
	return KindRequest
}

// A complaint is what services say in a body about a failure.
type complaint struct {
	marked     bool   // it is {"error": …}
	text       string // for people
	kind, code string // words for machines
	retryAfter time.Duration
}

// unpaid recognises an account without credit, which OpenAI reports as 429 and
// Anthropic as 400.
func (c complaint) unpaid() bool {
	return contains(c.code+" "+c.kind, "insufficient_quota", "billing") || contains(c.text, "credit balance is too low")
}

// signedOut recognises a key that Google refuses with 400.
func (c complaint) signedOut() bool {
	return contains(c.code+" "+c.text, "api_key_invalid", "api key not valid")
}

func contains(s string, any ...string) bool {
	s = strings.ToLower(s)
	for _, part := range any {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// complaintOf reads the forms that services use: {"error": {"message", "type",
// "code"}}, {"error": "…"}, {"message": …}, {"detail": …}, each also as the only
// element of a list, or plain text.
func complaintOf(body []byte) (c complaint) {
	var v any
	if json.Unmarshal(body, &v) != nil {
		if text := strings.TrimSpace(string(body)); !strings.HasPrefix(text, "<") {
			c.text = text
		}
		return c
	}
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	all, ok := v.(map[string]any)
	if !ok {
		c.text = written(v)
		return c
	}
	if inner, ok := all["error"]; ok && inner != nil {
		c.marked = true
		if all, ok = inner.(map[string]any); !ok {
			c.text = written(inner)
			return c
		}
	}
	c.read(all)
	return c
}

func (c *complaint) read(m map[string]any) {
	for _, name := range []string{"message", "detail", "type", "status"} {
		if c.text == "" && m[name] != nil {
			c.text = written(m[name])
		}
	}
	c.kind, c.code = strings.TrimSpace(written(m["type"])+" "+written(m["status"])), written(m["code"])
	details, _ := m["details"].([]any)
	for _, d := range details {
		d, _ := d.(map[string]any)
		if reason, ok := d["reason"].(string); ok {
			c.kind += " " + reason
			if reason == "API_KEY_INVALID" {
				c.code = reason
			}
		}
		if wait, ok := d["retryDelay"].(string); ok {
			if s, unit := strings.CutSuffix(wait, "s"); unit {
				c.retryAfter = seconds(s)
			}
		}
	}
}

// written is a JSON value as text; that of null is empty.
func written(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// waitMost bounds what a service may ask for; more is no sense.
const waitMost = 24 * time.Hour

// retryAfter reads how long a service asks to be left alone: in milliseconds,
// in seconds, or until a date, which is taken from the service's own clock. 0:
// it does not say.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return bounded(ms * float64(time.Millisecond))
	}
	said := strings.TrimSpace(h.Get("Retry-After"))
	if plain.MatchString(said) {
		return seconds(said)
	}
	until, err := http.ParseTime(said)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return bounded(float64(until.Sub(now)))
}

var plain = regexp.MustCompile(`^[0-9]+(\.[0-9]*)?$`)

func seconds(s string) time.Duration {
	f, _ := strconv.ParseFloat(s, 64) // 0 if it is no number, infinite if it is too large
	return bounded(f * float64(time.Second))
}

func bounded(ns float64) time.Duration {
	if !(ns > 0) { // NaN is not
		return 0
	}
	return time.Duration(min(ns, float64(waitMost)))
}
