package agent

import "strings"

// Names of the known CLIs.
const (
	Claude   = "claude"
	Codex    = "codex"
	OpenCode = "opencode"
	Gemini   = "gemini"
	DSH      = "dsh"
	Custom   = "custom" // any argument list
)

// Names lists them, as they are shown.
var Names = []string{Claude, Codex, OpenCode, Gemini, DSH, Custom}

// aliases are further words by which people and other tools call them.
var aliases = map[string]string{
	"claudecode": Claude, "anthropic": Claude, "cc": Claude,
	"openaicodex": Codex, "codexcli": Codex,
	"opencodeai": OpenCode, "sst": OpenCode,
	"geminicli": Gemini, "googlegemini": Gemini,
	"deepseek": DSH, "deepseekharness": DSH, "deepcode": DSH,
}

// Canonical finds a CLI by a name or alias, whatever its case and with hyphens,
// underscores, blanks and points left out: claude-code, claude_code and Claude
// Code are claude.
func Canonical(name string) (string, bool) {
	plain := strings.NewReplacer("-", "", "_", "", " ", "", ".", "").Replace(strings.ToLower(name))
	for _, n := range Names {
		if plain == n {
			return n, true
		}
	}
	n, ok := aliases[plain]
	return n, ok
}
