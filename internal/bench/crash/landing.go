package crash

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/crash"
)

// landed is a run whose winner changes a file in every way there is.
var landed = variant{name: "landing", files: map[string]string{
	"clade.yaml": landSpec, "modified.txt": "one\ntwo\n", "private.txt": "secret\n", "gone/deep/deleted.txt": "x\n", "deleted.txt": "y\n",
	"mode.sh": "#!/bin/sh\n", "becomes-folder": "a file\n", "becomes-file/inner/a.txt": "a\n", "becomes-file/b.txt": "b\n",
	"becomes-link": "a file\n", "binary.bin": "\x00\x01\xff\xfe", "kept.txt": "kept\n", "score": "0\n",
}, prepare: "chmod 600 private.txt; ln -s kept.txt link; ln -s kept.txt becomes-plain"}

const landSpec = `version: 1
objective: land
gates: [{id: any, run: 'true'}]
measures:
  - {id: score, run: cat score, read: whole, goal: maximize, noise: none}
operators:
  - use: command
    name: reshape
    run: |
      echo three >>modified.txt; echo more >>private.txt
      mkdir -p new/deep; echo fresh >new/deep/file.txt
      rm -r gone deleted.txt; chmod +x mode.sh
      rm becomes-folder; mkdir becomes-folder; echo in >becomes-folder/inner.txt
      rm -r becomes-file; echo flat >becomes-file
      rm becomes-link; ln -s modified.txt becomes-link
      rm becomes-plain; echo plain >becomes-plain
      ln -sfn modified.txt link; printf '\377\000\002' >binary.bin
      echo $CLADE_ATTEMPT >score
search: {strategy: race, batch: 2}
budget: 2
sandbox: none
slots: 2
seed: 1
`

// A site is a world with a proven winner, and its files without and with it.
type site struct {
	*world
	before, after map[string]string
}

// newSite searches for the winner, then applies it and takes it back, and tells
// how often each of the two passes each step.
func (c *campaign) newSite(ctx context.Context, name string) (*site, map[string]map[step]int, error) {
	w, err := newWorld(ctx, c.o.Program, filepath.Join(c.o.Dir, name), &landed)
	if err != nil {
		return nil, nil, err
	}
	if err := w.must(ctx, "", "run", "--plain"); err != nil {
		return nil, nil, err
	}
	s := &site{world: w}
	if s.before, err = w.files(); err != nil {
		return nil, nil, err
	}
	passes := map[string]map[step]int{}
	for _, verb := range []string{"apply", "undo"} {
		record := filepath.Join(w.dir, verb+"-passes")
		if err := w.must(ctx, "record:"+record, landVerbs[verb]...); err != nil {
			return nil, nil, err
		}
		if passes[verb], err = readPasses(record); err != nil {
			return nil, nil, err
		}
		files, err := w.files()
		if err != nil {
			return nil, nil, err
		}
		if verb == "apply" {
			s.after = files
		} else if diff := different(s.before, files); len(diff) > 0 {
			return nil, nil, fmt.Errorf("%w: undo left %s", ErrWrong, strings.Join(diff, ", "))
		}
	}
	return s, passes, nil
}

var landVerbs = map[string][]string{"apply": {"apply", "--yes"}, "undo": {"undo"}}

// landings kills apply and undo at each of their steps. What follows, another
// apply, an undo or a look, completes it or takes it back.
func (c *campaign) landings(ctx context.Context) error {
	s, passes, err := c.newSite(ctx, "landing")
	if err != nil {
		return fmt.Errorf("landing: %w", err)
	}
	turn := 0
	for _, verb := range []string{"apply", "undo"} {
		for _, k := range landKills(verb, passes[verb], c.o.Land) {
			for i, next := range []string{"apply", "undo"} {
				if turn++; c.o.Land == 1 && i != (turn/2)%2 {
					continue // one of the two is enough for a short look
				}
				wrong, err := c.landing(ctx, s, k, next)
				if err != nil {
					return fmt.Errorf("%v, then %s: %w", k, next, err)
				}
				c.tell(fmt.Sprintf("%v, then %s", k, next), wrong)
			}
		}
	}
	return nil
}

