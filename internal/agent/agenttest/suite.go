// Package agenttest is what every driver must pass, whatever its CLI prints.
package agenttest

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/sandbox"
)

// Key is a key that may occur nowhere but in the environment.
const Key = "sk-clade-0123456789abcdef"

// Config is where a command sees its configuration in tests.
const Config = "/clade/agent"

// Task is one that a driver of provider carries out.
func Task(d agent.Driver) agent.Task {
	provider := d.Provider()
	if provider == "" {
		provider = clade.ProviderOpenAI
	}
	return agent.Task{
		Prompt: "--help me\nto \"quote\" 'this' $HOME {env:HOME}", Model: `odd"model\1`, Config: Config, Dir: "/clade/work", Contained: true,
		Access: agent.Access{Provider: provider, BaseURL: "http://127.0.0.1:4711/s/x", Key: Key},
	}
}

// Run runs the suite. sessions says whether the CLI can go on with one.
func Run(t *testing.T, d agent.Driver, sessions bool) {
	for name, test := range map[string]func(*testing.T, agent.Driver){
		"named":                       named,
		"invoke is pure":              pure,
		"keys are in the environment": keys,
		"files are inside":            files,
		"no configuration of users":   isolated,
		"without access":              withoutAccess,
		"refuses":                     refuses,
		"reads nothing":               readsNothing,
		"missing":                     missing,
		"hung":                        hung,
		"killed":                      killed,
	} {
		t.Run(name, func(t *testing.T) { test(t, d) })
	}
	t.Run("resume", func(t *testing.T) { resume(t, d, sessions) })
}

func named(t *testing.T, d agent.Driver) {
	if h, ok := clade.HostOf(d.Name()); !ok || h.Name != d.Name() || h.Provider != d.Provider() || h.Program != "" && h.Program != d.Program() {
		t.Errorf("%s, %q, %q is not %+v", d.Name(), d.Provider(), d.Program(), h)
	}
}

func invoke(t *testing.T, d agent.Driver, task agent.Task) agent.Invocation {
	t.Helper()
	inv, err := d.Invoke(task)
	if err != nil {
		t.Fatal(err)
	}
	return inv
}

func pure(t *testing.T, d agent.Driver) {
	t.Setenv("HOME", t.TempDir())
	a := invoke(t, d, Task(d))
	t.Setenv("HOME", "/nowhere")
	b := invoke(t, d, Task(d))
	if !reflect.DeepEqual(a, b) {
		t.Errorf("twice the same task:\n%+v\n%+v", a, b)
	}
	if len(a.Args) == 0 || a.Args[0] != d.Program() {
		t.Errorf("arguments %q of %s", a.Args, d.Program())
	}
	if slices.ContainsFunc(a.Args, func(s string) bool { return strings.ContainsRune(s, 0) }) {
		t.Errorf("arguments %q", a.Args)
	}
}

func keys(t *testing.T, d agent.Driver) {
	inv := invoke(t, d, Task(d))
	if s := fmt.Sprint(inv.Args, inv.Stdin, inv.Files); strings.Contains(s, Key) {
		t.Errorf("the key is in %s", s)
	}
	if s := fmt.Sprint(inv.Env); !strings.Contains(s, Key) {
		t.Errorf("the key is not in %s", s)
	}
	if s := fmt.Sprint(inv.Env, inv.Files); !strings.Contains(s, "http://127.0.0.1:4711/s/x") {
		t.Errorf("the address is not in %s", s)
	}
}

