//go:build peers && linux

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cladehq/clade"
)

// evolutionOfGo is an evolution of the Go example as people keep them, with two
// gates and two axes.
const evolutionOfGo = `# a larger table, in a small file
evolution_id: 1
slug: faster_count
created_at: 2026-05-08T14:30:00Z
updated_at: 2026-05-08T14:30:00Z
objective: Make Count faster for people who count long texts; it must still count right.
scope: {kind: worktree, include: [words.go], exclude: [words_test.go]}
budget: {max_variants: 1, parallel: 1}
gates:
  - {id: G1, description: it builds, cmd: go build ./...}
  - {id: G2, description: it counts right, cmd: go test ./...}
rubric:
  - id: R1
    description: how large its table is
    direction: maximize
    cmd: cat words.go
    extract: 'const buckets = ([0-9]+)'
  - {id: R2, description: bytes, direction: minimize, weight: 0.5, cmd: wc -c < words.go}
variants: []
`

// TestPeersEvolve has an agent make the variant of an evolution that lies there,
// and lands it.
func TestPeersEvolve(t *testing.T) {
	t.Parallel()
	eachPeer(t, func(t *testing.T, p peer) {
		if p.agent != clade.HostClaude && p.agent != clade.HostCodex {
			t.Skip("two agents show it")
		}
		s := newPeerSession(t, p, faster(p), cheap)
		dir := filepath.Join("t", ".agents", "evolutions")
		s.write(filepath.Join(dir, "1-faster_count", "evolution.yaml"), evolutionOfGo)
		s.write(filepath.Join(dir, ".clade.yaml"), `setup: go test -run XXX -bench XXX ./...
models:
  - {name: `+p.provider+"/"+p.model+`, provider: `+p.provider+`, model: `+p.model+`, base_url: "`+s.url+`", key_env: PLANTED_KEY}
sandbox: {read: ["`+filepath.Join(os.Getenv("CLADE_PEERS"), p.agent)+`"]}
`)
		out := s.clade(0, "evolution", "run", "1", "--agent", p.agent, "--model", p.provider+"/"+p.model, "--timeout", "2m", "--plain")
		if !strings.Contains(out, "winner v1: ") || !strings.Contains(out, "a larger table") {
			t.Errorf("no winner, or no summary:\n%s", out)
		}
		s.clade(0, "evolution", "apply", "1", "--yes")
		if got, err := os.ReadFile(filepath.Join(s.target(), "words.go")); err != nil || !bytes.Contains(got, []byte("const buckets = 1024 ")) {
			t.Errorf("%v: landed\n%s", err, got)
		}
		yaml, err := os.ReadFile(filepath.Join(s.target(), ".agents", "evolutions", "1-faster_count", "evolution.yaml"))
		if err != nil || !bytes.HasPrefix(yaml, []byte("# a larger table, in a small file\n")) || !bytes.Contains(yaml, []byte("files_changed:\n    - words.go\n")) {
			t.Errorf("%v:\n%s", err, yaml)
		}
		s.leaves()
	})
}
