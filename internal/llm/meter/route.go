package meter

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/cladehq/clade"
)

// prefix begins the path of every session.
const prefix = "/s/"

// versions are path segments that clients put before the rest, or not, or twice,
// by how they build their addresses.
var versions = []string{"v1", "v1beta", "v1alpha"}

// A route is what may be asked of a service.
type route struct {
	wire wire   // how what it costs is read; nil: it costs nothing
	path string // below the endpoint's base URL, with a slash
	// model says that the request's body names a model.
	model  bool
	stream bool // by its path
}

// geminiCall is a model's name with a method.
var geminiCall = regexp.MustCompile(`^models/[A-Za-z0-9._/-]+:(generateContent|streamGenerateContent|countTokens)$`)

// listing is a request for what models there are.
var listing = regexp.MustCompile(`^models(/[A-Za-z0-9._:@/-]+)?$`)

// find says what a path of a session asks for; ok is false for everything that
// no client needs to be answered by a model.
func (s *session) find(method, path string) (r route, ok bool) {
	version, rest := split(path)
	if strings.Contains(rest, "..") || strings.Contains(rest, "//") {
		return r, false
	}
	if method == http.MethodGet && listing.MatchString(rest) {
		return route{path: s.versioned(version, rest)}, true
	}
	if method != http.MethodPost {
		return r, false
	}
	switch p := s.model.Provider; {
	case p == clade.ProviderOpenAI && rest == "chat/completions":
		r = route{wire: chat{}}
	case p == clade.ProviderOpenAI && rest == "responses":
		r = route{wire: responses{}}
	case p == clade.ProviderAnthropic && rest == "messages":
		r = route{wire: messages{}}
	case p == clade.ProviderAnthropic && rest == "messages/count_tokens":
		r = route{model: true}
	case p == clade.ProviderGoogle && geminiCall.MatchString(rest):
		method := rest[strings.LastIndexByte(rest, ':')+1:]
		if method != "countTokens" {
			r = route{wire: generate{}, stream: method == "streamGenerateContent"}
		}
		rest = "models/" + url.PathEscape(strings.TrimPrefix(s.model.Model, "models/")) + ":" + method
	default:
		return r, false
	}
	r.path = s.versioned(version, rest)
	return r, true
}

// split takes leading versions off a path and returns the last of them.
func split(path string) (version, rest string) {
	rest = strings.TrimLeft(path, "/")
	for {
		head, tail, more := strings.Cut(rest, "/")
		if !more || !slices.Contains(versions, head) {
			return version, rest
		}
		version, rest = head, strings.TrimLeft(tail, "/")
	}
}

// versioned puts the version back that the endpoint's base URL lacks.
func (s *session) versioned(version, rest string) string {
	switch s.model.Provider {
	case clade.ProviderAnthropic:
		return "/v1/" + rest
	case clade.ProviderGoogle:
		if version == "" {
			version = "v1beta"
		}
		return "/" + version + "/" + rest
	}
	return "/" + rest
}
