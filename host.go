package clade

import "strings"

// Names of the known coding-agent CLIs.
const (
	HostClaude   = "claude"
	HostCodex    = "codex"
	HostOpenCode = "opencode"
	HostGemini   = "gemini"
	HostDSH      = "dsh"
	HostCustom   = "custom" // any argument list
)

// A Host is what is known of a coding-agent CLI without running it.
type Host struct {
	Name    string
	Program string // looked for on PATH; "" for HostCustom
	// Provider is the wire it speaks; "": any.
	Provider string
	// Priced says that it reports what a run cost in money, not only in tokens,
	// or can: a custom one says it in its last line.
	Priced bool
	// Turns says that it can be told how many rounds of tools to take at most.
	Turns   bool
	aliases []string // further words for it, in their plain form
}

// hosts are the known CLIs, as they are listed to people.
var hosts = []Host{
	{HostClaude, "claude", ProviderAnthropic, true, true, []string{"claudecode", "anthropic", "cc"}},
	{HostCodex, "codex", ProviderOpenAI, false, false, []string{"openaicodex", "codexcli"}},
	{HostOpenCode, "opencode", "", true, false, []string{"opencodeai", "sst"}},
	{HostGemini, "gemini", ProviderGoogle, false, true, []string{"geminicli", "googlegemini"}},
	{HostDSH, "dsh", ProviderOpenAI, false, false, []string{"deepseek", "deepseekharness", "deepcode"}},
	{HostCustom, "", "", true, false, nil},
}

// HostNames lists the canonical names, as they are shown.
func HostNames() []string {
	names := make([]string, len(hosts))
	for i, h := range hosts {
		names[i] = h.Name
	}
	return names
}

// HostOf finds a CLI by its name or an alias, whatever the case and with
// hyphens, underscores, blanks and points left out: claude-code, claude_code
// and Claude Code are claude.
func HostOf(name string) (Host, bool) {
	plain := strings.NewReplacer("-", "", "_", "", " ", "", ".", "").Replace(strings.ToLower(name))
	for _, h := range hosts {
		if plain == h.Name {
			return h, true
		}
		for _, a := range h.aliases {
			if plain == a {
				return h, true
			}
		}
	}
	return Host{}, false
}

// A Provider is how a service of models is reached unless a Model says otherwise.
type Provider struct {
	Name string
	// BaseURLEnv and KeyEnv name the variables of the user's environment that
	// hold its address, where it is not the provider's own, and its key.
	BaseURLEnv, KeyEnv string
}

var providers = []Provider{
	{ProviderOpenAI, "OPENAI_BASE_URL", "OPENAI_API_KEY"},
	{ProviderAnthropic, "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"},
	{ProviderGoogle, "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY"},
}

// ProviderNames lists the known providers, as they are shown.
func ProviderNames() []string {
	names := make([]string, len(providers))
	for i, p := range providers {
		names[i] = p.Name
	}
	return names
}

// ProviderOf finds a provider by its name.
func ProviderOf(name string) (Provider, bool) {
	for _, p := range providers {
		if p.Name == name {
			return p, true
		}
	}
	return Provider{}, false
}
