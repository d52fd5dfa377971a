package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/sandbox"
)

// A Program is one that a spec's commands need.
type Program struct {
	Name string `json:"name"`
	Path string `json:"path,omitempty"` // "" : missing, of the tree, or not to be told before setup has run
	For  string `json:"for"`            // "gate tests"
	// Missing says that it was looked for and not found.
	Missing bool `json:"missing,omitempty"`
	// Unseen says that it lies only where commands cannot see it.
	Unseen bool `json:"unseen,omitempty"`
	// InTree is the path at which it was looked for in the base, "" if it was on
	// PATH.
	InTree string `json:"in_tree,omitempty"`
	// Unfit says that it is there, and cannot be executed.
	Unfit bool `json:"unfit,omitempty"`
}

// problem is why the program could not be used, nil if nothing speaks against it.
func (p *Program) problem() error {
	bad := &clade.Problem{Fault: clade.FaultEnvironment}
	switch {
	case p.Missing && p.InTree != "":
		bad.Text = fmt.Sprintf("%s needs the program %s, but the base has no %s", p.For, p.Name, p.InTree)
		bad.Hint = "a path is relative to the target and the command's dir; in a repository it must be committed"
	case p.Missing:
		bad.Text, bad.Hint = fmt.Sprintf("%s needs the program %s, which is not on PATH", p.For, p.Name), "install it or correct the command"
	case p.Unfit:
		bad.Text = fmt.Sprintf("%s needs the program %s, which is not executable in the base", p.For, p.Name)
		bad.Hint = "make it executable (chmod +x) and commit that, or name the program that reads it, as in sh " + p.Name
	case p.Unseen:
		bad.Text = fmt.Sprintf("%s needs the program %s, which commands cannot see", p.For, p.Path)
		bad.Hint = "name its folder in sandbox.read, or set sandbox.home: show"
	default:
		return nil
	}
	return bad
}

// A finder looks for programs as commands would.
type finder struct {
	ctx    context.Context
	from   *Resolved
	files  *sandbox.Sight // nil: commands see what the user does
	lookup sandbox.Lookup // the user's environment
	repo   *git.Repo      // once it was needed
	found  []Program
	err    error
}

// programs lists the first words of the spec's commands, looked for where the
// commands will look.
func programs(ctx context.Context, r *Resolved, files *sandbox.Sight) ([]Program, error) {
	f := &finder{ctx: ctx, from: r, files: files, lookup: os.LookupEnv}
	s := &r.Spec
	if s.Setup != nil {
		f.command("setup", *s.Setup)
	}
	for _, g := range s.Gates {
		f.command("gate "+g.ID, g.Command)
	}
	for _, m := range s.Measures {
		f.command("measure "+m.ID, m.Command)
	}
	if s.Benchmark != nil {
		f.command("the benchmark", s.Benchmark.Command)
	}
	f.dataset(s.Dataset)
	for _, o := range s.Operators {
		f.operator(o)
	}
	return f.found, f.err
}

func (f *finder) dataset(d *clade.Dataset) {
	if d == nil {
		return
	}
	if r := d.Rollout; r == nil || r.Agent == clade.HostCustom {
		f.command("the dataset", d.Command)
	} else {
		f.host("the dataset", r.Agent, d.Command)
	}
	if d.Scorer.Command != nil {
		f.command("the scorer", *d.Scorer.Command)
	}
}

func (f *finder) operator(o clade.Operator) {
	what := "operator " + o.Name
	switch {
	case o.Use == "mutate", o.Use == "reflect":
	case o.Use == "command", o.Use == "agent" && o.Agent == clade.HostCustom:
		f.command(what, o.Command)
	case o.Use == "agent":
		f.host(what, o.Agent, o.Command)
	default:
		f.onPath("operator "+o.Use, "clade-operator-"+o.Use, o.Command)
	}
}

// host looks for the program of a coding agent.
func (f *finder) host(what, agent string, c clade.Command) {
	h, _ := clade.HostOf(agent)
	f.onPath(what, h.Program, c)
}

func (f *finder) command(what string, c clade.Command) {
	name, ok := program(c)
	switch {
	case !ok:
	case strings.Contains(name, "/") && !filepath.IsAbs(name):
		f.inTree(what, name, c)
	default:
		f.onPath(what, name, c)
	}
}

