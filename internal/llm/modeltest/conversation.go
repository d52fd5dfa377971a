package modeltest

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Conversation is a request reduced to what the script needs, the same for
// every protocol.
type Conversation struct {
	API    string
	Model  string
	Stream bool
	Tools  []Tool
	Turns  []Turn

	body []byte
}

// Tool is one tool the client offers.
type Tool struct {
	Name      string
	Namespace string // Codex groups the tools of an MCP server
	Freeform  bool   // takes text, not JSON arguments
	Schema    Schema
}

// Schema is the part of a JSON schema that matters for filling in arguments.
type Schema struct {
	Type       any               `json:"type"`
	Properties map[string]Schema `json:"properties"`
	Required   []string          `json:"required"`
	Enum       []any             `json:"enum"`
	Items      *Schema           `json:"items"`
}

// Turn is a run of messages from one side: "user", "assistant" or "tool"
// (results the client sends back).
type Turn struct {
	Role  string
	Text  string
	Calls int
}

func (c *Conversation) add(role, text string, calls int) {
	if role == "user" {
		text = stripInjected(text)
	}
	if text == "" && calls == 0 && role != "tool" {
		return
	}
	if n := len(c.Turns); n > 0 && c.Turns[n-1].Role == role {
		t := &c.Turns[n-1]
		t.Text = strings.TrimSpace(t.Text + "\n" + text)
		t.Calls += calls
		return
	}
	c.Turns = append(c.Turns, Turn{role, text, calls})
}

// Prompt returns the last thing the user asked and how many rounds of tool
// calls the assistant has made for it so far.
func (c *Conversation) Prompt() (prompt string, rounds int) {
	for i := len(c.Turns) - 1; i >= 0; i-- {
		switch t := c.Turns[i]; {
		case t.Role == "user":
			return t.Text, rounds
		case t.Role == "assistant" && t.Calls > 0:
			rounds++
		}
	}
	return "", rounds
}

// injected matches blocks that hosts put in user messages on their own account.
var injected = regexp.MustCompile(`(?s)<(system-reminder|environment_context|user_instructions|permissions instructions|skills_instructions|INSTRUCTIONS|session_context|system_reminder|available_skills)>.*?</(system-reminder|environment_context|user_instructions|permissions instructions|skills_instructions|INSTRUCTIONS|session_context|system_reminder|available_skills)>`)

func stripInjected(s string) string {
	return strings.TrimSpace(injected.ReplaceAllString(s, ""))
}

// cwd finds the working directory the host told the model about, or "".
func (c *Conversation) cwd() string {
	for _, re := range cwdPatterns {
		if m := re.FindSubmatch(c.body); m != nil {
			return string(m[1])
		}
	}
	return ""
}

// cwdPatterns capture an absolute path, less a full stop that ends its sentence.
var cwdPatterns = []*regexp.Regexp{
	regexp.MustCompile(`(?i)working directory(?: is)?:? ?(/[^\s"\\<]*[^\s"\\<.,;])`), // Claude Code, OpenCode, dsh
	regexp.MustCompile(`<cwd>(/[^<"\\]+)</cwd>`),                                     // Codex
	regexp.MustCompile(`Workspace Directories:\*\*\\n\s*- (/[^\s"\\]+)`),             // Gemini CLI
}

// flatten joins the content shapes of all protocols: a string, or a list of
// parts with a text field.
func flatten(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	json.Unmarshal(raw, &parts)
	var all []string
	for _, p := range parts {
		if p.Text != "" {
			all = append(all, p.Text)
		}
	}
	return strings.Join(all, "\n")
}
