package clade_test

import (
	"slices"
	"testing"

	"github.com/cladehq/clade"
)

func TestHostOf(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"claude": "claude", "claude-code": "claude", "claude_code": "claude", "Claude Code": "claude", "cc": "claude",
		"codex": "codex", "Codex CLI": "codex", "open-code": "opencode", "gemini.cli": "gemini", "DeepSeek Harness": "dsh",
		"custom": "custom", "": "", "claud": "", "mutate": "",
	} {
		if h, ok := clade.HostOf(word); h.Name != want || ok != (want != "") {
			t.Errorf("HostOf(%q) = %q, %v", word, h.Name, ok)
		}
	}
	if got := clade.HostNames(); !slices.Equal(got, []string{"claude", "codex", "opencode", "gemini", "dsh", "custom"}) {
		t.Errorf("names are %q", got)
	}
}

// Every wire that a host speaks is a provider's, and every provider names where
// its key is.
func TestHostsAndProvidersFit(t *testing.T) {
	t.Parallel()
	for _, name := range clade.HostNames() {
		h, _ := clade.HostOf(name)
		if _, ok := clade.ProviderOf(h.Provider); !ok && h.Provider != "" {
			t.Errorf("%s speaks %q", name, h.Provider)
		}
		if (h.Program == "") != (name == clade.HostCustom) {
			t.Errorf("the program of %s is %q", name, h.Program)
		}
	}
	for _, name := range clade.ProviderNames() {
		if p, ok := clade.ProviderOf(name); !ok || p.BaseURLEnv == "" || p.KeyEnv == "" {
			t.Errorf("%s: %+v, %v", name, p, ok)
		}
	}
}
