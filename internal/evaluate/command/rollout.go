package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/sandbox"
	"github.com/cladehq/clade/internal/workspace"
)

// workdir is the folder that an agent answers a case in, where it is not the
// target itself. Its name says nothing of what goes on.
const workdir = "workdir"

// roll has the agent answer one case, with the candidate where the agent's host
// looks for it and the fixtures beside it. What it says last is the answer.
func (s *stage) roll(ctx context.Context, ws workspace.Workspace, u *unit) (samples []clade.Sample, err error) {
	if s.Agent == nil {
		return nil, errors.New("this evaluator was given no agent for the spec's rollouts")
	}
	scope, err := ws.Scope(ctx)
	if err != nil {
		return nil, fmt.Errorf("open scope: %w", err)
	}
	defer func() { err = errors.Join(err, scope.Close()) }()
	dir, what, err := s.lay(ctx, scope, u.asked.ID)
	if err != nil || what != "" {
		return noNumbers(u, what), err
	}
	job := agent.Job{Scope: scope, Dir: dir, Prompt: string(u.asked.Input)}
	if s.job.Cap != nil {
		job.Cap = s.job.Cap()
	}
	if s.job.Log != nil {
		job.Output = func(text string) { s.job.Log(u.name, text) }
	}
	run, err := s.Agent.Run(ctx, job)
	if s.job.Spend != nil {
		s.job.Spend(run.Spent)
	}
	if err != nil {
		return nil, err
	}
	if run.End == agent.EndLimit && s.spentOut() {
		return failures(u, clade.ClassBudget, "what one try may spend does not bear this case: "+run.Detail), nil
	}
	return s.rolled(ctx, u, run)
}

// spentOut reports whether next to nothing is left of the try's cap.
func (s *stage) spentOut() bool {
	if s.job.Cap == nil {
		return false
	}
	c := s.job.Cap()
	return c.Microdollars == 1 || c.Tokens == 1 || c.Calls == 1
}

// rolled is what an agent's run comes to. A candidate is blamed for an agent that
// does not come to an end, and for what it says; not for a service that fails.
func (s *stage) rolled(ctx context.Context, u *unit, run agent.Run) ([]clade.Sample, error) {
	switch run.End {
	case agent.EndDone, agent.EndLimit, agent.EndRefused:
	case agent.EndHung:
		return failures(u, clade.ClassCandidate, run.Detail), nil
	case agent.EndFailed:
		return noNumbers(u, because("the agent failed", run.Detail)), nil
	default:
		return failures(u, run.End.Class(), because("the agent: "+string(run.End), run.Detail)), nil
	}
	score, err := s.score(ctx, u, []byte(run.Text))
	var no *noScore
	if err != nil && !errors.As(err, &no) {
		return nil, err
	}
	var out []clade.Sample
	for _, m := range u.measures {
		one := sampleOf(m, u.asked.ID, score, err, &ran{})
		if one.Class == clade.OK && u.asked.Split == clade.SplitTrain {
			one.Detail = clade.Clip(strings.TrimSpace(clade.Clean(run.Text)), saidMost)
		}
		out = append(out, one)
	}
	return out, nil
}

// because joins what an agent's run came to and the agent's own words.
func because(what, words string) string {
	if words == "" {
		return what
	}
	return what + ": " + words
}

