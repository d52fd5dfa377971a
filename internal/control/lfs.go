package control

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/format"
	"github.com/cladehq/clade/internal/git"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/propose"
)

// manyPointers is how many files under LFS are frozen by their names; more are
// frozen by their endings where all with that ending are under LFS.
const manyPointers = 64

// freezePointers freezes what an edit might touch and Git LFS keeps: a
// workspace has only its pointer, and no apply writes it. It warns of what it
// froze.
func (r *Resolved) freezePointers(ctx context.Context, repo *git.Repo) error {
	entries, err := listed(ctx, repo, r.Spec.Target.Base)
	if err != nil {
		return fmt.Errorf("list the base: %w", err)
	}
	entries = slices.DeleteFunc(entries, func(e ledger.Entry) bool { return !propose.Editable(&r.Spec, e.Path) })
	pointers, err := underLFS(ctx, repo, entries)
	if err != nil || len(pointers) == 0 {
		return err
	}
	relative := func(all []ledger.Entry) (out []string) { // to the target
		for _, e := range all {
			out = append(out, strings.TrimPrefix(strings.TrimPrefix(e.Path, r.Spec.Target.Prefix), "/"))
		}
		return out
	}
	kept, all := relative(pointers), relative(entries)
	r.pointers = len(kept)
	r.Spec.Frozen = append(r.Spec.Frozen, patterns(kept, all)...)
	r.Warnings = append(r.Warnings, format.Warning{Where: r.File, Text: pointerWarning(kept)})
	return nil
}

// underLFS are the entries that git would keep through LFS, by the attributes
// on disk, which an apply goes by too.
func underLFS(ctx context.Context, repo *git.Repo, entries []ledger.Entry) (kept []ledger.Entry, err error) {
	var asked, out bytes.Buffer
	for _, e := range entries {
		asked.WriteString(e.Path + "\x00")
	}
	if err := repo.Do(ctx, git.Call{Args: []string{"check-attr", "-z", "--stdin", "filter"}, Stdin: &asked, Stdout: &out}); err != nil {
		return nil, fmt.Errorf("git check-attr: %w", err)
	}
	fields := strings.Split(out.String(), "\x00") // path, "filter", value
	for i, e := range entries {
		if 3*i+2 < len(fields) && fields[3*i+2] == "lfs" {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

// CheckLFS looks at the repository that a folder belongs to. ok is false where
// nothing of it is under LFS, or there is none.
func CheckLFS(ctx context.Context, here string) (c Check, ok bool) {
	g, err := git.Find(ctx)
	if err != nil {
		return c, false
	}
	facts, err := g.Discover(ctx, here)
	if err != nil || !facts.LFS {
		return c, false
	}
	entries, err := listed(ctx, facts.Repo(g), "HEAD")
	if err != nil {
		return c, false
	}
	kept, err := underLFS(ctx, facts.Repo(g), entries)
	if err != nil || len(kept) == 0 {
		return c, false
	}
	return Check{Name: "lfs", State: "note", Text: clade.Counted(len(kept), "file") + " of this repository under Git LFS: frozen in runs, and only pointers in workspaces",
		Hint: "a target of kind dir takes files as they are on disk"}, true
}

// pointerWarning names the first of the files.
func pointerWarning(kept []string) string {
	names := make([]string, 0, 3)
	for _, rel := range kept[:min(3, len(kept))] {
		names = append(names, fmt.Sprintf("%q", rel))
	}
	said := strings.Join(names, ", ")
	if more := len(kept) - len(names); more > 0 {
		said += fmt.Sprintf(" and %d more", more)
	}
	if len(kept) == 1 {
		return "1 file that could be edited is under Git LFS, frozen for this run, and only its pointer in workspaces: " + said
	}
	return fmt.Sprintf("%d files that could be edited are under Git LFS, frozen for this run, and only their pointers in workspaces: %s", len(kept), said)
}

// patterns are globs that match what is kept, and of what may be edited nothing
// else.
func patterns(kept, all []string) (globs []string) {
	pure := map[string]bool{} // endings
	if len(kept) > manyPointers {
		for _, rel := range kept {
			pure[path.Ext(rel)] = path.Ext(rel) != ""
		}
		under := map[string]bool{}
		for _, rel := range kept {
			under[rel] = true
		}
		for _, rel := range all {
			if !under[rel] {
				pure[path.Ext(rel)] = false
			}
		}
	}
	for _, rel := range kept {
		glob := literal(rel)
		if end := path.Ext(rel); pure[end] {
			glob = "**/*" + literal(end)
		}
		globs = append(globs, glob)
	}
	slices.Sort(globs)
	return slices.Compact(globs)
}

// literal is the glob that matches only this path.
func literal(p string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`).Replace(p)
}
