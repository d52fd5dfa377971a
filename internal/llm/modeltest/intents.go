package modeltest

import (
	"fmt"
	"path/filepath"
	"strings"
)

// call is a tool call ready to be sent.
type call struct {
	ID        string
	Name      string
	Namespace string
	Args      map[string]any
	Input     string // set instead of Args for a freeform tool
	Freeform  bool
}

// calls turns the intents of a step into calls of tools the client offered.
func (c *Conversation) calls(s Step) ([]call, error) {
	var out []call
	add := func(cl *call, what string) error {
		if cl == nil {
			return fmt.Errorf("the client offers no tool for %s (it offers %s)", what, strings.Join(c.toolNames(), ", "))
		}
		out = append(out, *cl)
		return nil
	}
	if s.Write != nil {
		if err := add(c.write(*s.Write), "write"); err != nil {
			return nil, err
		}
	}
	if s.Edit != nil {
		if err := add(c.edit(*s.Edit), "edit"); err != nil {
			return nil, err
		}
	}
	if s.Bash != "" {
		if err := add(c.bash(s.Bash), "bash"); err != nil {
			return nil, err
		}
	}
	if s.MCP != nil {
		if err := add(c.mcp(*s.MCP), "mcp "+s.MCP.Server+"/"+s.MCP.Tool); err != nil {
			return nil, err
		}
	}
	for _, r := range s.Calls {
		out = append(out, call{Name: r.Name, Namespace: r.Namespace, Args: r.Args, Input: r.Input, Freeform: r.Input != ""})
	}
	return out, nil
}

func (c *Conversation) toolNames() []string {
	var names []string
	for _, t := range c.Tools {
		if t.Namespace != "" {
			names = append(names, t.Namespace+"/"+t.Name)
		} else {
			names = append(names, t.Name)
		}
	}
	return names
}

func (c *Conversation) tool(names ...string) *Tool {
	for _, n := range names {
		for i, t := range c.Tools {
			if (t.Namespace == "" || t.Namespace == codeNamespace) && t.Name == n {
				return &c.Tools[i]
			}
		}
	}
	return nil
}

// codeNamespace holds the one tool, exec, through which newer Codex models
// reach all the others: it runs JavaScript that calls them.
const codeNamespace = "functions"

// script wraps a call of an inner tool in JavaScript for Codex's exec tool, or
// returns nil when the client has no such tool.
func (c *Conversation) script(tool string, arg any) *call {
	t := c.tool("exec")
	if t == nil || !t.Freeform {
		return nil
	}
	js := fmt.Sprintf("text(await tools.%s(%s));\n", tool, jsonString(arg))
	return &call{Name: t.Name, Namespace: t.Namespace, Input: js, Freeform: true}
}

func (c *Conversation) write(w WriteFile) *call {
	add := "*** Begin Patch\n*** Add File: " + w.Path + "\n" + prefix("+", w.Content) + "*** End Patch\n"
	if js := c.script("apply_patch", add); js != nil {
		return js
	}
	// Claude Code, OpenCode, Gemini CLI and dsh have a tool that writes a file.
	if t := c.tool("Write", "write", "write_file", "str_replace_editor"); t != nil {
		return t.fill(map[string]any{
			"command": "create",
			"path":    c.abs(w.Path), "content": w.Content,
		})
	}
	// Codex edits through patches, or through the shell when it has no patch tool.
	if t := c.tool("apply_patch"); t != nil {
		return t.patch(add)
	}
	return c.bash(fmt.Sprintf("cat > %s <<'FAKEMODEL_EOF'\n%sFAKEMODEL_EOF\n", w.Path, ensureNL(w.Content)))
}

func (c *Conversation) edit(e EditFile) *call {
	update := "*** Begin Patch\n*** Update File: " + e.Path + "\n@@\n" + prefix("-", e.Old) + prefix("+", e.New) + "*** End Patch\n"
	if js := c.script("apply_patch", update); js != nil {
		return js
	}
	if t := c.tool("Edit", "edit", "replace", "edit_file", "str_replace_editor"); t != nil {
		return t.fill(map[string]any{
			"command": "str_replace",
			"path":    c.abs(e.Path), "old": e.Old, "new": e.New,
		})
	}
	if t := c.tool("apply_patch"); t != nil {
		return t.patch(update)
	}
	return nil
}

