package evolution

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cladehq/clade/internal/format"
	"github.com/cladehq/clade/internal/syntax"
)

// limits are caps on evolution.yaml. A thousand variants with an approach of
// fifteen lines each are within them.
var limits = syntax.Limits{Size: 2 << 20, Values: 50_000, Words: 200_000}

// Parse reads evolution.yaml. Every violation of the schema and of what no
// schema can say is reported, all at once, as *clade.Problem with
// file:line:column. The name appears in positions; an ending of .json makes it
// JSON.
func Parse(name string, data []byte) (*Evolution, error) {
	r := reader{name: name}
	e, _ := r.evolution(data)
	return e, r.Err(name)
}

// A reader makes an Evolution or a Result of a tree and collects what is wrong.
type reader struct {
	name string
	syntax.Faults
	warnings []format.Warning
}

func (r *reader) warn(at syntax.Pos, text string, args ...any) {
	r.warnings = append(r.warnings, format.Warning{Where: syntax.Where(r.name, at), Text: fmt.Sprintf(text, args...)})
}

func (r *reader) parse(data []byte, what, empty string) *syntax.Node {
	root := r.Parse(syntax.Source{Name: r.name, Data: data, Limits: limits, What: what, Empty: empty,
		Large: "keep long output in files of their own"})
	if root != nil && root.Kind != syntax.Mapping {
		r.Wrong(root, "a mapping", "")
		return nil
	}
	return root
}

// pattern compiles a regular expression when it is first used.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

var (
	slugForm    = pattern(`^[a-z0-9_]+$`)
	gateForm    = pattern(`^G[1-9][0-9]*$`)
	axisForm    = pattern(`^R[1-9][0-9]*$`)
	variantForm = pattern(`^v[1-9][0-9]*$`)
)

// slugMost is the longest slug.
const slugMost = 40

// evolution reads the whole file. Where it returns faults the evolution is nil.
func (r *reader) evolution(data []byte) (*Evolution, *syntax.Node) {
	root := r.parse(data, "evolution", "docs/evolution-files.md shows one")
	if root == nil {
		return nil, nil
	}
	f := r.Fields(root, "")
	e := &Evolution{}
	e.ID = int(r.Whole(f.Need("evolution_id", "add evolution_id: with the number of the directory"), 1, syntax.Exact))
	e.Slug = r.slug(f.Need("slug", "add slug: as in the name of the directory"))
	e.CreatedAt = r.time(f.Need("created_at", timeHint))
	e.UpdatedAt = r.time(f.Need("updated_at", timeHint))
	e.Objective = r.Text(f.Need("objective", "say in a sentence what should get better"), "say in a sentence what should get better")
	e.Scope = r.scope(f.Get("scope"))
	e.Budget = r.budget(f.Need("budget", "add budget: {max_variants: 30, parallel: 6}"))
	e.Gates = r.gates(f.Need("gates", "add at least one command that must pass"))
	e.Rubric = r.rubric(f.Need("rubric", "add at least one command that yields a number"))
	e.Variants = r.variants(f.Need("variants", "add variants: []"))
	e.Winner = r.winner(f.Get("winner"))
	e.Applied = r.applied(f.Get("applied"))
	f.Done()
	r.invariants(e, root)
	if len(r.Faults) > 0 {
		return nil, root
	}
	return e, root
}

const timeHint = "write it like 2026-05-08T14:30:00Z"

func (r *reader) time(n *syntax.Node) time.Time {
	if n == nil {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, n.Text)
	if n.Kind != syntax.Text || err != nil {
		r.Wrong(n, "a date and time", timeHint)
	}
	return at
}

func (r *reader) slug(n *syntax.Node) string {
	s := r.Text(n, "like optimize_startup")
	if s != "" && (!slugForm().MatchString(s) || len(s) > slugMost) {
		r.Wrong(n, "a slug", "lower-case letters, digits and _, at most 40")
	}
	return s
}

// anyText reads text that may be empty. Line ends at its end mean nothing.
func (r *reader) anyText(n *syntax.Node, hint string) string {
	if n != nil && n.Kind == syntax.Text {
		r.NoNUL(n)
		return strings.TrimRight(n.Text, "\n")
	}
	return strings.TrimRight(r.Text(n, hint), "\n")
}

func (r *reader) scope(n *syntax.Node) *Scope {
	if n == nil {
		return nil
	}
	f, s := r.Fields(n, "write kind: worktree or kind: files"), &Scope{}
	s.Kind = ScopeKind(r.Choice(f.Need("kind", "add kind: worktree or kind: files"), string(ScopeWorktree), string(ScopeFiles)))
	s.Include = r.Texts(f.Get("include"), "list paths, like [src/]", r.entry)
	s.Exclude = r.Texts(f.Get("exclude"), "list paths, like [tests/]", r.entry)
	if s.Kind == ScopeFiles && len(s.Include) == 0 && (f.Of.Get("include") == nil || f.Of.Get("include").Kind == syntax.List) {
		r.Add(n.At, "add include: with what is copied, like [src/]", "%s.include is missing, which kind files needs", n.Path)
	}
	f.Done()
	return s
}

