package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cladehq/clade"
)

func (e *env) schemaCmd() *cobra.Command {
	return &cobra.Command{
		Use: "schema [evolution|result|settings]", Short: "Print the JSON Schema of clade.yaml and other files", Args: cobra.MatchAll(cobra.MaximumNArgs(1), known),
		ValidArgs: []cobra.Completion{
			cobra.CompletionWithDesc("evolution", "evolution.yaml"), cobra.CompletionWithDesc("result", "result.json of a variant"),
			cobra.CompletionWithDesc("settings", ".clade.yaml beside evolutions"),
		},
		Long: `Prints the JSON Schema (draft 2020-12) that a clade.yaml or clade.json follows, or that of
a file of evolutions: evolution.yaml, the result.json that a worker writes, or the
settings in .clade.yaml beside them.`,
		Example: "  clade schema > clade.schema.json\n  clade schema evolution > evolution.schema.json",
		RunE: func(_ *cobra.Command, args []string) error {
			schema, err := e.schema(first(args))
			if err == nil {
				_, err = e.Stdout.Write(schema)
			}
			return err
		},
	}
}

// known refuses an argument that is not among the valid ones.
func known(c *cobra.Command, args []string) error {
	var names []string
	for _, v := range c.ValidArgs {
		name, _, _ := strings.Cut(v, "\t")
		names = append(names, name)
	}
	if len(args) == 0 || slices.Contains(names, args[0]) {
		return nil
	}
	return &clade.Problem{Fault: clade.FaultUsage, Text: fmt.Sprintf("there is no schema of %q", args[0]),
		Hint: "there is " + strings.Join(names, ", ") + ", and without any of these that of clade.yaml"}
}

func (e *env) schema(of string) ([]byte, error) {
	if of == "" {
		d, err := e.door()
		if err != nil {
			return nil, err
		}
		return d.Schema(), nil
	}
	d, err := e.evolutions()
	if err != nil {
		return nil, err
	}
	switch of {
	case "evolution":
		return d.Schema(), nil
	case "result":
		return d.ResultSchema(), nil
	}
	return d.SettingsSchema(), nil
}