func (c *Conversation) bash(cmd string) *call {
	if js := c.script("exec_command", map[string]any{"cmd": cmd}); js != nil {
		return js
	}
	t := c.tool("Bash", "bash", "run_shell_command", "exec_command", "shell_command", "shell", "local_shell")
	if t == nil {
		return nil
	}
	return t.fill(map[string]any{"command": cmd})
}

// mcp finds the tool of an MCP server under whatever name the host gave it:
// mcp__srv__tool (Claude Code, dsh), tool in a namespace mcp__srv (Codex),
// srv_tool (OpenCode), mcp_srv_tool (Gemini CLI). A host that prefixes the
// server with a plugin's name is taken when nothing fits exactly.
func (c *Conversation) mcp(m MCPCall) *call {
	if js := c.script("mcp__"+m.Server+"__"+m.Tool, m.Args); js != nil {
		return js
	}
	plain := func(s string) string {
		s = strings.ReplaceAll(strings.TrimPrefix(s, "/"), "-", "_")
		return strings.Trim(strings.TrimPrefix(s, "mcp_"), "_/")
	}
	server := plain(m.Server)
	var close *call
	for _, t := range c.Tools {
		owner, ok := strings.CutSuffix(t.Namespace+"/"+t.Name, m.Tool)
		if !ok {
			continue
		}
		found := &call{Name: t.Name, Namespace: t.Namespace, Args: m.Args}
		if plain(owner) == server {
			return found
		}
		if strings.HasSuffix(plain(owner), "_"+server) {
			close = found
		}
	}
	if close != nil {
		return close
	}
	// A host may hold back the tools of MCP servers until its search tool has
	// been asked for them; it takes a call by name all the same.
	switch {
	case c.tool("tool_search") != nil: // Codex
		return &call{Name: m.Tool, Namespace: "mcp__" + m.Server, Args: m.Args}
	case c.tool("ToolSearch") != nil: // Claude Code
		return &call{Name: "mcp__" + m.Server + "__" + m.Tool, Args: m.Args}
	}
	return nil
}

// aliases lists, for each thing an intent carries, the argument names hosts use.
var aliases = map[string][]string{
	"path":    {"file_path", "filePath", "path", "absolute_path"},
	"content": {"content", "file_text", "contents"},
	"old":     {"old_string", "oldString", "old_str"},
	"new":     {"new_string", "newString", "new_str"},
	"command": {"command", "cmd"},
}

// fill makes a call whose arguments follow the tool's schema: each value goes
// under the name the tool uses for it, and other required arguments get a
// stand-in.
func (t *Tool) fill(values map[string]any) *call {
	args := map[string]any{}
	for key, v := range values {
		for _, name := range aliases[key] {
			p, ok := t.Schema.Properties[name]
			if !ok {
				continue
			}
			if p.Type == "array" { // an argv instead of a command line
				v = []string{"bash", "-lc", v.(string)}
			}
			args[name] = v
			break
		}
	}
	for _, name := range t.Schema.Required {
		if _, ok := args[name]; !ok {
			args[name] = standIn(t.Schema.Properties[name])
		}
	}
	return &call{Name: t.Name, Namespace: t.Namespace, Args: args}
}

func (t *Tool) patch(text string) *call {
	if t.Freeform {
		return &call{Name: t.Name, Input: text, Freeform: true}
	}
	for _, name := range []string{"input", "patch", "patchText"} {
		if _, ok := t.Schema.Properties[name]; ok {
			return t.fillOne(name, text)
		}
	}
	return nil
}

func (t *Tool) fillOne(name, v string) *call {
	return &call{Name: t.Name, Args: map[string]any{name: v}}
}

// standIn is a value that satisfies a schema.
func standIn(s Schema) any {
	if len(s.Enum) > 0 {
		return s.Enum[0]
	}
	typ := s.Type
	if list, ok := typ.([]any); ok && len(list) > 0 {
		typ = list[0]
	}
	switch strings.ToLower(fmt.Sprint(typ)) {
	case "boolean":
		return false
	case "integer", "number":
		return 1
	case "array":
		return []any{}
	case "object":
		m := map[string]any{}
		for _, name := range s.Required {
			m[name] = standIn(s.Properties[name])
		}
		return m
	default:
		return "scripted"
	}
}

func (c *Conversation) abs(p string) string {
	if dir := c.cwd(); dir != "" && !filepath.IsAbs(p) {
		return filepath.Join(dir, p)
	}
	return p
}

func prefix(mark, text string) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		b.WriteString(mark + line + "\n")
	}
	return b.String()
}

func ensureNL(s string) string {
	if strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}
