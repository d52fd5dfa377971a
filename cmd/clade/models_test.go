package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cladehq/clade/internal/llm/modeltest"
)

// TestModels runs the scripts of testdata/models over the real program and a
// scripted model. They work as those of TestScripts do; further commands are
//
//	serve FILE           answer at $MODEL_URL as FILE says, a modeltest.Script, from now on
//	asked N              the model was asked N times since serve
//	lacks TEXT DIR       no file below DIR holds TEXT, which is not empty
//
// and asker is an agent that asks its model once and puts the answer into n.txt.
func TestModels(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:       filepath.Join("testdata", "models"),
		Condition: condition,
		Setup: func(env *testscript.Env) error {
			s := &scripted{}
			srv := httptest.NewServer(s)
			env.Defer(func() { srv.CloseClientConnections(); srv.Close() })
			env.Values[scriptedKey{}] = s
			env.Setenv("MODEL_URL", srv.URL+"/v1")
			env.Setenv("MODEL_KEY", planted)
			return setup(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"fixture": fixture, "exits": exits, "serve": serve, "asked": asked, "lacks": lacks,
		},
	})
}

type scriptedKey struct{}

// scripted is the model of one script.
type scripted struct{ now *modeltest.Server }

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.now.ServeHTTP(w, r) }

func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serve FILE")
	}
	script, err := modeltest.Load(ts.MkAbs(args[0]))
	ts.Check(err)
	srv, err := modeltest.New(script, nil)
	ts.Check(err)
	ts.Value(scriptedKey{}).(*scripted).now = srv
}

func asked(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: asked N")
	}
	if got := fmt.Sprint(len(ts.Value(scriptedKey{}).(*scripted).now.Log())); got != args[0] {
		ts.Fatalf("asked %s times", got)
	}
}

func lacks(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 || args[0] == "" {
		ts.Fatalf("usage: lacks TEXT DIR")
	}
	ts.Check(filepath.WalkDir(ts.MkAbs(args[1]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(args[0])) {
			ts.Fatalf("%s holds it", path)
		}
		return err
	}))
}

// asker is a coding agent in small.
func asker() {
	text, err := ask()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if strings.HasPrefix(text, "x ") {
		if err := os.WriteFile("n.txt", []byte(text+"\n"), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	said, _ := json.Marshal(map[string]string{"text": text}) // a string is always JSON
	fmt.Println(string(said))
}

func ask() (string, error) {
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(map[string]any{"model": os.Getenv("CLADE_MODEL"), "messages": []map[string]string{{"role": "user", "content": string(prompt)}}})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequest(http.MethodPost, os.Getenv("OPENAI_BASE_URL")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	var reply struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.Unmarshal(got, &reply); resp.StatusCode != http.StatusOK || err != nil || len(reply.Choices) == 0 {
		return "", fmt.Errorf("%s: %s", resp.Status, got)
	}
	return reply.Choices[0].Message.Content, nil
}
