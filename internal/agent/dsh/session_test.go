package dsh

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cladehq/clade/internal/agent/agenttest"
)

const (
	head    = `{"type":"session","delegationDepth":0}` + "\n"
	helper  = `{"type":"session","delegationDepth":1}` + "\n"
	used    = `{"type":"assistant/chunk","data":{"chunk":{"type":"usage","usage":{"inputTokens":70,"outputTokens":20,"cacheReadTokens":10}}}}` + "\n"
	ended   = `{"type":"turn/end","data":{"reason":{"kind":"completed"}}}` + "\n"
	aborted = `{"type":"turn/end","data":{"reason":{"kind":"aborted"}}}` + "\n"
)

// log puts a session's log below config.
func log(t *testing.T, config, name string, packed []byte) {
	t.Helper()
	dir := filepath.Join(config, "sessions", "--clade-work--", name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "session.jsonl.zstd"), packed, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLogged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		logs []string
		want usage
	}{
		"none":           {nil, usage{}},
		"one":            {[]string{head + used + used + ended}, usage{tokens: 200, calls: 2, reason: reason{Kind: "completed"}}},
		"a helper's too": {[]string{head + used + ended, helper + used + aborted}, usage{tokens: 200, calls: 2, reason: reason{Kind: "completed"}}},
		"not ended":      {[]string{head + used}, usage{tokens: 100, calls: 1}},
		"noise":          {[]string{"\xff{\n" + head + "[]\n" + used + "{"}, usage{tokens: 100, calls: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := t.TempDir()
			for i, text := range c.logs {
				log(t, config, fmt.Sprint("session-", i), agenttest.Pack(t, []byte(text)))
			}
			if got := logged(config); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// A run that was killed leaves half a frame: what is before it counts.
func TestLoggedHalfAFrame(t *testing.T) {
	t.Parallel()
	config := t.TempDir()
	packed := append(agenttest.Pack(t, []byte(head+used)), agenttest.Pack(t, []byte(used+ended))[:20]...)
	log(t, config, "session-1", packed)
	if got := logged(config); got.tokens != 100 {
		t.Errorf("%+v", got)
	}
}

// What runs beside dsh may have made the folder of sessions: links are not
// followed, and neither pipes nor bombs are waited for.
func TestLoggedTrustsNothing(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	log(t, outside, "session-1", agenttest.Pack(t, []byte(head+used+ended)))
	real := filepath.Join(outside, "sessions")
	for name, arrange := range map[string]func(t *testing.T, config string){
		"the folder is a link": func(t *testing.T, config string) {
			link(t, real, filepath.Join(config, "sessions"))
		},
		"a session is a link": func(t *testing.T, config string) {
			dir := filepath.Join(config, "sessions", "x")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			link(t, filepath.Join(real, "--clade-work--", "session-1"), filepath.Join(dir, "session-1"))
		},
		"a log is a link": func(t *testing.T, config string) {
			dir := filepath.Join(config, "sessions", "x", "session-1")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			link(t, filepath.Join(real, "--clade-work--", "session-1", "session.jsonl.zstd"), filepath.Join(dir, "session.jsonl.zstd"))
		},
		"a link inside the folder": func(t *testing.T, config string) {
			if err := os.WriteFile(filepath.Join(config, "kept"), agenttest.Pack(t, []byte(head+used)), 0o600); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(config, "sessions", "x", "session-1")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			link(t, "../../../kept", filepath.Join(dir, "session.jsonl.zstd"))
		},
		"a line without an end": func(t *testing.T, config string) {
			log(t, config, "session-1", agenttest.Pack(t, bytes.Repeat([]byte("x"), lineMost+1)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := t.TempDir()
			arrange(t, config)
			if got := logged(config); got != (usage{}) {
				t.Errorf("read %+v", got)
			}
		})
	}
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Skip(err)
	}
}

// A prompt too long for an argument is a file.
func TestLongPrompt(t *testing.T) {
	t.Parallel()
	task := agenttest.Task(Driver{})
	task.Prompt = strings.Repeat("x", promptMost+1)
	inv, err := Driver{}.Invoke(task)
	if err != nil || inv.Files[promptFile] != task.Prompt || !strings.Contains(inv.Args[len(inv.Args)-1], agenttest.Config+"/prompt.md") {
		t.Errorf("%q, %v", inv.Args, err)
	}
}

func FuzzLog(f *testing.F) {
	f.Add(agenttest.Pack(f, []byte(head+used+ended)))
	f.Add([]byte("\x28\xb5\x2f\xfd"))
	f.Fuzz(func(t *testing.T, packed []byte) {
		var u usage
		u.read(bytes.NewReader(packed))
		if u.tokens < 0 || u.calls < 0 {
			t.Errorf("%+v", u)
		}
	})
}
