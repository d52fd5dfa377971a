package land_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/ledger"
)

// F39: a clean file whose bytes are not its blob's is no dirt, and a winner gets
// the line ends that a checkout would have given it.
func TestLineEndsF39(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		config        string
		attributes    string
		disk, written string // of "f", whose blob goes from "1\n2\n" to "1\n9\n"
	}{
		{name: "plain", disk: "1\n2\n", written: "1\n9\n"},
		{name: "autocrlf", config: "core.autocrlf=true", disk: "1\r\n2\r\n", written: "1\r\n9\r\n"},
		{name: "autocrlf over a file with LF", config: "core.autocrlf=true", disk: "1\n2\n", written: "1\r\n9\r\n"},
		{name: "autocrlf input", config: "core.autocrlf=input", disk: "1\r\n2\r\n", written: "1\n9\n"},
		{name: "eol=crlf", attributes: "f text eol=crlf\n", disk: "1\r\n2\r\n", written: "1\r\n9\r\n"},
		{name: "eol=lf against autocrlf", config: "core.autocrlf=true", attributes: "f text eol=lf\n", disk: "1\n2\n", written: "1\n9\n"},
		{name: "-text against autocrlf", config: "core.autocrlf=true", attributes: "f -text\n", disk: "1\n2\n", written: "1\n9\n"},
		{name: "text=auto with core.eol", config: "core.eol=crlf", attributes: "* text=auto\n", disk: "1\r\n2\r\n", written: "1\r\n9\r\n"},
		{name: "encoding", attributes: "f working-tree-encoding=UTF-16LE eol=lf\n", disk: "1\x00\n\x002\x00\n\x00", written: "1\x00\n\x009\x00\n\x00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := empty(t, clade.TargetGit)
			w.init()
			if c.config != "" {
				key, value, _ := strings.Cut(c.config, "=")
				w.person("config", key, value)
			}
			w.put(files{"f": c.disk, "other": "1\n"})
			if c.attributes != "" {
				w.put(files{".gitattributes": c.attributes})
			}
			w.person("add", "-A")
			w.person("commit", "-q", "-m", "base")
			if blob := w.person("cat-file", "blob", "HEAD:f"); blob != "1\n2\n" {
				t.Fatalf("the blob is %q", blob)
			}
			w.run(ledger.Source{Git: w.root, Rev: "HEAD"}, files{"f": "1\n9\n"})
			old := time.Unix(1_000_000_000, 0)
			must(t, os.Chtimes(w.at("f"), old, old)) // git's index no longer knows it
			before := w.image()
			w.mustApply()
			w.holds(files{"f": c.written})
			w.only(before, files{"f": ""})
			w.mustUndo()
			w.same(before, "apply and undo")
			w.put(files{"f": "mine"})
			refused(t, w.apply(), clade.FaultConflict, `"f" has changes of yours`)
		})
	}
}

