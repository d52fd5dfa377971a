package native

import (
	"regexp"
	"sync"
)

// pattern compiles a regular expression when it is first used: two dozen of
// them would be felt at the start of every command.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
