package native

import (
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

// datasetFormats are the formats of case files, each also a file's ending.
var datasetFormats = []string{"json", "jsonl", "csv", "tsv"}

// scorers are the built-in ways to score an answer; command runs one's own.
var scorers = []string{"exact", "contains", "last_number", "numeric_close", "command"}

// mostCases bounds a split; far more than anyone evaluates, it catches slips.
const mostCases = 1_000_000

func (d *decoder) readBenchmark(n *syntax.Node) *clade.Benchmark {
	if n == nil {
		return nil
	}
	return &clade.Benchmark{Command: *d.command(n)}
}

func (d *decoder) readDataset(n *syntax.Node) *clade.Dataset {
	if n == nil {
		return nil
	}
	f := d.Fields(n, "write a mapping with file, run and scorer")
	set := &clade.Dataset{}
	file := f.Need("file", "name the file of the cases")
	set.File = d.file(file)
	set.Format = d.datasetFormat(f.Get("format"), file)
	set.CaseID = d.Text(f.Get("id"), "name a field of a case")
	set.Input = d.Text(f.Get("input"), "name a field of a case")
	set.Expected = d.Text(f.Get("expected"), "name a field of a case")
	d.answer(f, set)
	set.Scorer = d.scorer(f.Need("scorer", "choose one of "+strings.Join(scorers, ", ")))
	if k := set.Scorer.Kind; k != "" && k != "command" && !f.Has("expected") {
		d.Add(n.At, "name the field that holds the right answer", "%s.expected is missing, which scorer %s compares with", n.Path, k)
	}
	set.Splits = d.splits(f.Get("splits"))
	set.Batch = int(d.Whole(f.Get("batch"), 1, mostCases))
	set.Seed = uint64(d.Whole(f.Get("split_seed"), 1, syntax.Exact))
	f.Done()
	return completeDataset(set)
}

// answer reads what answers a case: a command, or an agent.
func (d *decoder) answer(f *syntax.Fields, set *clade.Dataset) {
	if !f.Has("rollout") {
		f.Get("rollout")
		set.Command = d.commandIn(f, true)
		return
	}
	rollout, h := d.rollout(f.Get("rollout"))
	set.Rollout, set.Command = rollout, d.agentCommand(f, h)
}

// datasetFormat is the format as given, or else as the file's name ends.
func (d *decoder) datasetFormat(n, file *syntax.Node) string {
	if n != nil {
		return d.Choice(n, datasetFormats...)
	}
	if file == nil || file.Kind != syntax.Text {
		return ""
	}
	if end := formatOf(file.Text); end != "" {
		return end
	}
	d.Add(file.At, "add format: json, jsonl, csv or tsv", "%s: the ending of %s tells no format", file.Path, syntax.Quote(file.Text))
	return ""
}

func (d *decoder) scorer(n *syntax.Node) (s clade.Scorer) {
	switch {
	case n == nil:
		return s
	case n.Kind == syntax.Text:
		if s.Kind = d.Choice(n, scorers...); s.Kind == "command" {
			d.Add(n.At, "write scorer: {command: …}", "%s: command needs to be told what to run", n.Path)
		}
		return s
	}
	f := d.Fields(n, "choose one of "+strings.Join(scorers, ", "))
	kind, command := f.Get("kind"), f.Get("command")
	s.Kind = d.Choice(kind, scorers...)
	if command != nil {
		s.Command = d.command(command)
	}
	s.Tolerance = d.Above(f.Get("tolerance"), 0)
	if !f.Has("kind") && f.Has("command") {
		s.Kind = "command"
	} else if !f.Has("kind") && n.Kind == syntax.Mapping {
		d.Add(n.At, "choose one of "+strings.Join(scorers, ", "), "%s.kind is missing", n.Path)
	}
	d.scorerFits(f, s.Kind)
	f.Done()
	return s
}

func (d *decoder) scorerFits(f *syntax.Fields, kind string) {
	if kind == "" {
		return
	}
	if kind != "command" {
		f.Refuse("has no use where kind is "+kind, "remove it, or write kind: command", "command")
	} else if !f.Has("command") {
		d.Add(f.Of.At, commandHint, "%s.command is missing", f.Of.Path)
	}
	if kind != "numeric_close" && kind != "last_number" {
		f.Refuse("has no use where kind is "+kind, "remove it, or write kind: numeric_close", "tolerance")
	}
}

// splits reads the numbers of cases. Either all are left out, or select and
// test have some: the one decides, the other proves.
func (d *decoder) splits(n *syntax.Node) (s clade.SplitSizes) {
	if n == nil {
		return s
	}
	f := d.Fields(n, "write train:, select: and test: with numbers of cases")
	train, sel, test := f.Get("train"), f.Get("select"), f.Get("test")
	s.Train = int(d.Whole(train, 0, mostCases))
	if f.Of.Kind == syntax.Mapping {
		s.Select, s.Test = d.split(f, sel, "select", "decides during the search"), d.split(f, test, "test", "proves the winner")
	}
	f.Done()
	return s
}

func (d *decoder) split(f *syntax.Fields, n *syntax.Node, key, why string) int {
	if !f.Has(key) {
		d.Add(f.Of.At, "give it at least one case, or leave splits out for a third each", "%s.%s is missing, which %s", f.Of.Path, key, why)
	}
	return int(d.Whole(n, 1, mostCases))
}