// Line ends are mostly a setting of the person, not of the repository.
func TestLineEndsOfThePersonF39(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	must(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[core]\n\tautocrlf = true\n"), 0o644))
	w := empty(t, clade.TargetGit)
	w.home = home
	w.init()
	w.put(files{"f": "1\r\n2\r\n"})
	w.person("add", "-A")
	w.person("commit", "-q", "-m", "base")
	w.run(ledger.Source{Git: w.root, Rev: "HEAD"}, files{"f": "1\n9\n"})
	old := time.Unix(1_000_000_000, 0)
	must(t, os.Chtimes(w.at("f"), old, old))
	w.Commit = true
	w.mustApply()
	w.holds(files{"f": "1\r\n9\r\n"})
	if s := w.person("status", "--porcelain"); s != "" {
		t.Errorf("status says %q", s)
	}
	w.mustUndo()
	w.holds(files{"f": "1\r\n2\r\n"})
}

func TestFiltersF39(t *testing.T) {
	t.Parallel()
	before := files{"f": "1\n", "g": "1\n", ".gitattributes": "f filter=lfs\n"}
	t.Run("configured", func(t *testing.T) {
		t.Parallel()
		w := repository(t, before, files{"f": "2\n"}, "filter.lfs.clean=cat", "filter.lfs.smudge=touch ran; cat")
		image := w.image()
		refused(t, w.apply(), clade.FaultConflict, `"f" is kept through the filter "lfs"`)
		w.same(image, "a refused apply")
	})
	t.Run("configured, beside line ends", func(t *testing.T) {
		t.Parallel()
		w := repository(t, files{"f": "1\n", ".gitattributes": "f filter=lfs text eol=crlf\n"}, files{"f": "2\n"},
			"filter.lfs.clean=cat", "filter.lfs.smudge=touch ran; cat")
		must(t, os.RemoveAll(w.at("ran"))) // the person's own git ran it
		image := w.image()
		refused(t, w.apply(), clade.FaultConflict, `"f" is kept through the filter "lfs"`)
		w.same(image, "a refused apply")
	})
	t.Run("on another file", func(t *testing.T) {
		t.Parallel()
		w := repository(t, before, files{"g": "2\n"}, "filter.lfs.clean=touch ran; cat", "filter.lfs.smudge=touch ran; cat")
		must(t, os.RemoveAll(w.at("ran"))) // the person's own git ran them
		must(t, os.Chtimes(w.at("f"), time.Time{}, time.Unix(1, 0)))
		image := w.image()
		w.mustApply()
		w.holds(files{"g": "2\n", "ran": ""})
		w.mustUndo()
		w.same(image, "apply and undo")
	})
	t.Run("not configured", func(t *testing.T) {
		t.Parallel()
		w := repository(t, files{"f": "1\n", ".gitattributes": "f filter=other\n"}, files{"f": "2\n"})
		w.mustApply()
		w.holds(files{"f": "2\n"})
	})
	t.Run("F56 LFS not installed", func(t *testing.T) {
		t.Parallel()
		w := repository(t, before, files{"f": "2\n"})
		image := w.image()
		refused(t, w.apply(), clade.FaultConflict, `"f" is kept through the filter "lfs"`)
		w.same(image, "a refused apply")
	})
}

// Where git was told that the disk knows no executable bits, or no links, what
// is there stays of its kind.
func TestPoorFileSystems(t *testing.T) {
	t.Parallel()
	t.Run("no executable bits", func(t *testing.T) {
		t.Parallel()
		w := repository(t, files{"f": "1\n"}, files{"f": "2\n"}, "core.fileMode=false")
		w.put(files{"f": "x 1\n"})
		before := w.image()
		w.mustApply()
		w.holds(files{"f": "x 2\n"})
		w.mustUndo()
		w.same(before, "apply and undo")
	})
	t.Run("no links", func(t *testing.T) {
		t.Parallel()
		w := repository(t, files{"f": "1\n", "l": "-> f"}, files{"l": "-> g"})
		w.person("config", "core.symlinks", "false")
		must(t, os.Remove(w.at("l")))
		must(t, os.WriteFile(w.at("l"), []byte("f"), 0o644))
		before := w.image()
		w.mustApply()
		w.holds(files{"l": "g"})
		w.mustUndo()
		w.same(before, "apply and undo")
	})
}

// Nothing of the person's runs while clade reads or writes.
func TestHooksDoNotRun(t *testing.T) {
	t.Parallel()
	w := repository(t, files{"f": "1\n"}, files{"f": "2\n"})
	for _, hook := range []string{"pre-commit", "post-checkout", "post-index-change", "reference-transaction", "post-commit", "commit-msg", "prepare-commit-msg"} {
		w.put(files{".git/hooks/" + hook: "x #!/bin/sh\ntouch " + w.at("ran") + "\n"})
	}
	w.Commit = true
	w.mustApply()
	w.holds(files{"ran": "", "f": "2\n"})
}