func files(t *testing.T, d agent.Driver) {
	for _, task := range tasks(d) {
		for name := range invoke(t, d, task).Files {
			if !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name || strings.Contains(name, `\`) {
				t.Errorf("a file at %q", name)
			}
		}
	}
}

// tasks are variations of one.
func tasks(d agent.Driver) []agent.Task {
	one := Task(d)
	loose, capped, long := one, one, one
	loose.Contained = false
	capped.Most, capped.Turns = 1_500_000, 7
	long.Prompt = strings.Repeat("a long prompt\n", 20_000)
	return []agent.Task{one, loose, capped, long}
}

// isolated: every variable and argument that is a path is below Config, and
// nothing is so long that it cannot be executed.
func isolated(t *testing.T, d agent.Driver) {
	const longest = 128 << 10 // of one argument, on Linux
	for _, task := range tasks(d) {
		inv := invoke(t, d, task)
		for name, value := range inv.Env {
			if strings.HasPrefix(value, "/") && value != Config && !strings.HasPrefix(value, Config+"/") {
				t.Errorf("%s is %s", name, value)
			}
			if name == "HOME" || name == "PATH" || strings.ContainsAny(name, "=\x00") {
				t.Errorf("sets %q", name)
			}
		}
		for _, a := range inv.Args {
			if len(a) >= longest {
				t.Errorf("an argument of %d bytes", len(a))
			}
			if strings.HasPrefix(a, "/") || strings.HasPrefix(a, "~") {
				t.Errorf("names the path %s", a)
			}
		}
	}
}

func withoutAccess(t *testing.T, d agent.Driver) {
	task := Task(d)
	task.Access, task.Model = agent.Access{}, ""
	inv := invoke(t, d, task)
	for _, name := range d.Keys() {
		if v, ok := inv.Env[name]; ok {
			t.Errorf("sets %s to %q, which hides the user's", name, v)
		}
	}
	for _, a := range inv.Args {
		if strings.HasPrefix(a, "--model") {
			t.Errorf("chooses %s", a)
		}
	}
}

func refuses(t *testing.T, d agent.Driver) {
	for name, change := range map[string]func(*agent.Task){
		"a folder missing":     func(k *agent.Task) { k.Config = "" },
		"a NUL in the prompt":  func(k *agent.Task) { k.Prompt = "a\x00b" },
		"a NUL in the model":   func(k *agent.Task) { k.Model = "\x00" },
		"a session of options": func(k *agent.Task) { k.Resume = "--dangerous" },
		"a session of paths":   func(k *agent.Task) { k.Resume = "../../x" },
		"another's wire": func(k *agent.Task) {
			if d.Provider() == "" {
				k.Config = ""
			}
			k.Access.Provider = "another"
		},
	} {
		task := Task(d)
		change(&task)
		if inv, err := d.Invoke(task); err == nil {
			t.Errorf("%s: %+v", name, inv)
		}
	}
}

func resume(t *testing.T, d agent.Driver, sessions bool) {
	task := Task(d)
	task.Resume = "0f3c-a_b.1"
	inv, err := d.Invoke(task)
	if !sessions {
		if err == nil {
			t.Errorf("goes on with %q", inv.Args)
		}
		return
	}
	if err != nil || !slices.ContainsFunc(inv.Args, func(a string) bool { return strings.HasSuffix(a, task.Resume) }) {
		t.Errorf("%q, %v", inv.Args, err)
	}
}

func readsNothing(t *testing.T, d agent.Driver) {
	rep := d.Read(Task(d), sandbox.Result{Exit: 1}, t.TempDir())
	if rep.End != agent.EndFailed || rep.Detail == "" || !rep.Spent.Unknown {
		t.Errorf("nothing printed, exit 1: %+v", rep)
	}
}

func missing(t *testing.T, d agent.Driver) {
	r := sandbox.Unstarted(sandbox.GradeNone, d.Program(), fmt.Errorf("no such program: %w", os.ErrNotExist))
	if rep := d.Read(Task(d), r, t.TempDir()); rep.End != agent.EndMissing || !strings.Contains(rep.Detail, "no such program") {
		t.Errorf("%+v", rep)
	}
}

func hung(t *testing.T, d agent.Driver) {
	r := sandbox.Result{Exit: -1, Signal: "killed", TimedOut: true}
	if rep := d.Read(Task(d), r, filepath.Join(t.TempDir(), "gone")); rep.End != agent.EndHung || rep.Detail == "" {
		t.Errorf("%+v", rep)
	}
}

func killed(t *testing.T, d agent.Driver) {
	for name, r := range map[string]sandbox.Result{
		"signal": {Exit: -1, Signal: "killed"},
		"memory": {Exit: -1, Signal: "killed", OutOfMemory: true},
		"cancel": {Exit: -1, Signal: "terminated", Cancelled: true},
	} {
		if rep := d.Read(Task(d), r, t.TempDir()); rep.End != agent.EndFailed || rep.Detail == "" {
			t.Errorf("%s: %+v", name, rep)
		}
	}
}

// Fuzz holds Read to its bounds on any output. Seeds are further examples of
// standard output.
func Fuzz(f *testing.F, d agent.Driver, seeds ...[]byte) {
	for _, seed := range append(seeds, []byte(`{"type":"result","result":"`+Key+`"}`), []byte("\xff\x00{}\n{\n")) {
		f.Add(seed, []byte("dsh: AUTH: x\nstatus 429 "+Key), 1, true)
		f.Add(bytes.ReplaceAll(seed, []byte("fake"), []byte(Key)), seed, 0, false)
	}
	config := f.TempDir()
	f.Fuzz(func(t *testing.T, stdout, stderr []byte, exit int, cut bool) {
		out := sandbox.Stream{Head: stdout, Size: int64(len(stdout))}
		if cut {
			half := len(stdout) / 2
			out = sandbox.Stream{Head: stdout[:half], Tail: stdout[half:], Size: int64(len(stdout)) + 1}
		}
		r := sandbox.Result{Exit: exit, Stdout: out, Stderr: sandbox.Stream{Head: stderr, Size: int64(len(stderr))}}
		Bounded(t, d.Read(Task(d), r, config))
	})
}

// Bounded checks what holds of every report.
func Bounded(t *testing.T, rep agent.Report) {
	t.Helper()
	const ellipsis = len("…")
	for name, text := range map[string]struct {
		text string
		most int
	}{"detail": {rep.Detail, agent.DetailMost}, "text": {rep.Text, agent.TextMost}} {
		dirty := strings.ContainsFunc(text.text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' })
		if len(text.text) > text.most+ellipsis || !utf8.ValidString(text.text) || dirty || strings.Contains(text.text, Key) {
			t.Errorf("%s of %d bytes: %.300q", name, len(text.text), text.text)
		}
	}
	if rep.Session != "" && !agent.ValidSession(rep.Session) {
		t.Errorf("session %q", rep.Session)
	}
	if rep.End == "" || (rep.End == agent.EndDone) != (rep.Detail == "") && rep.End == agent.EndDone {
		t.Errorf("end %q, detail %q", rep.End, rep.Detail)
	}
	if s := rep.Spent; s.Microdollars < 0 || s.Tokens < 0 || s.Calls < 0 {
		t.Errorf("spent %+v", s)
	}
}
