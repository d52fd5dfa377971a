package control

import (
	"context"
	"fmt"
	"path"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/ledger"
)

// loadCases reads the dataset from the base tree, so that it is pinned with it.
func loadCases(ctx context.Context, spec *clade.Spec, led ledger.Ledger, base string) ([]evaluate.Case, error) {
	if spec.Dataset == nil {
		return nil, nil
	}
	p := path.Join(spec.Target.Prefix, spec.Dataset.File)
	entries, err := led.List(ctx, base)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Path == p {
			data, err := led.Read(ctx, e.Blob)
			if err != nil {
				return nil, err
			}
			return evaluate.Load(spec, data)
		}
	}
	return nil, &clade.Problem{Fault: clade.FaultSpec, Text: fmt.Sprintf("the base has no dataset %s", p),
		Hint: "dataset.file is relative to the target; in a repository it must be committed"}
}