// onPath looks where the command's own PATH leads, or at an absolute path.
func (f *finder) onPath(what, name string, c clade.Command) {
	p := Program{Name: name, For: what, Missing: true}
	places := sandbox.Programs(name, sandbox.Environ(c, sandbox.Basics(f.lookup), f.lookup))
	if runtime.GOOS == "windows" {
		places = []string{name}
	}
	for _, at := range places {
		full, err := exec.LookPath(at)
		if err != nil {
			continue
		}
		seen := f.files == nil || f.files.Sees(full)
		if seen || p.Missing {
			p.Path, p.Missing, p.Unseen = full, false, !seen
		}
		if seen {
			break
		}
	}
	f.found = append(f.found, p)
}

// inTree looks in the base. What setup makes, or is carried along, is not to be
// told.
func (f *finder) inTree(what, name string, c clade.Command) {
	s := &f.from.Spec
	p := Program{Name: name, For: what, InTree: path.Join(s.Target.Prefix, c.Dir, name)}
	mode, err := f.inBase(p.InTree)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.Missing = (s.Setup == nil || what == "setup") && !f.carried(path.Join(c.Dir, name))
	case err != nil:
		f.err = errors.Join(f.err, fmt.Errorf("look for %s in the base: %w", p.InTree, err))
	default:
		p.Unfit = mode == ledger.ModeFile && runtime.GOOS != "windows"
	}
	f.found = append(f.found, p)
}

// carried reports whether a file of the target may be carried into workspaces.
func (f *finder) carried(p string) bool {
	if len(f.from.Spec.Carry) == 0 || f.from.Spec.Target.Kind == clade.TargetFile {
		return false
	}
	_, err := os.Stat(filepath.Join(f.from.Target, filepath.FromSlash(p)))
	return err == nil
}

// inBase is the mode of a file of the base, as an import takes it. It is "" where
// a link leads on, or the path out of the tree, since that is not to be told.
func (f *finder) inBase(p string) (mode ledger.Mode, err error) {
	if !filepath.IsLocal(filepath.FromSlash(p)) {
		return "", nil
	}
	look := func(p string) (ledger.Mode, error) { return lookAt(f.from.Source, p) }
	if f.from.Source.Git != "" {
		look = f.committed
	}
	for i := range len(p) + 1 {
		if i < len(p) && p[i] != '/' {
			continue
		}
		if mode, err = look(p[:i]); err != nil || mode == ledger.ModeSymlink {
			return "", err
		}
	}
	return mode, nil
}

// committed is the mode of a path in the repository's base.
func (f *finder) committed(p string) (ledger.Mode, error) {
	if f.repo == nil {
		g, err := git.Find(f.ctx)
		if err != nil {
			return "", err
		}
		facts, err := g.Discover(f.ctx, f.from.Source.Git)
		if err != nil {
			return "", err
		}
		f.repo = facts.Repo(g)
	}
	line, err := f.repo.Line(f.ctx, "ls-tree", "-z", "--full-tree", f.from.Source.Rev, "--", p)
	if err == nil && line == "" {
		err = fs.ErrNotExist
	}
	mode, _, _ := strings.Cut(line, " ")
	return ledger.Mode(mode), err
}

// lookAt is the mode of a path in a folder, "" for a folder.
func lookAt(s ledger.Source, p string) (ledger.Mode, error) {
	covered := s.Covers(p)
	if !covered && !s.Leads(p) {
		return "", fs.ErrNotExist
	}
	info, err := os.Lstat(filepath.Join(s.Dir, filepath.FromSlash(p)))
	if err != nil || info.IsDir() {
		return "", err
	}
	if mode, _ := ledger.ModeOf(info.Mode()); mode != "" && covered {
		return mode, nil
	}
	return "", fs.ErrNotExist
}

// program is the first word of a command, when it is a plain word and not one
// of the shell's own.
func program(c clade.Command) (string, bool) {
	if len(c.Argv) > 0 {
		return c.Argv[0], true
	}
	word, _, _ := strings.Cut(strings.TrimSpace(c.Run), " ")
	if word == "" || strings.ContainsAny(word, "\"'`$(){}[]<>|&;=*?~\\\n\t#!") {
		return "", false
	}
	switch word {
	case "cd", "test", "true", "false", "echo", "exec", "set", "if", "for", "while", "case", "export", "read", "printf",
		"eval", "exit", "trap", "umask", "ulimit", "unset", "wait", "command", ":", ".", "time", "until", "type":
		return "", false
	}
	return word, true
}
