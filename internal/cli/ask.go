package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/door/evolution"
)

// An asker asks a person, a line at a time.
type asker struct {
	in  *bufio.Reader
	out io.Writer
}

func newAsker(in io.Reader, out io.Writer) *asker { return &asker{bufio.NewReader(in), out} }

// line asks for one line. The end of the input is a *clade.Problem.
func (a *asker) line(question string) (string, error) {
	fmt.Fprint(a.out, question+" ")
	answer, err := a.in.ReadString('\n')
	if err != nil && answer == "" {
		fmt.Fprintln(a.out)
		return "", &clade.Problem{Fault: clade.FaultUsage, Text: "nobody answered", Hint: "nothing was written; flags say everything, and --yes writes without asking"}
	}
	return strings.TrimSpace(answer), nil
}

// until asks until an answer is taken, and says why one is not.
func (a *asker) until(question string, take func(answer string) error) error {
	for {
		answer, err := a.line(question)
		if err != nil {
			return err
		}
		if err := take(answer); err == nil {
			return nil
		} else {
			explain(a.out, err)
		}
	}
}

func (a *asker) yes(question string) (bool, error) {
	answer, err := a.line(question + " [y/N]")
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes", err
}

// draft asks for what a draft lacks, and for the scope if nothing is said of it.
func (a *asker) draft(seed *evolution.Seed, d *evolution.Draft, scope bool) error {
	fmt.Fprintf(a.out, "evolution %d-%s; nothing is written before you agree\n", seed.ID, seed.Slug)
	for _, part := range d.Lacks() {
		if part == evolution.PartBudget && scope {
			if err := a.scope(d); err != nil {
				return err
			}
			scope = false
		}
		ask := map[evolution.Part]func(*evolution.Draft) error{
			evolution.PartObjective: a.objective, evolution.PartRubric: a.rubric, evolution.PartBudget: a.budget,
			evolution.PartGates: func(d *evolution.Draft) error { return a.gates(seed, d) },
		}[part]
		if err := ask(d); err != nil {
			return err
		}
	}
	if scope {
		return a.scope(d)
	}
	return nil
}

func (a *asker) objective(d *evolution.Draft) error {
	return a.until("objective, one sentence \"optimise X for Y\":", func(answer string) error {
		d.Objective = answer
		return evolution.CheckObjective(answer)
	})
}

// gates asks for gates. What was found in the repository is taken by its number,
// and all of it where nothing else is said.
func (a *asker) gates(seed *evolution.Seed, d *evolution.Draft) error {
	fmt.Fprintln(a.out, "gates, commands that must exit with 0 for a variant to count:")
	question, next := "gate, a command:", "another gate, or nothing:"
	if n := len(seed.Found); n > 0 {
		for i, g := range seed.Found {
			fmt.Fprintf(a.out, "  %d  %s\n", i+1, printable(g.Cmd))
		}
		question = fmt.Sprintf("gate, a command or numbers of these [%s]:", numbers(n))
	}
	for done := false; !done; question = next {
		err := a.until(question, func(answer string) (err error) {
			switch picked, ok := pick(answer, len(seed.Found)); {
			case answer == "" && len(d.Gates) > 0:
				done = true
			case answer == "" && len(seed.Found) == 0:
				return &clade.Problem{Text: "there is no evolution without a gate", Hint: writeACheck}
			case answer == "":
				d.Gates = append(d.Gates, seed.Found...)
			case ok:
				for _, i := range picked {
					d.Gates = append(d.Gates, seed.Found[i])
				}
			default:
				g, err := evolution.ReadGate(answer)
				if err != nil {
					return err
				}
				d.Gates = append(d.Gates, g)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// numbers are those from 1 to n.
func numbers(n int) string {
	var all []string
	for i := range n {
		all = append(all, strconv.Itoa(i+1))
	}
	return strings.Join(all, " ")
}

// pick reads numbers from 1 to n, as indices; false if the answer is anything
// else.
func pick(answer string, n int) (all []int, ok bool) {
	for _, w := range strings.FieldsFunc(answer, func(r rune) bool { return r == ' ' || r == ',' }) {
		i, err := strconv.Atoi(w)
		if err != nil || i < 1 || i > n {
			return nil, false
		}
		all = append(all, i-1)
	}
	return all, len(all) > 0
}

func (a *asker) rubric(d *evolution.Draft) error {
	fmt.Fprintln(a.out, "rubric, commands that yield a number: \"minimize: COMMAND\" or \"maximize: COMMAND\" where one prints it,\n"+
		"\"minimize wall_clock_seconds: COMMAND\" where its time is meant, or JSON with extract and weight:")
	for question := "axis:"; ; question = "another axis, or nothing:" {
		done := false
		err := a.until(question, func(answer string) error {
			if done = answer == ""; done {
				if len(d.Rubric) == 0 {
					return &clade.Problem{Text: "there is no evolution without an axis", Hint: writeACheck}
				}
				return nil
			}
			x, err := evolution.ReadAxis(answer)
			if err == nil {
				d.Rubric = append(d.Rubric, x)
			}
			return err
		})
		if err != nil || done {
			return err
		}
	}
}

func (a *asker) scope(d *evolution.Draft) error {
	err := a.until("scope, worktree or files and the paths that are copied [worktree]:", func(answer string) error {
		words := strings.Fields(answer)
		if len(words) == 0 {
			words = []string{"worktree"}
		}
		s := evolution.DraftScope{Kind: words[0], Include: words[1:]}
		if err := evolution.CheckScope(s); err != nil {
			return err
		}
		d.Scope = s
		return nil
	})
	if err != nil {
		return err
	}
	return a.until("paths that must never be touched, or nothing:", func(answer string) error {
		s := d.Scope
		s.Exclude = strings.Fields(answer)
		if err := evolution.CheckScope(s); err != nil {
			return err
		}
		d.Scope = s
		return nil
	})
}

// offered is how many variants are offered where nothing is said.
const offered = 10

func (a *asker) budget(d *evolution.Draft) error {
	return a.until(fmt.Sprintf("budget, how many variants in all [%d]:", offered), func(answer string) error {
		n, err := strconv.Atoi(answer)
		if answer == "" {
			n, err = offered, nil
		}
		if err != nil || n < 1 {
			return errors.New("that is no number from 1")
		}
		d.Budget.MaxVariants = n
		return nil
	})
}
