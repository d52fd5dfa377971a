package codex_test

import (
	"testing"

	"github.com/cladehq/clade/internal/agent/agenttest"
	"github.com/cladehq/clade/internal/agent/codex"
)

func TestDriver(t *testing.T) { agenttest.Run(t, codex.Driver{}, true) }

func TestTranscripts(t *testing.T) { agenttest.Transcripts(t, codex.Driver{}) }

func FuzzRead(f *testing.F) { agenttest.Fuzz(f, codex.Driver{}) }
