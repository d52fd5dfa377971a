package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var (
	faultRow  = regexp.MustCompile(`(?m)^\| ([A-Z][0-9]+[a-z]?) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$`)
	tableRow  = regexp.MustCompile(`(?m)^\| [A-Z]`)
	testNamed = regexp.MustCompile("^`([^`]+)` (.+)$")
)

// TestFaults holds docs/faults.md to the code: each test that it names exists,
// no row is there twice, and each guard of scripts/guards.txtar has a row.
func TestFaults(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "faults.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, m := range faultRow.FindAllStringSubmatch(string(page), -1) {
		if rows[m[1]] {
			t.Errorf("%s is there twice", m[1])
		}
		rows[m[1]] = true
		for of := range strings.SplitSeq(m[4], "; ") {
			named := testNamed.FindStringSubmatch(of)
			if named == nil {
				t.Errorf("%s: %q names no package and tests", m[1], of)
				continue
			}
			for test := range strings.SplitSeq(named[2], ", ") {
				if !exists(t, root, named[1], test) {
					t.Errorf("%s: %s has no %s", m[1], named[1], test)
				}
			}
		}
	}
	if n := len(tableRow.FindAllString(string(page), -1)); n != len(rows) {
		t.Errorf("%d of %d rows are understood", len(rows), n)
	}
	guards, err := txtar.ParseFile(filepath.Join(root, "scripts", "guards.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range guards.Files {
		row, _, _ := strings.Cut(g.Name, " | ")
		if row, _, _ = strings.Cut(row, "-"); !rows[row] {
			t.Errorf("the guard %q has no row in docs/faults.md", g.Name)
		}
	}
}

// exists looks for a test function of a package and, after a slash, for a
// script or for a case by its name.
func exists(t *testing.T, root, pkg, test string) bool {
	t.Helper()
	name, part, _ := strings.Cut(test, "/")
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(files, holds(t, "func "+name+"(")) {
		return false
	}
	if name == "TestScripts" {
		_, err := os.Stat(filepath.Join("testdata", "script", part+".txtar"))
		return err == nil
	}
	suites, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "..", "*test", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	return part == "" || slices.ContainsFunc(append(files, suites...), holds(t, `"`+part+`"`))
}

func holds(t *testing.T, text string) func(file string) bool {
	return func(file string) bool {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(b), text)
	}
}
