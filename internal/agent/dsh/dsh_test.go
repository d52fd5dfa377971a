package dsh_test

import (
	"testing"

	"github.com/cladehq/clade/internal/agent/agenttest"
	"github.com/cladehq/clade/internal/agent/dsh"
)

func TestDriver(t *testing.T) { agenttest.Run(t, dsh.Driver{}, false) }

func TestTranscripts(t *testing.T) { agenttest.Transcripts(t, dsh.Driver{}) }

func FuzzRead(f *testing.F) { agenttest.Fuzz(f, dsh.Driver{}) }
