// Package modeltest is a scripted language-model server for tests. It answers
// the four wire protocols that coding-agent CLIs speak (OpenAI chat
// completions, OpenAI Responses, Anthropic Messages and Gemini
// generateContent) from one script, so the same scenario can drive any CLI.
//
// It is stateless where it can be: which step of the script answers a request
// is worked out from the conversation the client sends, so retries, resumed
// sessions and parallel workers need no bookkeeping. Only fault counters
// ("fail twice, then answer") are kept on the server.
package modeltest

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"time"
)

// Script says how the server answers. The first rule whose Match fits the
// user's prompt supplies the steps; without one, Default does.
type Script struct {
	Rules   []Rule `json:"rules,omitempty"`
	Default []Step `json:"default,omitempty"`
	// Usage is what each answer reports; a step can override it.
	Usage Usage `json:"usage,omitempty"`
	// Toolless has the script answer requests that offer no tools too, as a
	// client that only wants text makes them. Otherwise those are taken for a
	// host's own business and get a stock answer.
	Toolless bool `json:"toolless,omitempty"`
}

// Rule ties a regular expression over the prompt to the steps that answer it.
type Rule struct {
	Name  string `json:"name,omitempty"`
	Match string `json:"match"`
	Steps []Step `json:"steps"`
	Loop  bool   `json:"loop,omitempty"` // past the end, repeat the last step instead of ending the turn

	re *regexp.Regexp
}

// Step is one model reply. A step with tool calls expects the client to run
// them and come back, which then gets the following step. The last step should
// be plain text, which ends the client's turn.
//
// Write, Edit, Bash and MCP are intents: the server turns each into a call of
// whichever tool the client offered for it. Calls are sent as they stand.
type Step struct {
	Text  string     `json:"text,omitempty"`
	Write *WriteFile `json:"write,omitempty"`
	Edit  *EditFile  `json:"edit,omitempty"`
	Bash  string     `json:"bash,omitempty"`
	MCP   *MCPCall   `json:"mcp,omitempty"`
	Calls []RawCall  `json:"calls,omitempty"`

	Usage *Usage   `json:"usage,omitempty"`
	Delay Duration `json:"delay,omitempty"` // wait this long, then answer
	Fail  *Fail    `json:"fail,omitempty"`  // answer with an HTTP error instead
	Hang  Duration `json:"hang,omitempty"`  // send nothing for this long, then close
	Stall Duration `json:"stall,omitempty"` // open the stream, then send nothing for this long, then close
	Cut   bool     `json:"cut,omitempty"`   // open the stream, then close the connection
	// After is how many events of the stream Stall and Cut let through; 0: one.
	After int `json:"after,omitempty"`

	// Finish is how the answer ends; "": as it should. It, Silent and Empty are
	// not for the Responses protocol.
	Finish Finish `json:"finish,omitempty"`
	Silent bool   `json:"silent,omitempty"` // do not say what was used
	Empty  bool   `json:"empty,omitempty"`  // no choices, no content, no candidates
	Raw    *Raw   `json:"raw,omitempty"`    // these bytes instead of an answer
}

// Finish is how an answer ends.
type Finish string

const (
	FinishLength Finish = "length"  // the token limit
	FinishRefuse Finish = "refused" // the model would not answer
)

// Raw is a reply of status 200 that follows no protocol.
type Raw struct {
	ContentType string `json:"content_type,omitempty"` // "": none
	Text        string `json:"text,omitempty"`
	Bytes       []byte `json:"bytes,omitempty"` // instead of Text, where it is no text; base64 in JSON
}

// WriteFile asks for a file with this content. A relative path is taken from
// the client's working directory.
type WriteFile struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// EditFile asks for one replacement in a file.
type EditFile struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// MCPCall asks for a tool of an MCP server the client has connected.
type MCPCall struct {
	Server string         `json:"server"`
	Tool   string         `json:"tool"`
	Args   map[string]any `json:"args,omitempty"`
}

// RawCall is a tool call by the client's own tool name. Input is used instead
// of Args for a tool that takes free text rather than JSON.
type RawCall struct {
	Name      string         `json:"name"`
	Namespace string         `json:"namespace,omitempty"`
	Args      map[string]any `json:"args,omitempty"`
	Input     string         `json:"input,omitempty"`
}

// Fail is an HTTP error. After Times failures at the same step the step is
// answered normally; zero means it always fails.
type Fail struct {
	Status     int    `json:"status"`
	Times      int    `json:"times,omitempty"`
	RetryAfter string `json:"retry_after,omitempty"`
	Message    string `json:"message,omitempty"`
}

// Usage is the token count an answer reports.
type Usage struct {
	Input   int `json:"input"`             // cached and written ones included
	Cached  int `json:"cached,omitempty"`  // read from a cache
	Written int `json:"written,omitempty"` // written to a cache; Gemini knows no such thing
	Output  int `json:"output"`
}

// Duration is a time.Duration written as "1.5s" in JSON.
type Duration time.Duration

func (d *Duration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	v, err := time.ParseDuration(s)
	*d = Duration(v)
	return err
}

func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Duration(d).String())
}

// Load reads a script from a JSON file.
func Load(path string) (*Script, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s Script
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &s, s.compile()
}

func (s *Script) compile() error {
	for i := range s.Rules {
		r := &s.Rules[i]
		re, err := regexp.Compile(r.Match)
		if err != nil {
			return fmt.Errorf("rule %d: %w", i, err)
		}
		r.re = re
		if r.Name == "" {
			r.Name = fmt.Sprintf("rule%d", i)
		}
	}
	if s.Usage == (Usage{}) {
		s.Usage = Usage{Input: 1000, Output: 50}
	}
	return nil
}

// pick returns the step for a prompt after the given number of tool rounds,
// and a label for it. Past the end the answer is a plain "Done.".
func (s *Script) pick(prompt string, round int) (Step, string) {
	steps, name, loop := s.Default, "default", false
	for _, r := range s.Rules {
		if r.re.MatchString(prompt) {
			steps, name, loop = r.Steps, r.Name, r.Loop
			break
		}
	}
	label := fmt.Sprintf("%s/%d", name, round)
	if loop && len(steps) > 0 {
		round = min(round, len(steps)-1)
	}
	if round >= len(steps) {
		return Step{Text: "Done."}, label
	}
	return steps[round], label
}

// DefaultScript writes hello.txt and then says so. With a server running it,
// every supported CLI finishes a headless run with one file changed.
func DefaultScript() *Script {
	return &Script{
		Default: []Step{
			{Text: "Writing the file.", Write: &WriteFile{Path: "hello.txt", Content: "hello from fakemodel\n"}},
			{Text: "Done: hello.txt written."},
		},
		Usage: Usage{Input: 1000, Cached: 200, Output: 50},
	}
}
