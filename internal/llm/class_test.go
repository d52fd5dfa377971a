package llm_test

import (
	"errors"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

func TestClass(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  llm.Error
		want clade.Class
	}{
		"a key that is refused":           {llm.Error{Kind: llm.KindAccess}, clade.ClassAccess},
		"busy":                            {llm.Error{Kind: llm.KindRate}, clade.ClassModel},
		"failing":                         {llm.Error{Kind: llm.KindServer}, clade.ClassModel},
		"unreachable":                     {llm.Error{Kind: llm.KindNetwork}, clade.ClassModel},
		"too dear":                        {llm.Error{Kind: llm.KindBudget}, clade.ClassBudget},
		"nonsense":                        {llm.Error{Kind: llm.KindReply}, clade.ClassOperator},
		"not asked, the key was refused":  {llm.Error{Kind: llm.KindAllFailed, Err: &llm.Error{Kind: llm.KindAccess}}, clade.ClassAccess},
		"not asked, every call failed":    {llm.Error{Kind: llm.KindAllFailed, Err: &llm.Error{Kind: llm.KindServer}}, clade.ClassModel},
		"not asked, for something else":   {llm.Error{Kind: llm.KindAllFailed, Err: errors.New("x")}, clade.ClassModel},
		"not asked, and nobody knows why": {llm.Error{Kind: llm.KindAllFailed}, clade.ClassModel},
	} {
		if got := c.err.Class(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
