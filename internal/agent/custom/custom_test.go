package custom_test

import (
	"testing"

	"github.com/cladehq/clade/internal/agent/agenttest"
	"github.com/cladehq/clade/internal/agent/custom"
)

func TestDriver(t *testing.T) { agenttest.Run(t, custom.New([]string{"my-agent", "--quick"}), false) }

func TestTranscripts(t *testing.T) {
	agenttest.Transcripts(t, custom.New([]string{"my-agent", "--quick"}))
}

func FuzzRead(f *testing.F) { agenttest.Fuzz(f, custom.New([]string{"my-agent", "--quick"})) }
