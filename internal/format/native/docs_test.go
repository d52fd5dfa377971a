package native

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSnippetsOfDocs reads every block of the documentation that is marked as
// part of a spec, with the rest of a small spec around it.
func TestSnippetsOfDocs(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join("..", "..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(text), "\n```yaml spec\n")[1:] {
			seen++
			block, _, _ = strings.Cut(block, "\n```")
			for _, line := range []string{"version: 1", "objective: x", "benchmark: b"} {
				key, _, _ := strings.Cut(line, ":")
				if !strings.Contains("\n"+block, "\n"+key+":") {
					block = line + "\n" + block
				}
			}
			if _, warnings, err := New().Read(filepath.Base(page), []byte(block)); err != nil || len(warnings) > 0 {
				t.Errorf("%s: %v %v\n%s", filepath.Base(page), err, warnings, block)
			}
		}
	}
	if seen < 5 {
		t.Errorf("only %d blocks were read", seen)
	}
}
