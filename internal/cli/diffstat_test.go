package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// What git 2.39 prints of these changes with diff-tree -p --no-renames.
const aPatch = `diff --git a/bin/tool b/bin/tool
old mode 100644
new mode 100755
diff --git a/gone b/gone
deleted file mode 100644
index d905d9d..0000000
--- a/gone
+++ /dev/null
@@ -1,2 +0,0 @@
-- a list
--- of dashes
diff --git a/logo.png b/logo.png
index 1b1cb4d..2c6a8d0 100644
Binary files a/logo.png and b/logo.png differ
diff --git a/now b/now
deleted file mode 100644
index 0c0ab0b..0000000
--- a/now
+++ /dev/null
@@ -1 +0,0 @@
-text
diff --git a/now b/now
new file mode 120000
index 0000000..1b1cb4d
--- /dev/null
+++ b/now
@@ -0,0 +1 @@
+elsewhere
\ No newline at end of file
diff --git "a/sm\303\266r b/x" "b/sm\303\266r b/x"
index 1..2 100644
--- "a/sm\303\266r b/x"
+++ "b/sm\303\266r b/x"
@@ -1,3 +1,4 @@
 a
-b
++++ c
+diff --git a/x b/x
 d
`

func TestStatOf(t *testing.T) {
	t.Parallel()
	want := []stat{
		{path: "bin/tool", what: "mode 100644 → 100755"},
		{path: "gone", what: "deleted", less: 2},
		{path: "logo.png", binary: true},
		{path: "now", what: "now link", plus: 1, less: 1},
		{path: `"sm\303\266r b/x"`, plus: 2, less: 1},
	}
	if got := statOf([]byte(aPatch)); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	var out bytes.Buffer
	printStat(&out, []byte(aPatch))
	if !strings.HasSuffix(out.String(), "5 files, +3 −4\n") {
		t.Errorf("%s", out.String())
	}
}

// FuzzStatOf: whatever a patch says, it is summed up.
func FuzzStatOf(f *testing.F) {
	f.Add([]byte(aPatch))
	f.Add([]byte("diff --git \n@@ \n+"))
	f.Add([]byte("diff --git x"))
	f.Fuzz(func(t *testing.T, patch []byte) {
		for _, s := range statOf(patch) {
			if s.plus+s.less > bytes.Count(patch, []byte("\n"))+1 {
				t.Errorf("%+v", s)
			}
		}
	})
}
