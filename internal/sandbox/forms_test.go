package sandbox_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/cladehq/clade/internal/sandbox"
)

func TestForms(t *testing.T) {
	t.Parallel()
	const body = "MIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB"
	const pem = "-----BEGIN PRIVATE KEY-----\n" + body + "\nAQ==\n-----END PRIVATE KEY-----\n"
	account, err := json.Marshal(map[string]any{"type": "service_account", "token_uri": "https://example.com/token1", "private_key": pem,
		"more": []any{"p4ssw0rd-of-the-account", 17}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		value     string
		have, not []string
	}{
		"short":   {"1234567", nil, []string{"1234567"}},
		"plain":   {"sk-0123456789abcdef", []string{"sk-0123456789abcdef"}, nil},
		"eight":   {"12345678", []string{"12345678"}, nil},
		"quotes":  {`a"b\c-and-some-more`, []string{`a\"b\\c-and-some-more`}, nil},
		"html":    {`a<b>&c-and-some-more`, []string{`a<b>&c-and-some-more`, `a\u003cb\u003e\u0026c-and-some-more`}, nil},
		"lines":   {pem, []string{"MIIEvQIBADANBgkqhkiG9w0B", "AQEFAASCBKcwggSjAgEAAoIB"}, []string{"AQ==", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", ""}},
		"as JSON": {pem, []string{`-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\nAQ==\n-----END PRIVATE KEY-----`}, nil},
		"account": {string(account), []string{"MIIEvQIBADANBgkqhkiG9w0B", "p4ssw0rd-of-the-account"}, []string{"service_account", "https://example.com/token1"}},
	} {
		got := sandbox.Forms(c.value)
		for _, f := range c.have {
			if !slices.Contains(got, f) {
				t.Errorf("%s: %q is missing in %q", name, f, got)
			}
		}
		for _, f := range c.not {
			if slices.Contains(got, f) {
				t.Errorf("%s: %q is no secret", name, f)
			}
		}
		if !slices.IsSortedFunc(got, func(a, b string) int { return len(b) - len(a) }) {
			t.Errorf("%s: a part comes before the whole: %q", name, got)
		}
	}
}
