package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "write the generated pages of docs/ anew")

// TestDocsAreCurrent holds docs/cli.md and docs/exit-codes.md to the code.
func TestDocsAreCurrent(t *testing.T) {
	for name, page := range map[string]string{"cli.md": commandsPage(), "exit-codes.md": exitCodesPage()} {
		file := filepath.Join("..", "..", "docs", name)
		if *update {
			if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != page {
			t.Errorf("docs/%s is not what the code says; make docs writes it", name)
		}
	}
}

func exitCodesPage() string {
	var b strings.Builder
	b.WriteString("# Exit codes\n\n<!-- Made from the table in internal/cli/exit.go by make docs; edit that. -->\n\n" +
		"One table for every command; `clade exit-codes` prints it. With `--json` an error is an object on standard error\n" +
		"with `error`, `fault`, `hint` and `exit_code`.\n\n| code | fault | meaning |\n|---|---|---|\n")
	for _, c := range Codes {
		fault := ""
		if c.Fault != "" {
			fault = "`" + string(c.Fault) + "`"
		}
		fmt.Fprintf(&b, "| %d | %s | %s |\n", c.Code, fault, c.Text)
	}
	return b.String()
}

func commandsPage() string {
	root := (&env{}).root()
	root.InitDefaultCompletionCmd()
	var b strings.Builder
	fmt.Fprintf(&b, "# Commands\n\n<!-- Made from the command line by make docs; edit internal/cli. -->\n\n%s\n\n## Flags of every command\n\n", fenced(root.Long))
	flags(&b, root.PersistentFlags())
	for _, g := range root.Groups() {
		for _, c := range root.Commands() {
			if c.GroupID == g.ID && c.IsAvailableCommand() && c.Name() != "completion" {
				describe(&b, c)
			}
		}
	}
	b.WriteString("\n## clade completion SHELL\n\nPrint a completion script for bash, zsh, fish or powershell; `clade completion bash --help` says how to load it.\n")
	return b.String()
}

func fenced(text string) string { return "```text\n" + text + "\n```" }

func describe(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n", c.UseLine())
	if c.Long != "" {
		fmt.Fprintf(b, "%s\n", c.Long)
	} else {
		fmt.Fprintf(b, "%s.\n", strings.TrimSuffix(c.Short, "."))
	}
	if c.Example != "" {
		fmt.Fprintf(b, "\n```sh\n%s\n```\n", unindented(c.Example))
	}
	if c.LocalNonPersistentFlags().HasAvailableFlags() {
		b.WriteByte('\n')
		flags(b, c.LocalNonPersistentFlags())
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			describe(b, sub)
		}
	}
}

func unindented(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "  ")
	}
	return strings.Join(lines, "\n")
}

func flags(b *strings.Builder, fs *pflag.FlagSet) {
	b.WriteString("| flag | meaning |\n|---|---|\n")
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		kind, text := pflag.UnquoteUsage(f)
		if kind != "" {
			name += " " + strings.ToUpper(kind)
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", name, strings.ReplaceAll(text, "|", "\\|"))
	})
}
