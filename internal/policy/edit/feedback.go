package edit

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// trackedSteps bounds how many steps of one file a candidate remembers; the
// ones that have not moved for longest are forgotten first.
const trackedSteps = 1024

// Feedback is what the operator wants to know of a candidate that becomes a
// parent.
type Feedback struct {
	// Steps are by file and literal.
	Steps map[string]*Steps `json:"steps,omitempty"`
	// Tunes are the tuned parameters as they are written in the candidate.
	Tunes map[string]string `json:"tunes,omitempty"`
}

// ParseFeedback reads a candidate's feedback. Anything else than a Feedback's
// JSON, such as another operator's words, is an empty one.
func ParseFeedback(text string) Feedback {
	var f Feedback
	if json.Unmarshal([]byte(text), &f) != nil {
		return Feedback{}
	}
	return f
}

// String is the feedback's JSON, "" when there is nothing to say.
func (f Feedback) String() string {
	for path, s := range f.Steps {
		if len(s.at) == 0 {
			delete(f.Steps, path)
		}
	}
	if len(f.Steps) == 0 && len(f.Tunes) == 0 {
		return ""
	}
	out, err := json.Marshal(f)
	if err != nil {
		return ""
	}
	return string(out)
}

// Of returns the steps of a file, made empty where there are none.
func (f *Feedback) Of(path string) *Steps {
	if s := f.Steps[path]; s != nil {
		return s
	}
	if f.Steps == nil {
		f.Steps = map[string]*Steps{}
	}
	f.Steps[path] = &Steps{}
	return f.Steps[path]
}

// Steps are the step sizes of one file's literals. They are kept in sixteenths
// of an octave, which is far finer than one adaptation, as text: "12:-53 3:-60"
// says that literal 3 moved last.
type Steps struct {
	at   []int // literals, the one that moved last at the end
	size map[int]int
}

// Get returns a literal's step.
func (s *Steps) Get(literal int) (float64, bool) {
	q, ok := s.size[literal]
	return math.Exp2(float64(q) / 16), ok
}

// Set remembers a literal's step, rounded, and returns what it was rounded to.
// Steps outside 1e-30…1e30 are held at these bounds.
func (s *Steps) Set(literal int, step float64) float64 {
	if !(step > 1e-30) {
		step = 1e-30
	}
	q := int(math.Round(16 * math.Log2(min(step, 1e30))))
	s.put(literal, q)
	return math.Exp2(float64(q) / 16)
}

func (s *Steps) put(literal, q int) {
	if s.size == nil {
		s.size = map[int]int{}
	}
	if _, had := s.size[literal]; had {
		for i, at := range s.at {
			if at == literal {
				s.at = append(s.at[:i], s.at[i+1:]...)
				break
			}
		}
	}
	s.at, s.size[literal] = append(s.at, literal), q
	if len(s.at) > trackedSteps {
		delete(s.size, s.at[0])
		s.at = s.at[1:]
	}
}

// Shift follows an edit that left the first literals before it and the last
// ones after it alone: literals from first on are now at + delta, and those
// of the removed ones between are forgotten.
func (s *Steps) Shift(first, removed, added int) {
	old := *s
	*s = Steps{}
	for _, at := range old.at {
		switch {
		case at < first:
			s.put(at, old.size[at])
		case at >= first+removed:
			s.put(at+added-removed, old.size[at])
		}
	}
}

// MarshalJSON implements json.Marshaler.
func (s *Steps) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	for i, at := range s.at {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.Itoa(at))
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(s.size[at]))
	}
	return json.Marshal(b.String())
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Steps) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	*s = Steps{}
	for _, field := range strings.Fields(text) {
		at, size, _ := strings.Cut(field, ":")
		i, err := strconv.Atoi(at)
		q, err2 := strconv.Atoi(size)
		if err != nil || err2 != nil || i < 0 || q < -1600 || q > 1600 {
			return fmt.Errorf("step %q is not literal:size", field)
		}
		s.put(i, q)
	}
	return nil
}
