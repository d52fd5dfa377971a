package service

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm"
)

type client struct{ n int }

func (*client) Ask(context.Context, llm.Request) (llm.Reply, error) { return llm.Reply{}, nil }

type guarded struct{ llm.Client }

func TestOneClientForEachServiceAndKey(t *testing.T) {
	t.Parallel()
	env := map[string]string{"OPENAI_API_KEY": "a", "OTHER_KEY": "b", "ANTHROPIC_API_KEY": "a"}
	dialled := 0
	dial := func(clade.Model, func(string) (string, bool), llm.Limits) (llm.Client, error) {
		dialled++
		return &client{dialled}, nil
	}
	s := New(Parts{
		Dial:   map[string]Dial{clade.ProviderOpenAI: dial, clade.ProviderAnthropic: dial},
		Lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		Guard:  func(c llm.Client) llm.Client { return guarded{c} },
	})
	number := func(m clade.Model) int {
		t.Helper()
		c, err := s.Client(m)
		if err != nil {
			t.Fatal(err)
		}
		return c.(guarded).Client.(*client).n
	}
	openai := clade.Model{Name: "one", Provider: clade.ProviderOpenAI}
	for i, c := range []struct {
		change func(*clade.Model)
		want   int
	}{
		{func(*clade.Model) {}, 1},
		{func(m *clade.Model) { m.Name, m.Model = "two", "m-2" }, 1},
		{func(m *clade.Model) { m.BaseURL = "https://api.openai.com/v1/" }, 1},
		{func(m *clade.Model) { m.KeyEnv = "OTHER_KEY" }, 2},
		{func(m *clade.Model) { m.BaseURL = "https://h" }, 3},
		{func(m *clade.Model) { m.Provider = clade.ProviderAnthropic }, 4},
		{func(m *clade.Model) { m.KeyEnv = "OTHER_KEY" }, 2},
	} {
		m := openai
		c.change(&m)
		if got := number(m); got != c.want {
			t.Errorf("case %d: client %d, want %d", i, got, c.want)
		}
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	s := New(Parts{
		Dial: map[string]Dial{clade.ProviderOpenAI: func(clade.Model, func(string) (string, bool), llm.Limits) (llm.Client, error) {
			return nil, broken
		}},
		Lookup: func(name string) (string, bool) {
			if name == "UNSET" || strings.HasSuffix(name, "_BASE_URL") {
				return "", false
			}
			return "k", true
		},
	})
	var e *llm.Error
	if _, err := s.Client(clade.Model{Provider: clade.ProviderOpenAI, KeyEnv: "UNSET"}); !errors.As(err, &e) || e.Kind != llm.KindAccess {
		t.Error(err)
	}
	if _, err := s.Client(clade.Model{Name: "m", Provider: clade.ProviderGoogle}); err == nil || !strings.Contains(err.Error(), clade.ProviderGoogle) {
		t.Error(err)
	}
	for range 2 { // a failure is not remembered
		if _, err := s.Client(clade.Model{Provider: clade.ProviderOpenAI}); !errors.Is(err, broken) {
			t.Error(err)
		}
	}
}
