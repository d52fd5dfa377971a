package meter

import (
	"bytes"
	"slices"
	"sync"

	"github.com/cladehq/clade/internal/llm"
)

// What a request's input can come to, in tokens.
const (
	// mostTokens bounds every number of tokens, so that no sum overflows.
	mostTokens = llm.TokensMost
	// overhead is what a service adds of its own: what it tells its model about
	// tools, and marks between messages.
	overhead = 2_048
	// picture is more than any service counts for one.
	picture = 50_000
	// whole is a whole context: what a document, a recording or something that is
	// only named and kept by the service may fill.
	whole = 1_000_000
)

// kinds are the parts of a message that are not counted by their bytes, as their
// "type" says.
var kinds = map[string]int64{
	"image": picture, "image_url": picture, "input_image": picture, "computer_screenshot": picture,
	"document": whole, "file": whole, "input_file": whole, "input_audio": whole, "audio": whole, "video": whole,
	"video_url": whole, "input_video": whole, "item_reference": whole, "container_upload": whole,
}

// keys are those parts where the key says it.
var keys = map[string]int64{
	"inlineData": whole, "inline_data": whole, "fileData": whole, "file_data": whole, "cachedContent": whole, "cached_content": whole,
	"previous_response_id": whole, "conversation": whole,
}

// A mark is a part of a body that is not text.
type mark struct {
	at     int   // where it begins
	tokens int64 // what it may come to beyond its bytes
}

// marks finds the parts of body that are not text. It looks at body as bytes: in
// a text every quote is escaped, so that nothing in one is taken for a part.
func marks(body []byte) (all []mark) {
	for at := 0; ; {
		i := bytes.IndexByte(body[at:], '"')
		if i < 0 {
			return all
		}
		start := at + i
		end := closing(body, start)
		if end < 0 {
			return all
		}
		word := body[start+1 : end-1]
		if at = end; len(word) > 24 {
			continue
		}
		next := space(body, end)
		if next >= len(body) || body[next] != ':' {
			continue
		}
		tokens := keys[string(word)]
		if next = space(body, next+1); string(word) == "type" && next < len(body) && body[next] == '"' {
			if end = closing(body, next); end > 0 {
				tokens, at = kinds[string(body[next+1:end-1])], end
			}
		}
		if tokens > 0 {
			all = append(all, mark{start, tokens})
		}
	}
}

// closing is the end of the string that begins at at, −1 if it has none.
func closing(b []byte, at int) int {
	for at++; at < len(b); at++ {
		switch b[at] {
		case '"':
			return at + 1
		case '\\':
			at++
		}
	}
	return -1
}

// guess is the most tokens that the part of a body between from and to can be.
// Of the marks before it, the last may reach into it.
func guess(from, to int, all []mark) int64 {
	tokens := int64(to-from) + overhead
	for i, m := range all {
		if m.at < to && (m.at >= from || i == len(all)-1 || all[i+1].at >= from) {
			tokens += m.tokens
		}
	}
	return tokens
}

// A sample is a request whose input the service has counted.
type sample struct {
	body    []byte // as it was before its reply was bounded
	setting string // everything of it that is no content
	tokens  int64
}

// samples are the last few requests of a session that were counted. A
// conversation goes on from them: what a new request has in common with one at
// its beginning and end is at most what was counted of the whole, and only what
// lies between is guessed by its bytes.
type samples struct {
	mu  sync.Mutex
	all []sample
}

const (
	samplesMost = 4
	sampleMost  = 4 << 20 // bytes; larger requests are not kept
	// seam is how far around a difference tokens may come out otherwise.
	seam = 256
)

func (s *samples) add(n sample) {
	if len(n.body) > sampleMost || n.tokens <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) == samplesMost {
		s.all = slices.Delete(s.all, 0, 1)
	}
	s.all = append(s.all, n)
}

// bound is the most tokens that body can be.
func (s *samples) bound(body []byte, setting string) int64 {
	all := marks(body)
	most := guess(0, len(body), all)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.all {
		if k.setting != setting {
			continue
		}
		from, to := differs(body, k.body)
		from, to = max(0, from-seam), min(len(body), to+seam)
		most = min(most, k.tokens+guess(from, to, all))
	}
	return most
}

// differs is where a is not b: what lies before from and after to is the same.
func differs(a, b []byte) (from, to int) {
	const step = 4096
	n := min(len(a), len(b))
	for from+step <= n && bytes.Equal(a[from:from+step], b[from:from+step]) {
		from += step
	}
	for from < n && a[from] == b[from] {
		from++
	}
	same := 0
	for same+step <= n-from && bytes.Equal(a[len(a)-same-step:len(a)-same], b[len(b)-same-step:len(b)-same]) {
		same += step
	}
	for same < n-from && a[len(a)-1-same] == b[len(b)-1-same] {
		same++
	}
	return from, len(a) - same
}

// contents are the members that hold what is said; all others set how it is
// taken.
var contents = []string{"messages", "input", "contents", "system", "instructions", "systemInstruction", "system_instruction", "tools", "metadata"}

// setting is everything of a request that is no content.
func setting(o *object) string {
	rest := &object{}
	for _, m := range o.members {
		if !slices.Contains(contents, m.key) {
			rest.members = append(rest.members, m)
		}
	}
	return string(rest.bytes())
}
