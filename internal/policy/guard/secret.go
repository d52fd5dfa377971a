package guard

import (
	"math"
	"regexp"
	"strings"
	"sync"
)

// keys are the shapes of well-known keys.
var keys = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`sk-(ant-|proj-|or-)?[A-Za-z0-9_-]{20,}`,
		`\b(ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{36,}`,
		`\bgithub_pat_[A-Za-z0-9_]{40,}`,
		`\bglpat-[A-Za-z0-9_-]{20,}`,
		`\b(AKIA|ASIA)[0-9A-Z]{16}\b`,
		`\bAIza[0-9A-Za-z_-]{35}`,
		`\bya29\.[0-9A-Za-z_-]{20,}`,
		`\bxox[abeoprs]-[0-9A-Za-z-]{10,}`,
		`\bhf_[A-Za-z0-9]{30,}`,
		`\bnpm_[A-Za-z0-9]{36}`,
		`\bpypi-[A-Za-z0-9_-]{40,}`,
		`\b(sk|rk)_live_[A-Za-z0-9]{20,}`,
		`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`,
		`-----BEGIN [A-Z ]*PRIVATE KEY-----`,
	}, "|"))
})

// assigned is a value that is called a secret.
var assigned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(api[_-]?key|secret|token|passw(or)?d|credential|auth)\w*["']?\s*[:=]+\s*["']([A-Za-z0-9+/=_.-]{20,})["']`)
})

// entropyLeast is the least Shannon entropy of a value that is taken for random,
// bits per byte: words of a language have about 4 at most in so short a text, and
// names with few different letters less.
const entropyLeast = 3.5

// Secrets finds keys in the lines an edit adds: known values, wherever they are,
// well-known shapes, and random-looking values that are called a secret. Texts
// never hold the value.
func Secrets(e Edit, known []string) (out []Finding) {
	for _, v := range known {
		if len(v) >= 8 && strings.Contains(e.Path, v) {
			out = append(out, Finding{Rule: "secret", Text: "a file is called by the value of a variable that clade was given"})
		}
		if len(v) >= 8 && strings.Contains(string(e.New), v) && !strings.Contains(string(e.Old), v) {
			out = append(out, Finding{Rule: "secret", Path: e.Path, Text: "it holds the value of a variable that clade was given"})
		}
	}
	for _, l := range added(e) {
		if what := named(l.text); what != "" {
			out = append(out, Finding{"secret", e.Path, l.n, what})
		}
		if len(out) >= most {
			break
		}
	}
	return out
}

func named(text string) string {
	if found := keys().FindString(text); found != "" {
		return "it looks like a key (" + found[:4] + "…)"
	}
	if m := assigned().FindStringSubmatch(text); m != nil && entropy(m[3]) >= entropyLeast && strings.ContainsAny(m[3], "0123456789") {
		return "a random-looking value is called " + strings.ToLower(m[1])
	}
	return ""
}

// entropy is Shannon's, of bytes, in bits.
func entropy(s string) (h float64) {
	var n [256]int
	for i := range len(s) {
		n[s[i]]++
	}
	for _, c := range n {
		if c > 0 {
			p := float64(c) / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}
