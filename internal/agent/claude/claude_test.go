package claude_test

import (
	"testing"

	"github.com/cladehq/clade/internal/agent/agenttest"
	"github.com/cladehq/clade/internal/agent/claude"
)

func TestDriver(t *testing.T) { agenttest.Run(t, claude.Driver{}, true) }

func TestTranscripts(t *testing.T) { agenttest.Transcripts(t, claude.Driver{}) }

func FuzzRead(f *testing.F) { agenttest.Fuzz(f, claude.Driver{}) }
