package sandbox_test

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/cladehq/clade/internal/sandbox"
)

// disk invents a machine's files: content, or "→ target" for a link, by path.
func disk(files map[string]string) fs.FS {
	m := fstest.MapFS{}
	for p, content := range files {
		f := &fstest.MapFile{Data: []byte(content), Mode: 0o644}
		if to, ok := cutArrow(content); ok {
			f.Data, f.Mode = []byte(to), fs.ModeSymlink|0o777
		}
		m[p[1:]] = f
	}
	return m
}

func cutArrow(s string) (string, bool) {
	const arrow = "→ "
	if len(s) > len(arrow) && s[:len(arrow)] == arrow {
		return s[len(arrow):], true
	}
	return "", false
}

func TestTrail(t *testing.T) {
	t.Parallel()
	files := disk(map[string]string{
		"/usr/bin/tool": "", "/home": "→ /data/home", "/data/home/u/bin/tool": "→ ../apps/tool/current/run",
		"/data/home/u/apps/tool/current": "→ v2", "/data/home/u/apps/tool/v2/run": "",
		"/loop": "→ loop", "/up": "→ ../../../usr/bin/tool", "/gone": "→ nowhere",
	})
	link := func(p, to string) sandbox.Link { return sandbox.Link{Path: p, To: to} }
	for p, want := range map[string]struct {
		links []sandbox.Link
		end   string
	}{
		"/":             {nil, "/"},
		"/usr/bin/tool": {nil, "/usr/bin/tool"},
		"/home":         {[]sandbox.Link{link("/home", "/data/home")}, "/data/home"},
		"/home/u/bin/tool": {[]sandbox.Link{
			link("/home", "/data/home"), link("/data/home/u/bin/tool", "../apps/tool/current/run"),
			link("/data/home/u/apps/tool/current", "v2"),
		}, "/data/home/u/apps/tool/v2/run"},
		"/up": {[]sandbox.Link{link("/up", "../../../usr/bin/tool")}, "/usr/bin/tool"},
	} {
		links, end, err := sandbox.Trail(files, p)
		if err != nil || end != want.end || !slices.Equal(links, want.links) {
			t.Errorf("%s: %v, %q, %v", p, links, end, err)
		}
	}
	for _, p := range []string{"/gone", "/usr/bin/other", "/usr/bin/tool/x"} {
		if _, end, err := sandbox.Trail(files, p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %q, %v", p, end, err)
		}
	}
	for _, p := range []string{"/loop", "usr"} {
		if _, end, err := sandbox.Trail(files, p); err == nil {
			t.Errorf("%s: %q", p, end)
		}
	}
}
