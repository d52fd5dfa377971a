package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cladehq/clade"
)

// usage turns cobra's plain errors about arguments into ours.
func usage(c *cobra.Command) {
	for _, sub := range c.Commands() {
		usage(sub)
	}
	check := c.Args
	if check == nil {
		return
	}
	c.Args = func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil && clade.FaultOf(err) != "" {
			return err
		} else if err != nil {
			return &clade.Problem{Fault: clade.FaultUsage, Text: err.Error(), Hint: c.CommandPath() + " --help"}
		}
		return nil
	}
}

// noCommand refuses a word where only commands go, with what may be meant.
func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	p := &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("%q is no command of %s", args[0], c.CommandPath()),
		Hint: c.CommandPath() + " --help lists them"}
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		p.Hint = "did you mean " + c.CommandPath() + " " + strings.Join(near, " or ") + "?"
	}
	return p
}

var unknownFlag = regexp.MustCompile(`^unknown flag: --([^=]+)`)

// noFlag turns what is wrong with a flag into a problem, with the flag that may
// be meant.
func noFlag(c *cobra.Command, err error) error {
	p := &clade.Problem{Fault: clade.FaultUsage, Text: err.Error(), Hint: c.CommandPath() + " --help lists the flags"}
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		p.Text = fmt.Sprintf("--%s is %q, and wants %s", bad.GetFlag().Name, bad.GetValue(), wants(bad.GetFlag().Value.Type()))
		return p
	}
	if m := unknownFlag.FindStringSubmatch(err.Error()); m != nil {
		if near := flagLike(c, m[1]); near != "" {
			p.Hint = "did you mean --" + near + "?"
		}
	}
	return p
}

// flagLike is the flag of c that typed is nearest to, "" when none is near. The
// distance is the one cobra has for commands.
func flagLike(c *cobra.Command, typed string) string {
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	if near := names.SuggestionsFor(typed); len(near) > 0 {
		return near[0]
	}
	return ""
}

// wants says what a flag of a type takes.
func wants(kind string) string {
	switch kind {
	case "int", "int64", "uint64":
		return "a whole number"
	case "float64":
		return "a number"
	case "duration":
		return "a time such as 90s, 10m or 1h30m"
	case "bool":
		return "true or false"
	}
	return "a " + kind
}

// wantsJSON reports whether --json is among arguments that could not be parsed.
func wantsJSON(args []string) bool {
	for _, a := range args {
		if a == "--" {
			return false
		}
		if a == "--json" {
			return true
		}
		if v, ok := strings.CutPrefix(a, "--json="); ok {
			yes, err := strconv.ParseBool(v)
			return yes || err != nil
		}
	}
	return false
}

// noHelp refuses help as JSON.
func (e *env) noHelp(c *cobra.Command, _ []string) error {
	if !e.json {
		return nil
	}
	return &clade.Problem{Fault: clade.FaultUsage, Text: "help is text for people: --json needs a command", Hint: c.Root().CommandPath() + " help lists them"}
}