func (r *reader) budget(n *syntax.Node) (b Budget) {
	if n == nil {
		return b
	}
	f := r.Fields(n, "write {max_variants: 30, parallel: 6}")
	count := func(n *syntax.Node) int { return int(r.Whole(n, 1, syntax.Exact)) }
	b.MaxVariants = count(f.Need("max_variants", "add the most variants that may be tried"))
	b.Parallel = count(f.Need("parallel", "add how many variants make a generation"))
	b.MaxMinutes = count(f.Get("max_minutes"))
	b.PlateauGenerations = count(f.Get("plateau_generations"))
	f.Done()
	return b
}

// id reads a name of a form, one of each.
func (r *reader) id(n *syntax.Node, form *regexp.Regexp, like string, used []string) string {
	id := r.Text(n, "write it like "+like)
	switch {
	case id == "":
	case !form.MatchString(id):
		r.Add(n.At, "write it like "+like, "%s: %s is no valid id", n.Path, syntax.Quote(id))
	case slices.Contains(used, id):
		r.Add(n.At, "give each an id of its own", "%s: %s is taken", n.Path, syntax.Quote(id))
	}
	return id
}

func (r *reader) gates(n *syntax.Node) (all []Gate) {
	const hint = "list commands, like [{id: G1, description: it builds, cmd: make}]"
	var used []string
	for _, item := range r.Each(n, hint) {
		f, g := r.Fields(item, hint), Gate{}
		g.ID = r.id(f.Need("id", "add id: G1"), gateForm(), "G1", used)
		g.Description = r.anyText(f.Need("description", "say what it checks"), "say what it checks")
		g.Cmd = r.Text(f.Need("cmd", "add the command, run from the workspace's root"), "name a command")
		f.Done()
		all, used = append(all, g), append(used, g.ID)
	}
	r.some(n, "add at least one command that must pass")
	return all
}

// some refuses an empty list.
func (r *reader) some(n *syntax.Node, hint string) {
	if n != nil && n.Kind == syntax.List && len(n.Items) == 0 {
		r.Add(n.At, hint, "%s is empty", n.Path)
	}
}

func (r *reader) rubric(n *syntax.Node) (all []Axis) {
	const hint = "list axes, like [{id: R1, description: size, direction: minimize, cmd: wc -c < out}]"
	var used []string
	for _, item := range r.Each(n, hint) {
		f, a := r.Fields(item, hint), Axis{}
		a.ID = r.id(f.Need("id", "add id: R1"), axisForm(), "R1", used)
		a.Description = r.anyText(f.Need("description", "say what it measures"), "say what it measures")
		a.Direction = r.Choice(f.Need("direction", "add direction: minimize or maximize"), Minimize, Maximize)
		a.Weight = r.Above(f.Get("weight"), 0)
		a.Cmd = r.Text(f.Need("cmd", "add the command, run from the workspace's root"), "name a command")
		a.Extract = r.extract(f.Get("extract"))
		f.Done()
		all, used = append(all, a), append(used, a.ID)
	}
	r.some(n, "add at least one command that yields a number")
	return all
}

// extract reads how an axis finds its number.
func (r *reader) extract(n *syntax.Node) string {
	s := r.Text(n, "write "+WallClock+", or a regular expression with one group")
	if s == "" || s == WallClock {
		return s
	}
	re, err := regexp.Compile(s)
	switch {
	case err != nil:
		r.Add(n.At, `the syntax is that of RE2; single quotes keep \ as it is`, "%s: %s", n.Path, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	case re.NumSubexp() != 1:
		r.Add(n.At, "put ( ) around the number and (?: ) around all else; or write "+WallClock, "%s must have exactly one group, not %d", n.Path, re.NumSubexp())
	}
	return s
}

func (r *reader) winner(n *syntax.Node) *Winner {
	if n == nil {
		return nil
	}
	f, w := r.Fields(n, "write variant_id and rationale"), &Winner{}
	w.Variant = r.id(f.Need("variant_id", "name the variant that won"), variantForm(), "v1", nil)
	w.Rationale = r.anyText(f.Need("rationale", "say in a paragraph why it won"), "say in a paragraph why it won")
	f.Done()
	return w
}

func (r *reader) applied(n *syntax.Node) *Applied {
	if n == nil {
		return nil
	}
	f, a := r.Fields(n, "write at and files_changed"), &Applied{}
	a.At = r.time(f.Need("at", timeHint))
	a.FilesChanged = r.Texts(f.Need("files_changed", "list the paths that changed"), "list paths", nil)
	f.Done()
	return a
}
