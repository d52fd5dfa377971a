package gemini_test

import (
	"testing"

	"github.com/cladehq/clade/internal/agent/agenttest"
	"github.com/cladehq/clade/internal/agent/gemini"
)

func TestDriver(t *testing.T) { agenttest.Run(t, gemini.Driver{}, true) }

func TestTranscripts(t *testing.T) { agenttest.Transcripts(t, gemini.Driver{}) }

func FuzzRead(f *testing.F) { agenttest.Fuzz(f, gemini.Driver{}) }
