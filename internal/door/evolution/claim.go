package evolution

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cladehq/clade/internal/format/evolution"
)

// claim is what a worker says in result.json that a variant measures, by axis,
// where the file says otherwise: shown, never ranked. The remark says where it
// cannot be told.
func (f folder) claim(e *evolution.Evolution, v *evolution.Variant) (claim map[string]float64, remark string) {
	file, err := load(f.result(v.ID))
	if err == nil && file == nil {
		return nil, ""
	}
	var said struct {
		Notes  string
		Rubric []struct {
			ID    string
			Value *float64
		}
	}
	if err != nil || json.Unmarshal(file.data, &said) != nil {
		return nil, evolution.FileResult + " cannot be read"
	}
	if strings.HasPrefix(said.Notes, ownNotes) {
		return nil, ""
	}
	for _, x := range said.Rubric {
		axis := slices.ContainsFunc(e.Rubric, func(a evolution.Axis) bool { return a.ID == x.ID })
		if !axis || x.Value == nil || slices.Contains(v.Rubric, evolution.Value{ID: x.ID, Value: *x.Value}) {
			continue
		}
		if claim == nil {
			claim = map[string]float64{}
		}
		claim[x.ID] = *x.Value
	}
	return claim, ""
}
