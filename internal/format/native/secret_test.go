package native

import (
	"strings"
	"testing"
)

func TestSecret(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Ab3dEf", 8)
	for text, want := range map[string]bool{
		"sk-" + long:                           true,
		"sk-proj-" + long:                      true,
		"Authorization: Bearer sk-ant-" + long: true,
		"AIza" + long:                          true,
		"export T=ghp_" + long:                 true,
		"AKIA" + strings.Repeat("A1", 8):       true,
		"sk-test":                              false,
		"sk-learn-benchmarks-of-2024":          false,
		"sk-internationalization":              false,
		"task-0123456789abcdefghijkl":          false,
		"AIzawa":                               false,
		"OPENAI_API_KEY":                       false,
		"":                                     false,
	} {
		if secret(text) != want {
			t.Errorf("secret(%q) = %v", text, !want)
		}
	}
}

// TestNoErrorRepeatsAKey writes a key wherever a spec may hold text and wants no
// error, warning or result to show it.
func TestNoErrorRepeatsAKey(t *testing.T) {
	t.Parallel()
	key := "sk-" + strings.Repeat("a1B2", 8)
	head := "version: 1\nobjective: x\nbenchmark: b\n"
	for name, data := range map[string]string{
		"objective":   "version: 1\nobjective: " + key + "\nbenchmark: b\n",
		"key":         head + key + ": 1\n",
		"version":     "version: " + key + "\nobjective: x\nbenchmark: b\n",
		"key_env":     head + "models: [{name: a, provider: openai, key_env: " + key + "}]\n",
		"name":        head + "models: [{name: " + key + ", provider: openai}]\n",
		"provider":    head + "models: [{name: a, provider: " + key + "}]\n",
		"api_key":     head + "models: [{name: a, provider: openai, api_key: " + key + "}]\n",
		"base_url":    head + "models: [{name: a, provider: openai, base_url: 'https://h/v1?k=" + key + "'}]\n",
		"env":         head + "operators: [{use: agent, agent: claude, env: {K: " + key + "}}]\n",
		"env's name":  head + "operators: [{use: agent, agent: claude, env: {" + key + ": K}}]\n",
		"with":        head + "operators: [{use: x, with: {deep: [{k: " + key + "}]}}]\n",
		"a tripwire":  head + "protect: {tripwires: [{id: a, write: {b: 'k = " + key + "'}}]}\n",
		"the whole":   key + "\n",
		"with anchor": head + "operators: [{use: x, with: {a: &k " + key + ", b: *k}}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec, warnings, err := New().Read("clade.yaml", []byte(data))
			if err == nil || spec != nil {
				t.Fatal("it was taken")
			}
			said := report(t, err)
			for _, w := range warnings {
				said += w.Text
			}
			if strings.Contains(said, key) {
				t.Errorf("the key is repeated:\n%s", said)
			}
		})
	}
}
