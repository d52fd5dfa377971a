package bare

import (
	"bytes"
	"fmt"

	"github.com/cladehq/clade/internal/ledger"
)

// draft turns a draft into a plan without ids.
func (l *Ledger) draft(d ledger.Draft) (*plan, error) {
	p := &plan{message: d.Message, from: emptyTree}
	for _, s := range d.Parents {
		parent, err := parseOID(s)
		if err != nil {
			return nil, fmt.Errorf("parent %w", err)
		}
		p.parents = append(p.parents, parent)
	}
	if d.From != "" {
		tree, err := l.treeOfCommit(d.From)
		if err != nil {
			return nil, err
		}
		p.from = tree
	}
	for _, c := range d.Changes {
		if err := p.change(c); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// change adds one change.
func (p *plan) change(c ledger.Change) error {
	if c.Delete {
		p.dels = append(p.dels, c.Path)
		return nil
	}
	f := put{path: c.Path, mode: c.Mode, data: bytes.Clone(c.Data), held: c.Blob != ""}
	if f.held {
		id, err := parseOID(c.Blob)
		if err != nil {
			return fmt.Errorf("content of %q: %w", c.Path, err)
		}
		f.id = id
	}
	p.puts = append(p.puts, f)
	return nil
}

// resolve checks a plan and works out its ids. It returns the trees that the
// commit adds.
func (l *Ledger) resolve(p *plan) (made map[oid]*node, err error) {
	if err := l.resolveParents(p); err != nil {
		return nil, err
	}
	p.sort()
	if err := l.resolveFiles(p); err != nil {
		return nil, err
	}
	edits, err := planEdits(p.dels, p.puts)
	if err != nil {
		return nil, err
	}
	made = map[oid]*node{}
	if p.tree, err = l.trees.apply(p.from, edits, made); err != nil {
		return nil, fmt.Errorf("changing tree %s: %w", p.from, err)
	}
	delete(made, emptyTree)
	p.commit = hashOf("commit", p.object())
	return made, nil
}

// resolveParents sets from when it follows, and follows when from happens to be
// the first parent's tree.
func (l *Ledger) resolveParents(p *plan) error {
	for i, parent := range p.parents {
		tree, err := l.treeOfCommit(parent.String())
		if err != nil {
			return fmt.Errorf("parent: %w", err)
		}
		if i == 0 && p.follows {
			p.from = tree
		}
		if i == 0 {
			p.follows = p.from == tree
		}
	}
	return nil
}

func (l *Ledger) resolveFiles(p *plan) error {
	for _, path := range p.dels {
		if err := checkPath(path); err != nil {
			return err
		}
	}
	for i := range p.puts {
		f := &p.puts[i]
		if err := checkPath(f.path); err != nil {
			return err
		}
		switch f.mode {
		case ledger.ModeFile, ledger.ModeExec, ledger.ModeSymlink:
		default:
			return fmt.Errorf("%q cannot have mode %q: %w", f.path, f.mode, ledger.ErrPath)
		}
		if f.held {
			if _, err := l.sizeOf(f.id); err != nil {
				return fmt.Errorf("content of %q: %w", f.path, err)
			}
			continue
		}
		f.id = hashOf("blob", f.data)
	}
	return nil
}
