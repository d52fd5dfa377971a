package agent

import (
	"fmt"
	"strings"

	"github.com/cladehq/clade"
)

// Check refuses a task that no driver, or not this one, can carry out.
func Check(d Driver, t Task) error {
	for _, s := range []string{t.Prompt, t.Model, t.Config, t.Access.BaseURL, t.Access.Key} {
		if strings.ContainsRune(s, 0) {
			return fmt.Errorf("preparing %s: a NUL byte in what it is told", d.Name())
		}
	}
	if t.Config == "" {
		return fmt.Errorf("preparing %s: no folder for its configuration", d.Name())
	}
	if t.Resume != "" && !ValidSession(t.Resume) {
		return fmt.Errorf("preparing %s: %q is no session", d.Name(), t.Resume)
	}
	speaks, is := d.Provider(), t.Access.Provider
	if is != "" && speaks != "" && is != speaks {
		return &clade.Problem{
			Fault: clade.FaultSpec,
			Text:  fmt.Sprintf("the agent %s speaks to %s services; the model %s is one of %s", d.Name(), speaks, t.Model, is),
			Hint:  "choose a model with provider " + speaks + ", or another agent",
		}
	}
	return nil
}

// NoResume is the error of a CLI that cannot go on with a session.
func NoResume(d Driver) error {
	return fmt.Errorf("preparing %s: it cannot go on with an earlier session", d.Name())
}
