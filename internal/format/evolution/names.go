package evolution

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/cladehq/clade"
)

// Root is where evolutions lie below a repository, slash separated.
const Root = ".agents/evolutions"

// Files of an evolution's directory.
const (
	FileEvolution = "evolution.yaml"
	FilePage      = "EVOLUTION.md"
	FileResult    = "result.json"
	DirVariants   = "variants"
	DirWorkspace  = "workspace"
)

// Dir is the name of an evolution's directory: 1-optimize_startup.
func Dir(id int, slug string) string { return strconv.Itoa(id) + "-" + slug }

// WorkspaceOf is a variant's workspace below the repository, slash separated;
// its result lies one directory above.
func (e *Evolution) WorkspaceOf(variant string) string {
	return strings.Join([]string{Root, Dir(e.ID, e.Slug), DirVariants, variant, DirWorkspace}, "/")
}

var dirForm = pattern(`^([0-9]+)-(.+)$`)

// A directory that holds an evolution.
type directory struct {
	id   int
	slug string
	name string
}

// directories are the names among a listing that an evolution may have, by id.
func directories(names []string) (all []directory) {
	for _, name := range names {
		m := dirForm().FindStringSubmatch(name)
		if m == nil {
			continue
		}
		if id, err := strconv.Atoi(m[1]); err == nil {
			all = append(all, directory{id, m[2], name})
		}
	}
	slices.SortFunc(all, func(a, b directory) int {
		if a.id != b.id {
			return a.id - b.id
		}
		return strings.Compare(a.name, b.name)
	})
	return all
}

// NextID is the id of the next evolution: one above the highest in a listing of
// directory names, 1 if there is none.
func NextID(names []string) int {
	all := directories(names)
	if len(all) == 0 {
		return 1
	}
	return all[len(all)-1].id + 1
}

// Sorted are those of a listing's names that are evolutions, by id.
func Sorted(names []string) (out []string) {
	for _, d := range directories(names) {
		out = append(out, d.name)
	}
	return out
}

// A Match is the directory that an argument names.
type Match struct {
	Dir    string
	Others []string // further directories that it names; the lowest id was taken
}

// Resolve finds the directory that an argument names in a listing of directory
// names: a whole number is an id, a directory's whole name is that directory,
// and anything else is a fragment of a slug. Of several the lowest id is taken.
// What names none is a *clade.Problem of fault not-found.
func Resolve(arg string, names []string) (Match, error) {
	all := directories(names)
	if id, err := strconv.Atoi(arg); err == nil {
		return pick(arg, all, func(d directory) bool { return d.id == id })
	}
	if i := slices.IndexFunc(all, func(d directory) bool { return d.name == arg }); i >= 0 {
		return Match{Dir: arg}, nil
	}
	return pick(arg, all, func(d directory) bool { return arg != "" && strings.Contains(d.slug, strings.ToLower(arg)) })
}

func pick(arg string, all []directory, is func(directory) bool) (m Match, err error) {
	for _, d := range all {
		switch {
		case !is(d):
		case m.Dir == "":
			m.Dir = d.name
		default:
			m.Others = append(m.Others, d.name)
		}
	}
	if m.Dir == "" {
		hint := ""
		if len(all) > 0 {
			hint = "there is " + all[0].name
			if len(all) > 1 {
				hint = fmt.Sprintf("there are %d, from %s to %s", len(all), all[0].name, all[len(all)-1].name)
			}
		}
		return m, &clade.Problem{Fault: clade.FaultNotFound, Text: fmt.Sprintf("no evolution is called %q", arg), Hint: hint}
	}
	return m, nil
}

var noSlug = pattern(`[^a-z0-9]+`)

// plainLetters are the letters that are more than one, or no ASCII after their
// accents are gone.
var plainLetters = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "æ", "ae", "ø", "o", "œ", "oe", "å", "a", "ł", "l", "đ", "d",
	"à", "a", "á", "a", "â", "a", "ã", "a", "ç", "c", "è", "e", "é", "e", "ê", "e", "ë", "e", "ì", "i", "í", "i", "î", "i", "ï", "i",
	"ñ", "n", "ò", "o", "ó", "o", "ô", "o", "õ", "o", "ù", "u", "ú", "u", "û", "u", "ý", "y", "ÿ", "y", "š", "s", "ž", "z", "č", "c")

// Slug makes a slug of a title: snake_case, at most 40 characters, cut between
// words where that keeps half of them. A title without a Latin letter or digit
// gives "evolution".
func Slug(title string) string {
	s := plainLetters.Replace(strings.ToLower(title))
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) { // an accent that stands by itself
			return -1
		}
		return r
	}, s)
	s = strings.Trim(noSlug().ReplaceAllString(s, "_"), "_")
	if len(s) > slugMost {
		cut := s[:slugMost]
		if at := strings.LastIndexByte(cut, '_'); s[slugMost] != '_' && at >= slugMost/2 {
			cut = cut[:at]
		}
		s = strings.Trim(cut, "_")
	}
	if s == "" {
		return "evolution"
	}
	return s
}
