package google

import (
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/llm/llmtest"
)

func TestClient(t *testing.T) { llmtest.Run(t, clade.ProviderGoogle, New) }

func BenchmarkAsk(b *testing.B) { llmtest.Bench(b, clade.ProviderGoogle, New) }