// landKills is one kill at up to most of the passes of each step, spread evenly;
// if that is one, only at the steps that change files or say so.
func landKills(verb string, passes map[step]int, most int) (out []kill) {
	for s, n := range passes {
		if most == 1 && !strings.HasPrefix(s.label, "land-") && !strings.HasPrefix(s.label, "appl") {
			continue
		}
		for i := range min(n, most) {
			count := 1 + (2*i+1)*n/(2*min(n, most))
			out = append(out, kill{verb: landVerbs[verb], step: s, count: count, all: i%2 == 1})
		}
	}
	slices.SortFunc(out, func(a, b kill) int { return strings.Compare(a.at(), b.at()) })
	return out
}

// landing performs one kill and what follows, and leaves the site as it began.
func (c *campaign) landing(ctx context.Context, s *site, k kill, next string) (wrong []string, err error) {
	if k.verb[0] == "undo" {
		if err := s.must(ctx, "", landVerbs["apply"]...); err != nil {
			return nil, err
		}
	}
	got, err := s.clade(ctx, k.at(), nil, k.verb...)
	if err != nil {
		return nil, err
	}
	c.count(k, got.killed)
	if wrong, err = s.mixed(); err != nil {
		return wrong, err
	}
	if err := s.must(ctx, "", "status"); err != nil {
		wrong = append(wrong, err.Error())
	}
	want := map[string]map[string]string{"apply": s.after, "undo": s.before}[next]
	got, err = s.clade(ctx, "", nil, landVerbs[next]...)
	if err != nil {
		return wrong, err
	}
	files, err := s.files()
	if err != nil {
		return wrong, err
	}
	if diff := different(want, files); len(diff) > 0 {
		wrong = append(wrong, fmt.Sprintf("%s left %s\n%s", next, strings.Join(diff, ", "), got.err))
	}
	if next == "apply" {
		err = s.must(ctx, "", landVerbs["undo"]...)
	}
	return wrong, err
}

// mixed looks at the files right after a kill: each is as before or as after,
// or clade's own beside it.
func (s *site) mixed() (wrong []string, err error) {
	files, err := s.files()
	for name, is := range files {
		own := strings.HasPrefix(filepath.Base(name), ".clade-")
		if !own && is != s.before[name] && is != s.after[name] && name != "." && !strings.HasPrefix(is, "d") {
			wrong = append(wrong, fmt.Sprintf("%q is neither as before nor as after: %s", name, is))
		}
	}
	return wrong, err
}

// heads kills an apply that also commits around the move of HEAD: afterwards
// there is exactly one new commit, and nothing is left uncommitted.
func (c *campaign) heads(ctx context.Context) error {
	for _, side := range []string{crash.Before, crash.After} {
		for _, label := range []string{"land-head", "applied"} {
			k := kill{verb: []string{"apply", "--yes", "--commit"}, step: step{label, side}, count: 1}
			w, err := newWorld(ctx, c.o.Program, filepath.Join(c.o.Dir, "head-"+label+"-"+side), &landed)
			if err != nil {
				return err
			}
			if err := w.must(ctx, "", "run", "--plain"); err != nil {
				return err
			}
			got, err := w.clade(ctx, k.at(), nil, k.verb...)
			if err != nil {
				return err
			}
			c.count(k, got.killed)
			var wrong []string
			if err := w.must(ctx, "", "apply", "--yes"); err != nil {
				wrong = append(wrong, err.Error())
			}
			commits, err := w.git(ctx, "rev-list", "--count", "HEAD")
			if err != nil {
				return err
			}
			status, err := w.git(ctx, "status", "--porcelain")
			if err != nil {
				return err
			}
			if strings.TrimSpace(commits) != "2" || strings.TrimSpace(status) != "" {
				wrong = append(wrong, fmt.Sprintf("%s commits, and status says %q", strings.TrimSpace(commits), status))
			}
			c.tell(k.String(), wrong)
		}
	}
	return nil
}
