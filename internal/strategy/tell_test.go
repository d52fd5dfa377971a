package strategy

import "testing"

func TestTellSaysThingsOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ what, detail, want string }{
		{"gate tests failed", "gate tests failed: run again: no", "gate tests failed: run again: no"},
		{"gate tests failed", "gate tests failed", "gate tests failed"},
		{"gate tests failed", "gate tests failed2: no", "gate tests failed: gate tests failed2: no"},
		{"gate tests failed", " no\n way ", "gate tests failed: no way"},
		{"gate tests failed", "", "gate tests failed"},
	} {
		if got := tell(c.what, c.detail); got != c.want {
			t.Errorf("%q and %q: %q, want %q", c.what, c.detail, got, c.want)
		}
	}
}
