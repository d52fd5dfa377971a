package run

import (
	"encoding/json"
	"fmt"

	"github.com/cladehq/clade"
)

// Explain puts a record into words, one entry per thing a person wants to know.
func Explain(rec clade.Record) []Entry {
	entry := func(id clade.ID, format string, args ...any) Entry {
		return Entry{Seq: rec.Seq, At: rec.At, Kind: rec.Event.Kind(), ID: id, Text: fmt.Sprintf(format, args...)}
	}
	switch e := rec.Event.(type) {
	case clade.Opened:
		return []Entry{entry(0, "opened with base %s and spec %s", short(e.Base), short(e.Digest))}
	case clade.Amended:
		return []Entry{entry(0, "spec amended (%s), epoch %d", e.What, e.Epoch)}
	case clade.Planned:
		a := e.Attempt
		return []Entry{entry(a.ID, "planned from %s: %s", parents(a.Parents), a.Why)}
	case clade.TryBegun:
		switch {
		case e.Hand != "":
			return []Entry{entry(e.ID, "try %d taken up by %s", e.Try, clade.Line(e.Hand, noteMost))}
		case e.Try == 1:
			return nil
		}
		return []Entry{entry(e.ID, "try %d begun", e.Try)}
	case clade.Proposed:
		return []Entry{entry(e.ID, "proposed %s: %s", short(e.Commit), e.Summary)}
	case clade.TryEnded:
		o := e.Outcome
		switch {
		case o.Failure != clade.OK:
			return []Entry{entry(o.ID, "failed (%s): %s", o.Failure, firstLine(o.Detail))}
		case o.Commit == "" && len(o.Evaluations) == 0:
			if notes := noted(entry, o); len(notes) > 0 {
				return notes
			}
			return []Entry{entry(o.ID, "proposed nothing")}
		case o.Same != 0:
			return []Entry{entry(o.ID, "same tree as %s", sameAs(o.Same))}
		}
		return []Entry{entry(o.ID, "measured: %s", readings(o))}
	case clade.Judged:
		var out []Entry
		for _, v := range e.Verdicts {
			out = append(out, entry(v.ID, "%s: %s", v.Status, v.Why))
		}
		return out
	case clade.Directed:
		return []Entry{entry(e.To, "directed to %s %s", e.What, e.Text)}
	case clade.Noted:
		if e.Note.Kind == clade.NoteSpace {
			return nil
		}
		if a, ok := e.Note.Adopted(); ok {
			what := "offered"
			if a.Given != nil {
				what = "offered, made already:"
			}
			return []Entry{entry(0, "%s %s: %s", what, clade.Line(a.Name, noteMost), clade.Line(a.Hypothesis, noteMost))}
		}
		return []Entry{entry(0, "%s: %s", e.Note.Kind, firstLine(e.Note.Body))}
	case clade.Stopped:
		return []Entry{entry(0, "stopped (%s): %s", e.Cause, e.Reason)}
	case clade.Applying:
		return []Entry{entry(e.Winner, "applying %d paths", len(e.Paths))}
	case clade.Applied:
		if e.Undone {
			return []Entry{entry(e.Winner, "undone")}
		}
		return []Entry{entry(e.Winner, "applied")}
	case clade.Mirrored:
		return []Entry{entry(0, "wrote %s", e.Path)}
	}
	return nil
}

// noted are the notes that a try made, each by its first words.
func noted(entry func(clade.ID, string, ...any) Entry, o clade.Outcome) (out []Entry) {
	for _, n := range o.Notes {
		if n.Kind == clade.NoteSpace {
			continue
		}
		kind, text := string(n.Kind), n.Body
		var idea struct {
			Hypothesis string `json:"hypothesis"`
		}
		if n.Kind == clade.NoteProposal && json.Unmarshal([]byte(n.Body), &idea) == nil {
			kind, text = "hypothesis", idea.Hypothesis
		}
		out = append(out, entry(o.ID, "%s: %s", kind, clade.Line(text, noteMost)))
	}
	return out
}

// noteMost is how much is told of a note, characters.
const noteMost = 300

func short(s string) string { return s[:min(len(s), 10)] }

func firstLine(s string) string {
	for i, r := range s {
		if r == '\n' {
			return s[:i]
		}
	}
	return s
}

func sameAs(id clade.ID) string {
	if id == clade.SameAsBase {
		return "the base"
	}
	return fmt.Sprintf("%d", id)
}

func parents(ids []clade.ID) string {
	switch len(ids) {
	case 0:
		return "the base"
	case 1:
		if ids[0] == clade.Base {
			return "the base"
		}
		return fmt.Sprintf("%d", ids[0])
	}
	return fmt.Sprintf("%d and %d", ids[0], ids[1])
}

// readings lists the means of the measures' samples per subject.
func readings(o clade.Outcome) string {
	type key struct {
		subject clade.ID
		check   string
	}
	sums, ns := map[key]float64{}, map[key]int{}
	var order []key
	for _, e := range o.Evaluations {
		for _, s := range e.Samples {
			if s.Gate || s.Class != clade.OK {
				continue
			}
			k := key{e.Subject, s.Check}
			if ns[k] == 0 {
				order = append(order, k)
			}
			ns[k]++
			sums[k] += s.Value
		}
	}
	text := ""
	for _, k := range order {
		if text != "" {
			text += ", "
		}
		if k.subject != o.ID {
			text += parents([]clade.ID{k.subject}) + " "
		}
		text += fmt.Sprintf("%s %s (n=%d)", k.check, Number(sums[k]/float64(ns[k])), ns[k])
	}
	if text == "" {
		return "no numbers"
	}
	return text
}
