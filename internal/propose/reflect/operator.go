package reflect

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
	"github.com/cladehq/clade/internal/propose"
)

// Options are what an Operator works with.
type Options struct {
	Spec   clade.Operator
	Model  clade.Model
	Client llm.Client
	// Run is the spec of the run, whose budget must bear at least a short
	// question; nil: that is not asked.
	Run *clade.Spec
}

// An Operator asks one model. It is safe for concurrent use.
type Operator struct {
	spec     clade.Operator
	model    clade.Model
	client   llm.Client
	settings settings
}

// settings are what With may say.
type settings struct {
	attempts int    // replies asked for until one fits
	format   string // auto, whole or blocks
}

// maxTokens bounds a reply where the model sets none.
const maxTokens = 8192

// wall is the limit of one attempt where the operator sets none.
const wall = 5 * time.Minute

// New makes the operator that a spec describes. A *clade.Problem of fault spec
// says what With has that it does not know, one of fault budget which cap does not
// bear even a short question.
func New(o Options) (*Operator, error) {
	op := &Operator{spec: o.Spec, model: o.Model, client: o.Client, settings: settings{attempts: 2, format: "auto"}}
	for key, v := range o.Spec.With {
		var ok bool
		switch n, isNumber := number(v); key {
		case "attempts":
			op.settings.attempts, ok = int(n), isNumber && n >= 1 && n <= 5 && n == float64(int(n))
		case "format":
			op.settings.format, ok = v.(string)
			ok = ok && (op.settings.format == "auto" || op.settings.format == "whole" || op.settings.format == "blocks")
		}
		if !ok {
			return nil, &clade.Problem{Fault: clade.FaultSpec, Text: fmt.Sprintf("operator %s: with.%s is not understood: %v", op.name(), key, v),
				Hint: "there are attempts (1 to 5, default 2) and format (auto, whole or blocks)"}
		}
	}
	if o.Run != nil {
		if err := op.afford(o.Run); err != nil {
			return nil, err
		}
	}
	return op, nil
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case uint64:
		return float64(n), true
	}
	return 0, false
}

var _ propose.Operator = (*Operator)(nil)

func (o *Operator) name() string {
	if o.spec.Name != "" {
		return o.spec.Name
	}
	return o.spec.Use
}

// Propose implements propose.Operator.
func (o *Operator) Propose(ctx context.Context, r propose.Request) (propose.Proposal, error) {
	limit := time.Duration(o.spec.Timeout)
	if limit <= 0 {
		limit = wall
	}
	within, stop := context.WithTimeoutCause(ctx, limit, errWall)
	defer stop()
	t := &talk{Operator: o, r: r, p: propose.Proposal{Grade: "in-process"}}
	var err error
	if err = t.look(ctx); err != nil {
		return propose.Proposal{}, err
	}
	if t.rival, err = o.rivals(ctx, r, t.files); err != nil {
		return propose.Proposal{}, err
	}
	if r.Attempt.Makes == clade.MakesNotes {
		err = t.notes(within)
	} else {
		err = t.edits(within)
	}
	if err != nil && ctx.Err() != nil {
		return propose.Proposal{Spent: t.p.Spent}, fmt.Errorf("asking %s: %w", o.model.Name, context.Cause(ctx))
	}
	if err != nil {
		t.failed(within, err, limit)
	}
	return t.p, nil
}

var errWall = errors.New("the time is up")

// A talk is one attempt's conversation.
type talk struct {
	*Operator
	r      propose.Request
	p      propose.Proposal
	tree   []string // paths of the parent
	files  []file
	rival  []file // as the second parent has them
	others []string
	said   []llm.Message
}

// failed says why there is no proposal.
func (t *talk) failed(ctx context.Context, err error, limit time.Duration) {
	t.p.Class, t.p.Detail = clade.ClassOperator, err.Error()
	var e *llm.Error
	said := errors.As(err, &e)
	switch {
	case errors.Is(context.Cause(ctx), errWall):
		t.p.Class, t.p.Detail = clade.ClassModel, fmt.Sprintf("%s gave no answer within %v", t.model.Name, limit)
		if said {
			t.p.Detail += "; the last was " + e.Error()
		}
	case said:
		t.p.Class = e.Class()
	}
	t.p.Detail = clade.Clip(fmt.Sprintf("operator %s: %s", t.name(), t.p.Detail), detailMost)
}

