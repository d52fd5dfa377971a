package land

import (
	"context"
	"fmt"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
)

// scope sorts a winner's changes by what may be landed, and returns the commit
// that is: the winner, or one with the part of its changes that Only leaves.
// What cannot be landed at all is kept in p, and there is then no commit.
func (l *Lander) scope(ctx context.Context, p *Preview, base, won string) (commit string, err error) {
	deltas, err := l.Ledger.Diff(ctx, base, won)
	if err != nil {
		return "", err
	}
	var part []ledger.Change
	for _, d := range deltas {
		switch {
		case l.Never != nil && l.Never(d.Path):
			p.Barred = append(p.Barred, d.Path)
		case l.Kind == clade.TargetDir && !l.Source.Covers(d.Path):
			p.Outside = append(p.Outside, d.Path)
		case l.Only != nil && !l.Only(d.Path):
			p.Left = append(p.Left, d.Path)
		case d.OldMode == ledger.ModeGitlink || d.NewMode == ledger.ModeGitlink:
			p.Blocked = fmt.Sprintf("%s changes the submodule %q, which cannot be landed", p.Name, d.Path)
		default:
			part = append(part, change(d))
		}
	}
	switch {
	case p.Blocked != "" || len(p.Barred)+len(p.Outside) > 0:
		return "", nil
	case len(p.Left) == 0:
		return won, nil
	case len(part) == 0:
		p.Blocked = fmt.Sprintf("%s changes nothing that is to be landed: all its changes were left out, of %s", p.Name, quoted(p.Left))
		return "", nil
	}
	return l.part(ctx, p, base, won, part)
}

func change(d ledger.Delta) ledger.Change {
	return ledger.Change{Path: d.Path, Mode: d.NewMode, Blob: d.NewBlob, Delete: d.NewMode == ""}
}

// part makes the commit of a part of the winner's changes, a child of the
// winner. A file that would have to make room for one of them must be a part of
// them, too.
func (l *Lander) part(ctx context.Context, p *Preview, base, won string, changes []ledger.Change) (string, error) {
	made, err := l.Ledger.Commit(ctx, ledger.Draft{Parents: []string{won}, From: base, Changes: changes, Message: "part\n"})
	if err != nil {
		return "", failed("the part that is landed cannot be kept", err)
	}
	deltas, err := l.Ledger.Diff(ctx, base, made.Commit)
	if err != nil {
		return "", err
	}
	meant := make(map[string]bool, len(changes))
	for _, c := range changes {
		meant[c.Path] = true
	}
	for _, d := range deltas {
		if !meant[d.Path] {
			p.Blocked = fmt.Sprintf("%q was left out, and would have to make room for what %s puts there", d.Path, p.Name)
			return "", nil
		}
	}
	p.landed = made.Commit
	return made.Commit, nil
}

// untouchable says which of the winner's changes cannot be landed, all of them;
// nil if there are none.
func (p *Preview) untouchable() error {
	const hint = "nothing was changed; land another candidate, or a change of your own that leaves these out"
	switch {
	case len(p.Barred) > 0:
		return conflict(fmt.Sprintf("%s changes what must never be touched: %s", p.Name, all(p.Barred)), hint)
	case len(p.Outside) > 0:
		return conflict(fmt.Sprintf("%s changes what is no part of the target: %s", p.Name, all(p.Outside)), hint)
	}
	return nil
}

// all quotes every one of paths.
func all(paths []string) string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = fmt.Sprintf("%q", p)
	}
	return strings.Join(out, ", ")
}
