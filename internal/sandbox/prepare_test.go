package sandbox_test

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/sandbox"
)

func user(name string) (string, bool) {
	v, ok := map[string]string{"PATH": "/mine", "KEY": "0123456789", "SHORT": "x", "LANG": "de"}[name]
	return v, ok
}

func TestPrepareLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		timeout, wall clade.Duration
		disk          clade.Bytes
		want          time.Duration
		wantDisk      int64
	}{
		"its own":    {clade.Duration(time.Second), clade.Duration(time.Hour), 4, time.Second, 4},
		"the spec's": {0, clade.Duration(time.Hour), 4, time.Hour, 4},
		"neither":    {0, 0, 0, 10 * time.Minute, 16 << 30},
	} {
		l := clade.Limits{Wall: c.wall, Memory: 1, Processes: 2, Output: 3, Disk: c.disk}
		got := sandbox.Prepare(clade.Command{Run: "x", Timeout: c.timeout, Network: true}, l, nil, user)
		if want := (sandbox.Limits{Wall: c.want, Memory: 1, Processes: 2, Output: 3, Disk: c.wantDisk}); got.Limits != want || !got.Network {
			t.Errorf("%s: %+v, want %+v and a network", name, got, want)
		}
		if !slices.Equal(got.Args, []string{"sh", "-c", "x"}) {
			t.Errorf("%s: arguments %q", name, got.Args)
		}
	}
}

// A command sees what it is given and nothing else.
func TestEnviron(t *testing.T) {
	t.Parallel()
	base := []string{"A=base", "B=base", "C=base=1", "KEY=base"}
	c := clade.Command{Pass: []string{"KEY", "MISSING"}, Env: map[string]string{"A": "own", "D": ""}}
	want := []string{"A=own", "B=base", "C=base=1", "D=", "KEY=0123456789"}
	if got := sandbox.Environ(c, base, user); !slices.Equal(got, want) {
		t.Errorf("Environ = %q, want %q", got, want)
	}
	got := sandbox.Environ(clade.Command{}, sandbox.Basics(user), user)
	if want := []string{"LANG=C.UTF-8", "LC_ALL=C.UTF-8", "PATH=/mine"}; !slices.Equal(got, want) {
		t.Errorf("Basics = %q, want %q", got, want)
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	s := sandbox.SecretsOf(clade.Command{Pass: []string{"KEY", "SHORT", "MISSING"}}, user)
	if got, want := s.Hide("x 0123456789 0123456789x"), "x [KEY] [KEY]x"; got != want {
		t.Errorf("Hide = %q, want %q", got, want)
	}
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the system chooses among folders and endings")
	}
	for name, c := range map[string]struct {
		program string
		env     []string
		want    []string
	}{
		"in order":            {"p", []string{"PATH=/b:/a"}, []string{"/b/p", "/a/p"}},
		"the last PATH":       {"p", []string{"PATH=/a", "PATH=/b"}, []string{"/b/p"}},
		"never here":          {"p", []string{"PATH=:.:bin:/a"}, []string{"/a/p"}},
		"no PATH":             {"p", []string{"PATHS=/a"}, nil},
		"where it says":       {"./p", []string{"PATH=/a"}, []string{"./p"}},
		"where it says, deep": {"bin/p", nil, []string{"bin/p"}},
	} {
		if got := sandbox.Programs(c.program, c.env); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
