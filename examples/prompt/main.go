// Command prompt is both sides of the example. "prompt ask" asks a model, with
// prompt.txt as its system prompt, what is on standard input. "prompt COMMAND
// ARG…" runs a command that finds this program on PATH and, unless OPENAI_API_KEY
// is set, a small model of its own at OPENAI_BASE_URL: the example needs no service.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	err := errors.New("usage: prompt ask | prompt COMMAND ARG…")
	switch {
	case len(os.Args) == 2 && os.Args[1] == "ask":
		err = ask(os.Stdin, os.Stdout)
	case len(os.Args) > 1:
		err = with(os.Args[1:])
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		os.Exit(exit.ExitCode())
	case err != nil:
		fmt.Fprintln(os.Stderr, "prompt:", err)
		os.Exit(1)
	}
}

// with runs a command beside the model.
func with(args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	env := append(os.Environ(), "PATH="+filepath.Dir(self)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if os.Getenv("OPENAI_API_KEY") == "" {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		go func() { _ = http.Serve(ln, http.HandlerFunc(serve)) }()
		env = append(env, "OPENAI_BASE_URL=http://"+ln.Addr().String()+"/v1", "OPENAI_API_KEY=none-is-needed")
	}
	c := exec.Command(args[0], args[1:]...)
	c.Stdin, c.Stdout, c.Stderr, c.Env = os.Stdin, os.Stdout, os.Stderr, env
	return c.Run()
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// ask prints the model's answer to a question.
func ask(question io.Reader, answer io.Writer) error {
	prompt, err := os.ReadFile("prompt.txt")
	if err != nil {
		return err
	}
	text, err := io.ReadAll(question)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"model": os.Getenv("CLADE_MODEL"), "messages": []message{
		{"system", string(prompt)}, {"user", string(text)},
	}})
	if err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodPost, os.Getenv("OPENAI_BASE_URL")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var reply struct {
		Choices []struct{ Message message } `json:"choices"`
	}
	if err := json.Unmarshal(got, &reply); err != nil || len(reply.Choices) == 0 {
		return fmt.Errorf("%s: %s", resp.Status, got)
	}
	_, err = fmt.Fprintln(answer, strings.TrimSpace(reply.Choices[0].Message.Content))
	return err
}
