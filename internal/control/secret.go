package control

import (
	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/sandbox"
)

// secrets are the values of the variables that a spec names, which no candidate
// may hold, in all their forms: keys of models, and what commands are passed.
func secrets(s *clade.Spec, lookup func(string) (string, bool)) (out []string) {
	seen := map[string]bool{}
	add := func(names ...string) {
		for _, name := range names {
			v, ok := lookup(name)
			if !ok || seen[v] || name == "PATH" {
				continue
			}
			seen[v] = true
			out = append(out, sandbox.Forms(v)...)
		}
	}
	for _, m := range s.Models {
		add(keyOf(m))
	}
	for _, c := range commands(s) {
		add(c.Pass...)
	}
	return out
}

// commands are all commands of a spec.
func commands(s *clade.Spec) (out []clade.Command) {
	for _, o := range s.Operators {
		out = append(out, o.Command)
	}
	for _, g := range s.Gates {
		out = append(out, g.Command)
	}
	for _, m := range s.Measures {
		out = append(out, m.Command)
	}
	if s.Benchmark != nil {
		out = append(out, s.Benchmark.Command)
	}
	if s.Setup != nil {
		out = append(out, *s.Setup)
	}
	if d := s.Dataset; d != nil {
		out = append(out, d.Command)
		if d.Scorer.Command != nil {
			out = append(out, *d.Scorer.Command)
		}
	}
	return out
}
