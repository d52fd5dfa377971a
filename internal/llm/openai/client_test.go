package openai

import (
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm/llmtest"
)

func TestClient(t *testing.T) { llmtest.Run(t, clade.ProviderOpenAI, New) }

func BenchmarkAsk(b *testing.B) { llmtest.Bench(b, clade.ProviderOpenAI, New) }
