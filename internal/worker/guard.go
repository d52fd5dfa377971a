package worker

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
	"github.com/cladehq/clade/internal/policy/guard"
	"github.com/cladehq/clade/internal/propose"
)

// inspect looks a proposal through for what the spec protects against. refused
// are findings that make it no candidate, warned those that are only noted.
func (p *try) inspect(ctx context.Context, parent string, changes []ledger.Change) (refused, warned []string, err error) {
	protect := p.Spec.Protect
	for _, c := range changes {
		if c.Delete {
			continue
		}
		e, err := p.edit(ctx, parent, c)
		if err != nil {
			return nil, nil, fmt.Errorf("looking a proposal through: %w", err)
		}
		tell := func(level string, findings []guard.Finding) {
			for _, f := range findings {
				switch level {
				case clade.ProtectOff:
				case clade.ProtectWarn:
					warned = append(warned, f.String())
				default:
					refused = append(refused, f.String())
				}
			}
		}
		tell(protect.Autoload, guard.Autoload(e, p.Spec.Allow))
		tell(protect.Secrets, guard.Secrets(e, p.Secrets))
		if c.Mode == ledger.ModeSymlink {
			continue // its content is where it leads
		}
		tell(protect.Lint, slices.Concat(guard.Lint(e), guard.Lookup(e, p.asked()), guard.Prints(e, patterns(p.Spec))))
	}
	return refused, warned, nil
}

// lookalikes are changes of paths that would be frozen if it were not for their
// case: where a file system does not tell cases apart they are the same file, and
// some tools look for either.
func lookalikes(spec *clade.Spec, changes []ledger.Change) (out []string) {
	folded := clade.Spec{Target: clade.Target{Prefix: strings.ToLower(spec.Target.Prefix)}}
	for _, glob := range spec.Frozen {
		folded.Frozen = append(folded.Frozen, strings.ToLower(glob))
	}
	for _, c := range changes {
		if !propose.Frozen(spec, c.Path) && propose.Frozen(&folded, strings.ToLower(c.Path)) {
			out = append(out, fmt.Sprintf("%q differs from what is frozen only in case", c.Path))
		}
	}
	return out
}

// edit is a change beside what the parent has there.
func (p *try) edit(ctx context.Context, parent string, c ledger.Change) (e guard.Edit, err error) {
	e = guard.Edit{Path: strings.TrimPrefix(c.Path, strings.TrimSuffix(p.Spec.Target.Prefix, "/")+"/"), New: c.Data,
		IsNew: true, Link: c.Mode == ledger.ModeSymlink}
	if c.Blob != "" {
		if e.New, err = p.Ledger.Read(ctx, c.Blob); err != nil {
			return e, err
		}
	}
	entries, err := p.Ledger.List(ctx, parent)
	if err != nil {
		return e, err
	}
	i, found := slices.BinarySearchFunc(entries, c.Path, func(e ledger.Entry, path string) int { return strings.Compare(e.Path, path) })
	if !found {
		name, _, _ := strings.Cut(path.Base(c.Path), ".")
		e.Beside = p.guards(entries, path.Join(path.Dir(c.Path), name)+"/")
		return e, nil
	}
	e.IsNew = false
	if entries[i].Mode == ledger.ModeGitlink {
		return e, nil
	}
	e.Old, err = p.Ledger.Read(ctx, entries[i].Blob)
	return e, err
}

// guards reports whether something frozen lies in a folder of a sorted listing.
func (p *try) guards(entries []ledger.Entry, folder string) bool {
	i, _ := slices.BinarySearchFunc(entries, folder, func(e ledger.Entry, path string) int { return strings.Compare(e.Path, path) })
	for ; i < len(entries) && strings.HasPrefix(entries[i].Path, folder); i++ {
		if propose.Frozen(p.Spec, entries[i].Path) {
			return true
		}
	}
	return false
}

// patterns are the regular expressions of a spec's measures, by id.
func patterns(spec *clade.Spec) map[string]string {
	out := map[string]string{}
	for _, m := range spec.Measures {
		if m.Read.Kind == clade.ReadRegex && m.Read.File == "" {
			out[m.ID] = m.Read.Regex
		}
	}
	return out
}

// asked are the inputs of every case: a table of any of them is none of a
// candidate's business.
func (p *try) asked() (out []string) {
	for _, c := range p.Cases {
		out = append(out, string(c.Input))
	}
	return out
}
