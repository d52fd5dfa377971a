package native

import (
	"encoding/csv"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

var (
	promptFile = pattern(`(?i)\.(md|txt|prompt)$`)
	aboutFile  = pattern(`(?i)^(readme|license|licence|changelog|contributing|notice|authors|requirements)\b`)
	casesFile  = pattern(`(?i)^(cases|dataset|data|evals?|examples|questions|tests?)\.(jsonl|json|csv|tsv)$`)
	answerFile = pattern(`^(answer|agent|solve)(\.(sh|py|js))?$`)
)

// promptOf is the one text file right in the folder that says what to do, ""
// if there is none or more than one.
func promptOf(f *folder) string {
	found := ""
	for _, file := range f.files {
		if strings.Contains(file, "/") || !promptFile().MatchString(file) || aboutFile().MatchString(file) {
			continue
		}
		if found != "" {
			return ""
		}
		found = file
	}
	return found
}

func prompt(f *folder, d *draft) {
	file := promptOf(f)
	d.objective = "Make answers under " + file + " right more often."
	if literal(file) {
		d.allow = []string{file}
	} else {
		d.allow = []string{"*" + path.Ext(file)}
	}
	cases(f, d, file)
}

// literal reports whether a name is a pattern that matches itself only.
func literal(file string) bool { return !strings.ContainsAny(file, `*?[]{}\!:`) }

func skill(f *folder, d *draft) {
	d.objective = "Make answers with this skill right more often."
	d.allow = []string{"**/*.md"}
	d.frozen = f.present("README.md", "LICENSE.md")
	if f.has("scripts") {
		d.frozen = append(d.frozen, "scripts/**")
	}
	cases(f, d, "SKILL.md")
}

// cases fills in the dataset: what was found, or what has to be written.
func cases(f *folder, d *draft, subject string) {
	file, fields := "cases.jsonl", []string{"id", "input", "expected"}
	found := slices.DeleteFunc(f.matching(casesFile()), func(s string) bool { return !literal(s) })
	if len(found) > 0 {
		file, fields = found[0], fieldsOf(f, found[0])
		d.note("%s holds the cases", file)
	} else {
		d.note(`write cases.jsonl, at least 15 lines like {"id": "1", "input": "…", "expected": "…"}`)
	}
	answer := "./answer"
	programs := slices.DeleteFunc(f.matching(answerFile()), func(s string) bool { return !shellSafe(s) })
	if len(programs) > 0 {
		answer = runOf(programs[0])
		d.frozen = append(d.frozen, programs[0])
		d.note("%s answers a case", answer)
	} else {
		d.frozen = append(d.frozen, "answer")
		d.note("write ./answer: it gets a case on standard input and prints the answer, as %s has it", subject)
	}
	d.frozen = append(d.frozen, file)
	d.dataset = append(d.dataset, "file: "+scalar(file))
	for _, c := range []struct{ key, names string }{
		{"id", "id case_id name"},
		{"input", "input question prompt query task"},
		{"expected", "expected answer output target label reference"},
	} {
		if field := firstOf(fields, c.names); field != "" {
			d.dataset = append(d.dataset, c.key+": "+scalar(field))
		} else if c.key == "expected" {
			d.dataset = append(d.dataset, "expected: expected")
			d.note("say in dataset.expected which field of a case holds the right answer")
		}
	}
	d.dataset = append(d.dataset, "run: "+scalar(answer), "timeout: 2m", "# Others: contains, last_number, numeric_close, or a command of your own.", "scorer: exact")
}

// runOf is how a program is run.
func runOf(file string) string {
	switch path.Ext(file) {
	case ".py":
		return "python3 " + file
	case ".sh":
		return "sh " + file
	case ".js":
		return "node " + file
	}
	return "./" + file
}

func firstOf(fields []string, names string) string {
	for _, n := range strings.Fields(names) {
		if slices.Contains(fields, n) {
			return n
		}
	}
	return ""
}

// fieldsOf are the fields of the first case, sorted.
func fieldsOf(f *folder, file string) []string {
	text := strings.TrimPrefix(f.read(file), "\ufeff")
	switch ext := strings.ToLower(path.Ext(file)); ext {
	case ".csv", ".tsv":
		r := csv.NewReader(strings.NewReader(text))
		if ext == ".tsv" {
			r.Comma = '\t'
		}
		head, err := r.Read()
		if err != nil {
			return nil
		}
		slices.Sort(head)
		return head
	}
	var first map[string]any
	dec := json.NewDecoder(strings.NewReader(text))
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		if _, err := dec.Token(); err != nil {
			return nil
		}
	}
	if dec.Decode(&first) != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(first))
}
