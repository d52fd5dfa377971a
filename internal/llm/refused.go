package llm

import "net/http"

// Refused is the error for a response of a status other than 2xx, for gateways,
// which pass responses on whatever they are.
func (l *Link) Refused(status int, h http.Header, body []byte) *Error {
	return l.refusal(status, h, body)
}
