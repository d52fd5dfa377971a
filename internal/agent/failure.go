package agent

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// OfStatus is the end of a run whose model answered with an HTTP status; "" for
// one that means nothing in particular.
func OfStatus(status int) End {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusPaymentRequired,
		status == http.StatusForbidden, status == http.StatusNotFound:
		return EndSignedOut
	case status == http.StatusTooManyRequests:
		return EndRate
	case status == http.StatusRequestTimeout, status >= 500 && status < 600:
		return EndService
	}
	return ""
}

// statusIn finds an HTTP status in a message.
var statusIn = regexp.MustCompile(`(?i)(?:status|code|error|http|rejected)[^0-9\n]{0,12}\b([45][0-9]{2})\b`)

// phrases are what messages of CLIs and services have in common, all in lower
// case. Those that say more come first.
var phrases = []struct {
	end   End
	words []string
}{
	{EndSignedOut, []string{"not logged in", "please log in", "/login", "unauthorized", "unauthenticated", "authentication",
		"failed to authenticate", "invalid api key", "api key not valid", "incorrect api key", "missing api key", "invalid_credential",
		"missing_credential", "invalid auth", "permission_denied", "oauth token", "credit balance", "insufficient balance", "missing environment variable"}},
	{EndRate, []string{"too many requests", "rate limit", "rate_limit", "ratelimit", "usage limit", "quota", "resource_exhausted"}},
	{EndLimit, []string{"maximum number of turns", "maximum budget", "max session turns", "context window", "context length", "prompt is too long", "max-tokens"}},
	{EndService, []string{"overloaded", "internal server error", "bad gateway", "service unavailable", "high demand", "stream disconnected",
		"stream closed", "connection", "econnre", "enotfound", "network error", "fetch failed", "socket", "timed out", "timeout",
		"api error: terminated", "unable to connect", "error sending request", "server error"}},
	{EndRefused, []string{"content_filter", "content filter", "content-filter", "usage policy", "usage policies", "prohibited_content",
		"blocked by safety", "flagged as potentially"}},
}

// OfText is the end that an error message of a CLI means, "" if it says nothing
// that is known. It is no use on what a model said.
func OfText(message string) End {
	if m := statusIn.FindStringSubmatch(message); m != nil {
		status, _ := strconv.Atoi(m[1])
		if end := OfStatus(status); end != "" {
			return end
		}
	}
	message = strings.ToLower(message)
	for _, p := range phrases {
		for _, words := range p.words {
			if strings.Contains(message, words) {
				return p.end
			}
		}
	}
	return ""
}
