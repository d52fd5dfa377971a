//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// keySpec is a run in which everything that is given a key says it wherever it can.
const keySpec = `version: 1
objective: o
allow: [n.txt, NOTES.md, "d-*/**", link]
gates:
  - id: g
    pass_env: [THE_KEY, SEEN]
    run: |
      echo "gate says $THE_KEY"; echo "and $THE_KEY" >&2
      echo "$THE_KEY" > here; mkdir -p "$HOME/.config" && echo "$THE_KEY" > "$HOME/.config/token"; echo "$THE_KEY" > "$TMPDIR/token"
      grep -q bad n.txt && exit 1
      exit 0
measures:
  - {id: score, pass_env: [THE_KEY], run: "echo the key is $THE_KEY >&2; grep -q none n.txt && echo $THE_KEY; awk '{ print $2 }' n.txt", read: whole, goal: maximize}
operators:
  - use: command
    name: op
    pass_env: [THE_KEY, SEEN]
    run: |
      cat > "$SEEN/asked.$CLADE_ATTEMPT"
      echo "out $THE_KEY"; echo "err $THE_KEY" >&2
      case $CLADE_ATTEMPT in
      2) echo "x 2" > n.txt; printf '{"summary": "used %s", "feedback": "with %s", "notes": ["it is %s"]}' "$THE_KEY" "$THE_KEY" "$THE_KEY" > $CLADE_REPLY ;;
      3) echo "x bad" > n.txt ;;
      4) echo "x none" > n.txt ;;
      5) echo "$THE_KEY" > NOTES.md; echo "x 5" > n.txt ;;
      6) echo "failed with $THE_KEY" >&2; exit 3 ;;
      7) printf '{"summary": "%s", "nonsense": "%s"}' "$THE_KEY" "$THE_KEY" > $CLADE_REPLY; echo "x 7" > n.txt ;;
      8) mkdir -p "d-$THE_KEY"; echo 1 > "d-$THE_KEY/n" ;;
      9) ln -s "$THE_KEY" link ;;
      10) mkdir "e-$THE_KEY"; echo 1 > "e-$THE_KEY/n" ;;
      11) echo "x 9" > n.txt; echo "last line {\"summary\": \"$THE_KEY\"}" ;;
      *) exit 0 ;;
      esac
sandbox: {use: none}
search: {strategy: hillclimb}
slots: 1
budget: 11
`

// H14, C8, C15: a key that commands are given by name and say wherever they can is
// in no file that clade keeps, in no log, event, prompt of another candidate or
// output.
func TestH14AKeyIsKeptNowhere(t *testing.T) {
	t.Parallel()
	s := newSession(t, "sum")
	seen, cache, state := filepath.Join(s.dir, "seen"), filepath.Join(s.dir, "cache"), filepath.Join(s.dir, "state")
	for _, dir := range []string{seen, cache, state} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(s.target()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.target(), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"clade.yaml": keySpec, "n.txt": "x 1\n"} {
		if err := os.WriteFile(filepath.Join(s.target(), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	call := func(args ...string) []byte {
		c := s.command(args...)
		c.Env = append(c.Env, "THE_KEY="+planted, "SEEN="+seen, "XDG_CACHE_HOME="+cache, "XDG_STATE_HOME="+state)
		out, err := c.CombinedOutput()
		if code := exitCode(t, err); code != 0 && code != 5 {
			t.Fatalf("%s: exit code %d\n%s", args, code, out)
		}
		if i := bytes.Index(out, []byte(planted)); i >= 0 {
			t.Errorf("clade %s says it: …%s…", strings.Join(args, " "), around(out, i))
		}
		return out
	}
	call("plan")
	call("plan", "--json")
	call("run", "--plain")
	for _, verb := range [][]string{{"status"}, {"status", "--rows"}, {"status", "--all"}, {"tree"}, {"log"}, {"diff"}} {
		call(verb...)
		call(append(verb, "--json")...)
	}
	for _, id := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"} {
		if out := call("show", id); id == "2" && !bytes.Contains(out, []byte("used [")) {
			t.Errorf("the summary is not told:\n%s", out)
		}
		call("show", id, "--json")
	}
	var rows []struct{ Status, Category string }
	if err := json.Unmarshal(call("status", "--rows", "--json"), &rows); err != nil || len(rows) < 10 {
		t.Fatal(err, len(rows))
	}
	asked, err := filepath.Glob(filepath.Join(seen, "asked.*"))
	if err != nil || len(asked) < 9 {
		t.Fatalf("%d prompts were seen: %v", len(asked), err)
	}
	searchFor(t, planted, s.dir)
}

// searchFor looks for text in names, files and git objects below dir.
func searchFor(t *testing.T, text, dir string) {
	t.Helper()
	files, objects := 0, 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.Contains(strings.TrimPrefix(name, dir), text) {
			t.Errorf("a file is called %s", name)
		}
		if d.IsDir() && d.Name() == "objects" {
			c := exec.CommandContext(t.Context(), "git", "--git-dir", filepath.Dir(name), "cat-file", "--batch-all-objects", "--batch")
			c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
			out, err := c.Output()
			if err != nil {
				t.Errorf("objects of %s: %v", name, err)
			}
			objects += bytes.Count(out, []byte("\n"))
			if i := bytes.Index(out, []byte(text)); i >= 0 {
				t.Errorf("an object of %s holds it: …%s…", name, around(out, i))
			}
		}
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files++
		if i := bytes.Index(data, []byte(text)); i >= 0 {
			t.Errorf("%s holds it: …%s…", name, around(data, i))
		}
		return nil
	})
	if err != nil || files < 5 || objects < 10 {
		t.Errorf("only %d files and %d lines of objects were searched: %v", files, objects, err)
	}
}

func around(data []byte, i int) []byte { return data[max(0, i-60):min(len(data), i+80)] }
