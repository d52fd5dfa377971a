package evolution

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format/evolution"
)

func TestReadGate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]evolution.Gate{
		"go test ./...":         {Cmd: "go test ./..."},
		`{ go build; go vet; }`: {Cmd: `{ go build; go vet; }`},
		"tests: a: b":           {Cmd: "tests: a: b"},
		`{"cmd": "make", "description": "it builds"}`: {Cmd: "make", Description: "it builds"},
		" {\n \"cmd\": \"make\", \"id\": \"G4\"}":     {ID: "G4", Cmd: "make"},
	} {
		if got, err := ReadGate(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for text, part := range map[string]string{
		"":                          "cmd",
		" ":                         "cmd",
		`{}`:                        "cmd",
		`{"cmd": "x", "weight": 1}`: `unknown key "weight"`,
		`{"cmd": "x"`:               "cannot be read",
		`{ "my program" x; }`:       "cannot be read", // rather refused than guessed at
		`{"cmd": "x", "id": "g1"}`:  "gates[0].id",
	} {
		if _, err := ReadGate(text); err == nil || clade.FaultOf(err) == "" || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestReadAxis(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]evolution.Axis{
		"minimize: wc -c < out":            {Direction: "minimize", Cmd: " wc -c < out"},
		"maximize:curl http://x:1":         {Direction: "maximize", Cmd: "curl http://x:1"},
		" minimize  wall_clock_seconds :x": {Direction: "minimize", Cmd: "x", Extract: "wall_clock_seconds"},
		`{"direction": "maximize", "cmd": "x", "extract": "(\\d+)", "weight": 0.5, "description": "d"}`: {Direction: "maximize", Cmd: "x", Extract: `(\d+)`, Weight: 0.5, Description: "d"},
	} {
		if got, err := ReadAxis(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for text, part := range map[string]string{
		"":                         "no direction",
		"./bench":                  "no direction",
		"minimise: x":              "no direction",
		"minimize":                 "no direction",
		"minimize: ":               "cmd",
		"minimize 2: x":            "only wall_clock_seconds may follow",
		"minimize a wall_clock: x": "only wall_clock_seconds may follow",
		`{"direction": "minimize", "cmd": "x", "extract": "(a)(b)"}`: "extract",
		`{"direction": "down", "cmd": "x"}`:                          "direction",
		`{"cmd": "x"}`:                                               "direction",
		`{"direction": "minimize", "cmd": "x", "weight": -1}`:        "weight",
		`{"direction": "minimize", "cmd": "x", "weigth": 1}`:         `unknown key "weigth"`,
	} {
		if _, err := ReadAxis(text); err == nil || clade.FaultOf(err) == "" || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzReadAxis: what is read has a command and a direction, which were there.
func FuzzReadAxis(f *testing.F) {
	for _, seed := range []string{"", "minimize: x", "maximize wall_clock_seconds: y", `{"direction":"minimize","cmd":"x"}`, "minimize:\x00", "{\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ReadAxis(text)
		if err != nil && clade.FaultOf(err) == "" {
			t.Errorf("%q: %v", text, err)
		}
		if err == nil && (strings.TrimSpace(a.Cmd) == "" || a.Direction != "minimize" && a.Direction != "maximize") {
			t.Errorf("%q is %+v", text, a)
		}
	})
}

func TestReadDraft(t *testing.T) {
	t.Parallel()
	d, err := ReadDraft([]byte(`{"objective": "Shorten the cold  start\nof mycli.", "gates": [{"cmd": "go test ./...\n"}],
		"rubric": [{"direction": "minimize", "cmd": "./mycli --version", "extract": "wall_clock_seconds"}],
		"scope": {"include": ["src/"]}, "budget": {"max_variants": 11}, "held_fixed": ["the flags"]}`))
	if err != nil || !reflect.DeepEqual(d, aDraft()) || len(d.Lacks()) != 0 {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err = ReadDraft([]byte(`{}`)); err != nil || !slices.Equal(d.Lacks(), []Part{PartObjective, PartGates, PartRubric, PartBudget}) {
		t.Errorf("%v, %v", d.Lacks(), err)
	}
	for text, part := range map[string]string{
		`{"objectiv": "x"}`:                 `unknown key "objectiv"`,
		`{"budget": {"max_variants": "x"}}`: "max_variants",
		`[]`:                                "array",
		`{"gates": [{"command": "x"}]}`:     `unknown key "command"`,
		`{} {}`:                             "",
	} {
		if _, err := ReadDraft([]byte(text)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestCheckScope(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scope DraftScope
		part  string // "": it is taken
	}{
		"none":             {DraftScope{}, ""},
		"files":            {DraftScope{Kind: "files", Include: []string{"a"}, Exclude: []string{"a/b"}}, ""},
		"files of nothing": {DraftScope{Kind: "files"}, "include"},
		"another kind":     {DraftScope{Kind: "tree"}, "scope.kind"},
		"outside":          {DraftScope{Include: []string{"/etc"}}, "scope.include[0]"},
	} {
		if err := CheckScope(c.scope); (err == nil) != (c.part == "") || err != nil && !strings.Contains(err.Error(), c.part) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckObjective(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"Shorten the cold start of `mycli --version` for people who call it in scripts.",
		"Make it faster.", "Fewer allocations in parsing", "起動を速くする", "Réduire la taille du paquet",
	} {
		if err := CheckObjective(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", "  \n", "Faster", "Optimize startup", "Make it better!", "improve the code, please", "速く", "- . :", "a a a"} {
		if err := CheckObjective(bad); clade.FaultOf(err) != clade.FaultUsage {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
