package agent

import "github.com/cladehq/clade"

// Names of the known CLIs.
const (
	Claude   = clade.HostClaude
	Codex    = clade.HostCodex
	OpenCode = clade.HostOpenCode
	Gemini   = clade.HostGemini
	DSH      = clade.HostDSH
	Custom   = clade.HostCustom // any argument list
)

// Names lists them, as they are shown.
func Names() []string { return clade.HostNames() }

// Canonical finds a CLI by a name or alias; see clade.HostOf.
func Canonical(name string) (string, bool) {
	h, ok := clade.HostOf(name)
	return h.Name, ok
}
