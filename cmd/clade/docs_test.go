package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocs runs the commands of each page: its blocks marked "sh run", one after
// the other, in a folder of their own that holds a copy of the examples.
func TestDocs(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, page := range append(pages, filepath.Join("..", "..", "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		script := commands(string(text))
		if script == "" {
			continue
		}
		ran++
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			runPage(t, script)
		})
	}
	if ran < 5 {
		t.Errorf("only %d pages have commands that are run", ran)
	}
}

// commands are the page's blocks that begin with "```sh run".
func commands(page string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(page) {
		switch {
		case strings.TrimSpace(line) == "```sh run":
			inside = true
		case strings.HasPrefix(line, "```"):
			inside = false
		case inside:
			b.WriteString(line)
		}
	}
	return b.String()
}

func runPage(t *testing.T, script string) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "work", "examples"), os.DirFS(filepath.Join("..", "..", "examples"))); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "-ec", script)
	c.Dir = filepath.Join(dir, "work")
	c.Env = append(os.Environ(), "HOME="+dir, "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "XDG_STATE_HOME="+filepath.Join(dir, "state"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n--- of\n%s", err, out, script)
	}
}
