package native

import (
	"path"
	"slices"
	"strings"

	"github.com/cladehq/clade"
)

// datasetFormats are the formats of case files, each also a file's ending.
var datasetFormats = []string{"json", "jsonl", "csv", "tsv"}

// scorers are the built-in ways to score an answer; command runs one's own.
var scorers = []string{"exact", "contains", "last_number", "numeric_close", "command"}

// mostCases bounds a split; far more than anyone evaluates, it catches slips.
const mostCases = 1_000_000

func (d *decoder) readBenchmark(n *node) *clade.Benchmark {
	if n == nil {
		return nil
	}
	return &clade.Benchmark{Command: *d.command(n)}
}

func (d *decoder) readDataset(n *node) *clade.Dataset {
	if n == nil {
		return nil
	}
	f := d.fields(n, "write a mapping with file, run and scorer")
	set := &clade.Dataset{Seed: 1}
	file := f.need("file", "name the file of the cases")
	set.File = d.file(file)
	set.Format = d.datasetFormat(f.get("format"), file)
	set.CaseID = d.text(f.get("id"), "name a field of a case")
	set.Input = d.text(f.get("input"), "name a field of a case")
	set.Expected = d.text(f.get("expected"), "name a field of a case")
	d.answer(f, set)
	set.Scorer = d.scorer(f.need("scorer", "choose one of "+strings.Join(scorers, ", ")))
	if k := set.Scorer.Kind; k != "" && k != "command" && !f.has("expected") {
		d.add(n.at, "name the field that holds the right answer", "%s.expected is missing, which scorer %s compares with", n.path, k)
	}
	set.Splits = d.splits(f.get("splits"))
	set.Seed = uint64(orDefault(d.whole(f.get("split_seed"), 1, exact), 1))
	f.done()
	return set
}

// answer reads what answers a case: a command, or an agent.
func (d *decoder) answer(f *fields, set *clade.Dataset) {
	if !f.has("rollout") {
		f.get("rollout")
		set.Command = d.commandIn(f, true)
		return
	}
	rollout, h := d.rollout(f.get("rollout"))
	set.Rollout, set.Command = rollout, d.agentCommand(f, h)
}

// datasetFormat is the format as given, or else as the file's name ends.
func (d *decoder) datasetFormat(n, file *node) string {
	if n != nil {
		return d.choice(n, datasetFormats...)
	}
	if file == nil || file.kind != text {
		return ""
	}
	end := strings.TrimPrefix(strings.ToLower(path.Ext(file.text)), ".")
	if slices.Contains(datasetFormats, end) {
		return end
	}
	d.add(file.at, "add format: json, jsonl, csv or tsv", "%s: the ending of %s tells no format", file.path, quote(file.text))
	return ""
}

func (d *decoder) scorer(n *node) (s clade.Scorer) {
	switch {
	case n == nil:
		return s
	case n.kind == text:
		if s.Kind = d.choice(n, scorers...); s.Kind == "command" {
			d.add(n.at, "write scorer: {command: …}", "%s: command needs to be told what to run", n.path)
		}
		return s
	}
	f := d.fields(n, "choose one of "+strings.Join(scorers, ", "))
	kind, command := f.get("kind"), f.get("command")
	s.Kind = d.choice(kind, scorers...)
	if command != nil {
		s.Command = d.command(command)
	}
	s.Tolerance = d.above(f.get("tolerance"), 0)
	if !f.has("kind") && f.has("command") {
		s.Kind = "command"
	} else if !f.has("kind") && n.kind == mapping {
		d.add(n.at, "choose one of "+strings.Join(scorers, ", "), "%s.kind is missing", n.path)
	}
	d.scorerFits(f, s.Kind)
	f.done()
	return s
}

func (d *decoder) scorerFits(f *fields, kind string) {
	if kind == "" {
		return
	}
	if kind != "command" {
		f.refuse("has no use where kind is "+kind, "remove it, or write kind: command", "command")
	} else if !f.has("command") {
		d.add(f.of.at, commandHint, "%s.command is missing", f.of.path)
	}
	if kind != "numeric_close" && kind != "last_number" {
		f.refuse("has no use where kind is "+kind, "remove it, or write kind: numeric_close", "tolerance")
	}
}

// splits reads the numbers of cases. Either all are left out, or select and
// test have some: the one decides, the other proves.
func (d *decoder) splits(n *node) (s clade.SplitSizes) {
	if n == nil {
		return s
	}
	f := d.fields(n, "write train:, select: and test: with numbers of cases")
	train, sel, test := f.get("train"), f.get("select"), f.get("test")
	s.Train = int(d.whole(train, 0, mostCases))
	if f.of.kind == mapping {
		s.Select, s.Test = d.split(f, sel, "select", "decides during the search"), d.split(f, test, "test", "proves the winner")
	}
	f.done()
	return s
}

func (d *decoder) split(f *fields, n *node, key, why string) int {
	if !f.has(key) {
		d.add(f.of.at, "give it at least one case, or leave splits out for a third each", "%s.%s is missing, which %s", f.of.path, key, why)
	}
	return int(d.whole(n, 1, mostCases))
}
