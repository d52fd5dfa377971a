package agent

import (
	"regexp"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/sandbox"
)

// Bounds of what a report holds, bytes.
const (
	DetailMost = 2 << 10
	TextMost   = 64 << 10
)

// Finish makes a report of what a driver found in a CLI's output. found.End is ""
// where the CLI said nothing of its end, which is then judged by the end of the
// process and its last words. Whatever was printed, what is returned is clean and
// bounded, has the key of t taken out and says no negative amount.
func Finish(t Task, r sandbox.Result, found Report) Report {
	hide := secretsOf(t)
	switch {
	case r.TimedOut:
		found.End, found.Detail = EndHung, "the time limit ended it"
	case found.End == "":
		found.End, found.Detail = unsaid(r, found.Detail, hide)
	case found.End == EndDone:
		found.Detail = ""
	case found.Detail == "":
		found.Detail = lastWords(r, hide)
	}
	found.Detail = clade.Clip(plain(found.Detail, hide), DetailMost)
	found.Text = clade.Clip(plain(found.Text, hide), TextMost)
	if !ValidSession(found.Session) {
		found.Session = ""
	}
	found.Spent = credible(found.Spent)
	return found
}

// credible is an amount without what cannot be, which is not known then.
func credible(a clade.Amount) clade.Amount {
	if a.Microdollars < 0 || a.Tokens < 0 || a.Calls < 0 {
		a.Unknown = true
	}
	a.Microdollars, a.Tokens, a.Calls = max(0, a.Microdollars), max(0, a.Tokens), max(0, a.Calls)
	return a
}

// unsaid is the end of a run of which the CLI itself said nothing, or only what
// detail says.
func unsaid(r sandbox.Result, detail string, hide sandbox.Secrets) (End, string) {
	switch {
	case r.Exit == sandbox.ExitNotFound || r.Exit == sandbox.ExitNotExecutable:
		return EndMissing, lastWords(r, hide)
	case r.OutOfMemory:
		return EndFailed, "it needed more memory than it may use"
	case r.OutOfDisk:
		return EndFailed, "it wrote more than it may"
	case r.Cancelled:
		return EndFailed, "cancelled"
	}
	how := r.Failure(sandbox.Limits{})
	if how == "" {
		how = "it ended without a result"
	}
	if detail == "" {
		detail = lastWords(r, hide)
	}
	end := OfText(detail)
	if end == "" {
		end = EndFailed
	}
	return end, strings.TrimSpace(how + "\n" + detail)
}

// lastWords is the end of what was said on standard error, where there are no
// events, with the line first that tells what went wrong: people are shown the
// beginning of a detail, and what programs print last is where it went wrong.
func lastWords(r sandbox.Result, hide sandbox.Secrets) string {
	said := sandbox.Result{Stderr: r.Stderr}
	words := said.Excerpt(2*DetailMost, hide)
	if len(words) <= tellingMost {
		return words
	}
	if all := errorLine.FindAllString(said.Excerpt(64<<10, hide), -1); len(all) > 0 {
		return clade.Line(all[len(all)-1], tellingMost) + "\n" + words
	}
	return words
}

// tellingMost is how long a line may be that is put first, in characters, and
// how short a text that needs none, in bytes.
const tellingMost = 240

// errorLine is how programs of Node, Python, Go and Rust say what went wrong.
var errorLine = regexp.MustCompile(`(?m)^[ \t]*(?:[\w.]*(?:Error|Exception)\b[^\n]*:|(?:fatal|error|panic)\b[^\n]{0,40}:|thread '[^'\n]*' panicked at)[^\n]*`)

// plain is text fit to show. Keys go after the escapes that may be between their
// letters, and before anything is cut in two.
func plain(text string, hide sandbox.Secrets) string {
	return strings.TrimSpace(keyLike.ReplaceAllString(hide.Hide(clade.Clean(text)), "[key]"))
}

func secretsOf(t Task) sandbox.Secrets {
	if t.Access.Key == "" {
		return nil
	}
	return sandbox.Secrets{t.Access.Key, "[key]"}
}

// keyLike finds what services' keys look like: their messages like to repeat them.
var keyLike = regexp.MustCompile(`\b(?:sk-[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{30,}|gh[pousr]_[A-Za-z0-9]{20,})`)

var sessionName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$`)

// ValidSession reports whether id may be a session's. It was printed by a program
// that is not trusted and becomes an argument.
func ValidSession(id string) bool { return sessionName.MatchString(id) }
