package anthropic

import (
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm/llmtest"
)

func TestClient(t *testing.T) { llmtest.Run(t, clade.ProviderAnthropic, New) }

func BenchmarkAsk(b *testing.B) { llmtest.Bench(b, clade.ProviderAnthropic, New) }
