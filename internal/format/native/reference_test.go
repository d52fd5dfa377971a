package native

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write docs/spec.md anew")

func TestReferenceIsCurrent(t *testing.T) {
	file := filepath.Join("..", "..", "..", "docs", "spec.md")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, Reference(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != string(Reference()) {
		t.Error("docs/spec.md is not what the schema says; run go generate ./internal/format/native")
	}
}
