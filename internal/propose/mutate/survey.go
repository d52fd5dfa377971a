package mutate

import (
	"context"
	"fmt"

	"github.com/cladehq/clade/internal/policy/edit"
	"github.com/cladehq/clade/internal/propose"
)

// surveyed is how many files one survey lists; the rest are counted as skipped.
const surveyed = 1000

// Survey implements propose.Surveyor: its Space is the JSON of an edit.Space.
func (o *Operator) Survey(ctx context.Context, r propose.Request) (found propose.Survey, err error) {
	t, err := o.trees.open(ctx, r, r.Parents[0].Commit)
	if err != nil {
		return found, err
	}
	found.Nothing = true
	space := edit.Space{Version: edit.Version, Use: "mutate", Files: []edit.File{}, Skipped: t.skipped}
	names := map[string]string{}
	for _, e := range t.files {
		if len(space.Files) == surveyed {
			space.Skipped += 1
			continue
		}
		s, err := t.source(ctx, e)
		if err != nil {
			return found, err
		}
		if s == nil {
			space.Skipped++
			continue
		}
		f := edit.File{Path: s.path, Numbers: len(s.numbers), Lines: s.editableLines(), Tokens: s.mutableTokens(), Data: s.isData()}
		space.Files = append(space.Files, f)
		found.Nothing = found.Nothing && f.Numbers+f.Lines+f.Tokens+len(s.tunes) == 0
		found.Warnings = append(found.Warnings, s.warns...)
		for _, p := range s.tunes {
			if first, twice := names[p.Name]; twice {
				found.Warnings = append(found.Warnings, fmt.Sprintf("%s:%d: %s: %s is tuned twice, first in %s", s.path, p.Line, mark, p.Name, first))
				continue
			}
			names[p.Name] = s.path
			space.Tunes = append(space.Tunes, p.Parameter)
		}
	}
	found.Space = space.String()
	return found, nil
}