// Bounds of what is kept of a reply, bytes.
const (
	detailMost   = 4 << 10
	feedbackMost = 2 << 10
)

func (t *talk) notes(ctx context.Context) error {
	answer, err := t.ask(ctx, propose.NotesWanted(t.spec.Role))
	if err == nil {
		t.p = propose.Noted(t.r, t.spec.Role, t.p, answer)
	}
	return err
}

// edits asks until a reply fits, and tells the model what was wrong with the
// last one.
func (t *talk) edits(ctx context.Context) error {
	wrong := error(nil)
	for n := range t.settings.attempts {
		want := t.wanted()
		if n > 0 {
			want = fmt.Sprintf("That reply could not be used: %v. Answer once more, whole and in the same shape.", wrong)
		}
		answer, err := t.ask(ctx, want)
		if err != nil && !errors.Is(err, errCut) {
			return err
		}
		if wrong = err; err == nil {
			wrong = t.take(answer)
		}
		if wrong == nil {
			return nil
		}
	}
	if errors.Is(wrong, errNothing) {
		t.p.Detail = fmt.Sprintf("operator %s: %v", t.name(), wrong)
		return nil
	}
	return wrong
}

var errNothing = errors.New("the reply changes nothing")

// take makes a reply the proposal, or says what is wrong with it.
func (t *talk) take(answer string) error {
	only := ""
	if len(t.files) == 1 {
		only = t.files[0].name
	}
	got, err := parse(answer, only)
	if err != nil {
		return err
	}
	changes, loose, err := apply(got.edits, t.files, t.path)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		return errNothing
	}
	if bad := propose.Violations(t.r.Spec, changes); len(bad) > 0 {
		return errors.New(strings.Join(bad, "; "))
	}
	if bad := contradiction(changes, t.tree); bad != "" {
		return errors.New(bad)
	}
	t.p.Changes, t.p.Feedback = changes, clade.Clip(clade.Clean(prelude(answer)), feedbackMost)
	t.p.Summary = got.summary
	if t.p.Summary == "" {
		var names []string
		for _, c := range changes {
			names = append(names, c.Path)
		}
		t.p.Summary = clade.Line(t.model.Name+": "+strings.Join(names, ", "), 160)
	}
	if len(loose) > 0 {
		t.p.Notes = append(t.p.Notes, clade.Note{About: []clade.ID{t.r.Attempt.ID}, Kind: clade.NoteWarning,
			Body: "edits fitted only without the blanks at the ends of lines: " + strings.Join(loose, ", ")})
	}
	return nil
}

// prelude is what a model said before its first edit.
func prelude(answer string) string {
	answer, _ = aloud(answer) // it was read already
	for i, line := range strings.Split(answer, "\n") {
		if verb, _ := header(line); verb != "" {
			return strings.Join(strings.Split(answer, "\n")[:i], "\n")
		}
	}
	return ""
}

// path is where a file that the model names lies in the tree.
func (t *talk) path(name string) string {
	return path.Join(t.r.Spec.Target.Prefix, name)
}

// ask puts one more question and counts what it cost. A reply that was cut gives
// errCut, one that was refused an error.
func (t *talk) ask(ctx context.Context, want string) (string, error) {
	if len(t.said) == 0 {
		want = t.opening() + want
	}
	said := append(t.said, llm.Message{Role: "user", Text: want})
	b, err := t.within(said)
	if err != nil {
		return "", err
	}
	model := t.model.Model
	if model == "" {
		model = t.model.Name
	}
	reply, err := t.client.Ask(ctx, llm.Request{Model: model, System: system, Messages: said, MaxTokens: b.reply,
		Temperature: t.model.Temperature, Calls: b.calls, Bears: b.bears})
	t.pay(b, reply, err)
	if err != nil {
		return "", err
	}
	t.said = append(said, llm.Message{Role: "assistant", Text: reply.Text})
	if t.r.Log != nil {
		t.r.Log(clade.Clean(reply.Text))
	}
	switch reply.Finish {
	case llm.FinishLength:
		return "", fmt.Errorf("%w: it was cut after %d tokens (models.max_tokens)", errCut, b.reply)
	case llm.FinishRefuse:
		return "", fmt.Errorf("%s would not answer: %s", t.model.Name, clade.Line(reply.Text, 200))
	}
	if strings.TrimSpace(reply.Text) == "" {
		return "", errors.New("the reply is empty")
	}
	return reply.Text, nil
}
