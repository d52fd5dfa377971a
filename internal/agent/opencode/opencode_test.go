package opencode_test

import (
	"testing"

	"github.com/cladehq/clade/internal/agent/agenttest"
	"github.com/cladehq/clade/internal/agent/opencode"
)

func TestDriver(t *testing.T) { agenttest.Run(t, opencode.Driver{}, true) }

func TestTranscripts(t *testing.T) { agenttest.Transcripts(t, opencode.Driver{}) }

func FuzzRead(f *testing.F) { agenttest.Fuzz(f, opencode.Driver{}) }