// lay puts the candidate and the fixtures where the agent finds them and gives
// the folder it works in. what says why that cannot be done.
func (s *stage) lay(ctx context.Context, scope workspace.Scope, id string) (dir, what string, err error) {
	r, prefix := s.job.Spec.Dataset.Rollout, s.job.Spec.Target.Prefix
	var script strings.Builder
	args := []string{"sh", "-c", "", "sh"}
	dir = prefix
	switch as := s.as(scope); as {
	case "skill":
		dir = workdir
		script.WriteString(`set -e; test ! -e "$1" || { echo "the target has a $1 of its own" >&2; exit 1; }
for d in .claude/skills .agents/skills; do
	mkdir -p "$1/$d/$3"; to=$PWD/$1/$d/$3
	(cd "./$2" && find . -mindepth 1 -maxdepth 1 ! -name "$1" ! -name .git -exec sh -c 'to=$1; shift; cp -R "$@" "$to/"' sh "$to" {} +)
done
`)
		args = append(args, workdir, path.Clean("./"+prefix), skillName(scope, prefix))
	case "instructions":
		dir = workdir
		file, ok := s.instructions(scope)
		if !ok {
			return "", "there is no file of instructions: name it first in allow, or call it AGENTS.md", nil
		}
		script.WriteString(`set -e; test ! -e "$1" || { echo "the target has a $1 of its own" >&2; exit 1; }
mkdir "$1"; for f in CLAUDE.md AGENTS.md GEMINI.md; do cp "./$2" "$1/$f"; done
`)
		args = append(args, workdir, file, "")
	default:
		script.WriteString("set -e\n")
		args = append(args, path.Clean("./"+prefix), "", "")
	}
	if r.Fixtures != "" {
		script.WriteString(`if test -d "./$4/$5"; then cp -R "./$4/$5/." "$1/"; else cp -R "./$4/." "$1/"; fi
`)
		args = append(args, path.Join(prefix, r.Fixtures), fixtureName(id))
	}
	args[2] = script.String()
	c := sandbox.Prepare(clade.Command{Argv: args}, s.job.Spec.Limits, sandbox.Basics(s.Lookup), s.Lookup)
	scope.Enter(&c, "")
	res, err := s.Sandbox.Run(ctx, c)
	if err != nil || ctx.Err() != nil {
		return "", "", errors.Join(err, context.Cause(ctx))
	}
	if !res.OK() {
		return "", detail("the candidate cannot be laid out for the agent", res.Excerpt(maxDetail, nil)), nil
	}
	return dir, "", nil
}

// fixtureName is a case's own folder of fixtures: its id, unless that leads
// elsewhere.
func fixtureName(id string) string {
	if id == "" || id == "." || id == ".." || strings.Contains(id, "/") {
		return "-"
	}
	return id
}

// as is how the agent is given the target; without a word in the spec, a folder
// with a SKILL.md is a skill, a single file are instructions.
func (s *stage) as(scope workspace.Scope) string {
	switch r := s.job.Spec.Dataset.Rollout; {
	case r.As != "":
		return r.As
	case s.job.Spec.Target.Kind == clade.TargetFile:
		return "instructions"
	case exists(scope, path.Join(s.job.Spec.Target.Prefix, "SKILL.md")):
		return "skill"
	}
	return "workspace"
}

func exists(scope workspace.Scope, file string) bool {
	_, err := scope.ReadFile(file, maxFile)
	return !errors.Is(err, fs.ErrNotExist)
}

// instructions is the file that the host reads at start: the first that allow
// spells out, or one by the usual names.
func (s *stage) instructions(scope workspace.Scope) (string, bool) {
	names := append(append([]string(nil), s.job.Spec.Allow...), "AGENTS.md", "CLAUDE.md", "GEMINI.md", "prompt.md", "prompt.txt", "PROMPT.md")
	for _, n := range names {
		file := path.Join(s.job.Spec.Target.Prefix, n)
		if !strings.ContainsAny(n, "*?[{") && exists(scope, file) {
			return file, true
		}
	}
	return "", false
}

var nameLine = regexp.MustCompile(`(?m)\A---\r?\n(?:.*\r?\n)*?name:[ \t]*["']?([A-Za-z0-9][A-Za-z0-9._-]{0,63})["']?[ \t]*\r?$`)

// skillName is what a skill calls itself, which must be its folder's name too.
func skillName(scope workspace.Scope, prefix string) string {
	text, err := scope.ReadFile(path.Join(prefix, "SKILL.md"), 64<<10)
	if m := nameLine.FindSubmatch(text); err == nil && m != nil {
		return string(m[1])
	}
	if base := path.Base(prefix); base != "." && base != "/" {
		return base
	}
	return "skill"
}
