package clade

import (
	"encoding/json"
	"strings"
)

// Paths are names of files, bytes as they are. In JSON one that is not UTF-8,
// which JSON cannot hold, is {"bytes": base64} instead of a string.
type Paths []string

type rawPath struct {
	Bytes []byte `json:"bytes"`
}

// MarshalJSON implements json.Marshaler.
func (p Paths) MarshalJSON() ([]byte, error) {
	out := make([]any, len(p))
	for i, path := range p {
		out[i] = path
		if strings.ToValidUTF8(path, "") != path {
			out[i] = rawPath{[]byte(path)}
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *Paths) UnmarshalJSON(b []byte) error {
	var in []json.RawMessage
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	out := make(Paths, len(in))
	for i, one := range in {
		var raw rawPath
		if err := json.Unmarshal(one, &out[i]); err == nil {
			continue
		}
		if err := json.Unmarshal(one, &raw); err != nil {
			return err
		}
		out[i] = string(raw.Bytes)
	}
	*p = out
	return nil
}
