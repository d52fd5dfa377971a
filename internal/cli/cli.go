// Package cli is the command line: it parses, asks a door, and prints a table
// for people or JSON for machines. It decides nothing.
package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/control"
	"github.com/cladehq/clade/internal/door/evolution"
	"github.com/cladehq/clade/internal/door/run"
)

// A Program is what the command line works with.
type Program struct {
	// Door makes the door for a person working in folder here. It is called
	// once a command needs it, so that help and version touch nothing.
	Door func(here string) (*run.Door, error)
	// Evolution makes the door to directories of agent-evolutions, likewise.
	Evolution func(here string) (*evolution.Door, error)
	// Doctor looks at the machine, also where no door can be made.
	Doctor func(ctx context.Context) []control.Check
	// Extra commands that app adds.
	Extra  []*cobra.Command
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
}

// env is what every command shares.
type env struct {
	Program
	json  bool
	plain bool
	dir   string
}

// Main runs the command line and returns the exit code.
func Main(ctx context.Context, p Program, args []string) int {
	e := &env{Program: p}
	root := e.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	err = ofMachine(err)
	if e.json || wantsJSON(args) {
		_ = e.encode(p.Stderr, failureOf(err))
	} else {
		explain(p.Stderr, err)
	}
	return codeOf(err)
}

func (e *env) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "clade",
		Short: "Evolve anything with a measurable goal",
		Long: `clade evolves anything with a measurable goal: a repository, a skill or agent
folder, a prompt. Operators propose changes, every change is measured in
isolation, a search runs over the descendants within a budget, and the one that
provably won is landed.

  clade demo          see it work, offline, in under a minute
  clade init          write a starter spec for this folder
  clade plan          what a run would do and cost
  clade run           search
  clade apply         land the winner`,
		Version:       Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := e.noHelp(c, nil); err != nil {
				return err
			}
			return c.Help()
		},
	}
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	root.SetVersionTemplate(`{{if eq (.Flag "json").Value.String "true"}}{"version": {{printf "%q" .Version}}}{{else}}clade {{.Version}}{{end}}
`)
	root.SetFlagErrorFunc(noFlag)
	f := root.PersistentFlags()
	f.BoolVar(&e.json, "json", false, "print JSON for machines")
	f.BoolVar(&e.plain, "plain", false, "print lines instead of a live display")
	f.StringVarP(&e.dir, "directory", "C", "", "work as if started in this folder")
	root.AddGroup(&cobra.Group{ID: "search", Title: "Search"}, &cobra.Group{ID: "look", Title: "Look"},
		&cobra.Group{ID: "land", Title: "Land"}, &cobra.Group{ID: "keep", Title: "Housekeeping"})
	add := func(group string, cs ...*cobra.Command) {
		for _, c := range cs {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("search", e.demoCmd(), e.initCmd(), e.planCmd(), e.runCmd(), e.resumeCmd(), e.cancelCmd(), e.pauseCmd(), e.steerCmd())
	add("look", e.statusCmd(), e.watchCmd(), e.treeCmd(), e.showCmd(), e.diffCmd(), e.logCmd(), e.evolutionCmd())
	add("land", e.applyCmd(), e.undoCmd())
	add("keep", e.gcCmd(), e.doctorCmd(), e.schemaCmd(), e.storeCmd(), e.exitCodesCmd())
	for _, c := range e.Extra {
		root.AddCommand(c)
	}
	root.SetHelpCommandGroupID("keep")
	root.SetCompletionCommandGroupID("keep")
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.PreRunE = e.noHelp
		}
	}
	usage(root)
	return root
}

// Version is the module's version, or the revision it was built from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	v := strings.Trim(info.Main.Version, "()")
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && (v == "" || v == "devel") {
			return "devel-" + s.Value[:min(12, len(s.Value))]
		}
	}
	if v == "" {
		return "devel"
	}
	return v
}

// verb is a command's work with the door for the folder the person works in.
func (e *env) verb(do func(ctx context.Context, d *run.Door, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		d, err := e.door()
		if err != nil {
			return err
		}
		return do(c.Context(), d, args)
	}
}

// door opens the door for the folder the person works in.
func (e *env) door() (*run.Door, error) {
	here, err := e.here()
	if err != nil {
		return nil, err
	}
	return e.Door(here)
}

func (e *env) here() (string, error) {
	dir := e.dir
	if dir == "" {
		wd, err := os.Getwd()
		if err != nil {
			return "", &clade.Problem{Fault: clade.FaultEnvironment, Text: "the working folder is gone", Err: err}
		}
		dir = wd
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", &clade.Problem{Fault: clade.FaultNotFound, Text: "no folder " + dir, Err: err}
	}
	return real, nil
}

// path makes a path argument relative to the folder the person works in.
func (e *env) path(args []string) string {
	if len(args) == 0 {
		return ""
	}
	if e.dir != "" && !filepath.IsAbs(args[0]) {
		return filepath.Join(e.dir, args[0])
	}
	return args[0]
}

func (e *env) encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// print writes v as JSON, or calls text for people.
func (e *env) print(v any, text func(io.Writer)) error {
	if e.json {
		return e.encode(e.Stdout, v)
	}
	text(e.Stdout)
	return nil
}

// step tells what is being done, on standard error.
func (e *env) step(text string) {
	if !e.json {
		fmt.Fprintf(e.Stderr, "clade: %s\n", text)
	}
}

func first(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return ""
}

// runs completes names of runs.
func (e *env) runs(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	d, err := e.door()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	all, err := d.Runs(c.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, l := range all {
		names = append(names, l.Run+"\t"+l.Where)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// candidates completes numbers of candidates that may be parents, or lead to one.
func (e *env) candidates(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	d, err := e.door()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	root, err := d.Tree(c.Context(), first(args), false)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var all []string
	var visit func(n *run.Node)
	visit = func(n *run.Node) {
		if n.ID != clade.Base {
			all = append(all, fmt.Sprintf("%d\t%s", n.ID, clip(printable(what(n.Row)), 60)))
		}
		for _, child := range n.Children {
			visit(child)
		}
	}
	visit(root)
	return all, cobra.ShellCompDirectiveNoFileComp
}
