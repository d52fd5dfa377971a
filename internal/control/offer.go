package control

import (
	"context"
	"errors"
	"fmt"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/propose"
)

// offer looks at what of a base could be edited. It refuses one of which nothing
// could, and warns of what a person would want to know before paying.
func (c *Control) offer(ctx context.Context, r *Resolved) (warnings []string, err error) {
	base, err := newPreview(ctx, r.Source)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, base.Close()) }()
	if propose.AllFrozen(&r.Spec) {
		return nil, &clade.Problem{Fault: clade.FaultSpec, Where: r.File, Text: "nothing may be edited: every path is frozen",
			Hint: "name in frozen only what must stay"}
	}
	editable := 0
	for _, e := range base.entries {
		if e.Mode != ledger.ModeGitlink && propose.Editable(&r.Spec, e.Path) {
			editable++
		}
	}
	for _, glob := range propose.Unmatched(&r.Spec, base.entries) {
		warnings = append(warnings, fmt.Sprintf("allow: %q matches no file of the base", glob))
	}
	found, idle, err := c.surveyAll(ctx, r, base)
	if err == nil && idle {
		err = idleProblem(r, editable)
	}
	return append(warnings, few(found)...), err
}

// surveyAll has the operators look at a base, and reports whether none of those
// that propose could edit anything of it. Where there are none, somebody outside
// edits.
func (c *Control) surveyAll(ctx context.Context, r *Resolved, base *preview) (warnings []string, idle bool, err error) {
	idle = len(r.Spec.Operators) > 0
	for _, o := range r.Spec.Operators {
		s := c.surveyor(o)
		if s == nil {
			idle = idle && o.Role != clade.RolePropose && o.Role != ""
			continue
		}
		found, err := s.Survey(ctx, propose.Request{Spec: &r.Spec, Attempt: &clade.Attempt{}, Read: base, Parents: []propose.Parent{{}}})
		if err != nil {
			return nil, false, fmt.Errorf("survey for %s: %w", o.Name, err)
		}
		warnings = found.Warnings // of all that survey alike
		idle = idle && found.Nothing
	}
	return warnings, idle, nil
}

func (c *Control) surveyor(o clade.Operator) propose.Surveyor {
	if c.Surveyor == nil {
		return nil
	}
	return c.Surveyor(o)
}

func idleProblem(r *Resolved, editable int) error {
	p := &clade.Problem{Fault: clade.FaultSpec, Where: r.File, Text: "nothing of the base may be edited: allow and frozen leave no file",
		Hint: "patterns are relative to the target; in a repository only what is committed counts"}
	if r.pointers > 0 {
		p.Hint = fmt.Sprintf("%s that allow names under Git LFS, of which workspaces have pointers only; name others", clade.Counted(r.pointers, "file"))
	}
	if editable > 0 {
		p.Text = fmt.Sprintf("the operators find nothing to edit in %s", clade.Counted(editable, "file"))
		p.Hint = "mutate edits text only; an agent, reflect or a command could make more of it"
	}
	return p
}

// mostWarnings bounds the warnings of one kind.
const mostWarnings = 20

// few are the first warnings, with a word about the rest.
func few(all []string) []string {
	if len(all) <= mostWarnings {
		return all
	}
	return append(all[:mostWarnings:mostWarnings], fmt.Sprintf("and %d more of the same kind", len(all)-mostWarnings))
}
