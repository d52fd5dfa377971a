package control

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cladehq/clade"
)

// A Drift is what a spec's file says now and did not when its run was opened. The
// run keeps to the spec that it was opened with, so nothing of it has an effect.
type Drift struct {
	File       string   `json:"file"`
	Keys       []string `json:"keys,omitempty"`       // top-level keys that say something else now
	Unreadable string   `json:"unreadable,omitempty"` // why the file can no longer be read; Keys are then unknown
}

// String is the drift in a line.
func (d *Drift) String() string {
	if d.Unreadable != "" {
		return fmt.Sprintf("the run goes on with its own spec; %s can no longer be read: %s", d.File, d.Unreadable)
	}
	return fmt.Sprintf("the run goes on with its own spec; %s now differs in %s", d.File, strings.Join(d.Keys, ", "))
}

// Drift compares the file that the run's spec was read from with what it said
// then: nil where it says the same, and where the log does not know. Its errors
// are the log's.
func (r *Run) Drift(ctx context.Context) (*Drift, error) {
	opened, err := r.opened(ctx)
	if err != nil || opened.File == "" {
		return nil, err
	}
	d := &Drift{File: opened.File}
	err = r.View(ctx, func(v clade.View) error {
		if rel, err := filepath.Rel(opened.Where, opened.File); err == nil && filepath.IsLocal(rel) {
			d.File = filepath.Join(r.Where(v), rel) // it moved with the target
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	_, spec, _, err := r.c.read(d.File)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		d.Unreadable = strings.TrimPrefix(first, d.File+":")
		return d, nil
	}
	if d.Keys = differing(opened.Said, said(spec)); len(d.Keys) == 0 {
		return nil, nil
	}
	return d, nil
}

// opened is the log's first record.
func (r *Run) opened(ctx context.Context) (opened clade.Opened, err error) {
	read := errors.New("that is enough")
	err = r.log.Read(ctx, 0, func(rec clade.Record) error {
		opened, _ = rec.Event.(clade.Opened)
		return read
	})
	if errors.Is(err, read) {
		err = nil
	}
	return opened, err
}

// said is a digest of each top-level key of a spec that has a value.
func said(s *clade.Spec) map[string]string {
	body, err := json.Marshal(s)
	if err != nil {
		panic(err) // a Spec holds nothing that has no JSON
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(body, &keys); err != nil {
		panic(err) // a Spec is an object
	}
	out := make(map[string]string, len(keys))
	for key, value := range keys {
		sum := sha256.Sum256(value)
		out[key] = hex.EncodeToString(sum[:8])
	}
	return out
}

// differing lists the keys whose values differ or that only one of both has.
func differing(a, b map[string]string) []string {
	keys := maps.Clone(a)
	if keys == nil {
		keys = map[string]string{}
	}
	maps.Copy(keys, b)
	maps.DeleteFunc(keys, func(key, _ string) bool { return a[key] == b[key] })
	return slices.Sorted(maps.Keys(keys))
}
