package agenttest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/tools/txtar"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/agent"
	"github.com/cladehq/clade/internal/sandbox"
)

// how is how a recorded run ended.
type how struct {
	Exit   int    `json:"exit"`
	Signal string `json:"signal"`
	Resume bool   `json:"resume"` // it went on with an earlier session
}

// want is what must be read from a recording. Numbers follow from the script of
// the recorded model: each answer uses 1000 tokens of input, 200 of them cached,
// and 50 of output.
type want struct {
	End     agent.End          `json:"end"`
	Text    string             `json:"text"`
	Detail  string             `json:"detail"` // occurs in it
	Tokens  int64              `json:"tokens"`
	Calls   int64              `json:"calls"`
	USD     clade.Microdollars `json:"usd"`
	Unknown bool               `json:"unknown"`
	Total   bool               `json:"total"`
}

// Transcripts reads every recording of testdata: how.json, stdout, stderr, what
// the CLI left in its configuration below config/, and want.json.
func Transcripts(t *testing.T, d agent.Driver) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			replay(t, d, archive)
		})
	}
}

func replay(t *testing.T, d agent.Driver, archive *txtar.Archive) {
	var h how
	var w want
	var r sandbox.Result
	config := t.TempDir()
	for _, f := range archive.Files {
		switch f.Name {
		case "how.json":
			decode(t, f.Data, &h)
		case "want.json":
			decode(t, f.Data, &w)
		case "stdout":
			r.Stdout = sandbox.Stream{Head: f.Data, Size: int64(len(f.Data))}
		case "stderr":
			r.Stderr = sandbox.Stream{Head: f.Data, Size: int64(len(f.Data))}
		default:
			lay(t, config, f)
		}
	}
	r.Exit, r.Signal = h.Exit, h.Signal
	task := Task(d)
	if h.Resume {
		task.Resume = "earlier"
	}
	rep := d.Read(task, r, config)
	Bounded(t, rep)
	got := want{rep.End, rep.Text, w.Detail, rep.Spent.Tokens, rep.Spent.Calls, rep.Spent.Microdollars, rep.Spent.Unknown, rep.Total}
	if got != w || !strings.Contains(rep.Detail, w.Detail) {
		t.Errorf("read  %+v\nwant  %+v\ndetail %q", got, w, rep.Detail)
	}
	if r.Stdout.Size > 0 && bytes.Contains(r.Stdout.Head, []byte(`"session`)) && rep.Session == "" {
		t.Error("its session was not found")
	}
}

func decode(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// lay puts a file where the CLI left it; those of .zstd are recorded unpacked.
func lay(t *testing.T, config string, f txtar.File) {
	t.Helper()
	name, ok := strings.CutPrefix(f.Name, "config/")
	if !ok {
		t.Fatalf("a recording has no use for %s", f.Name)
	}
	data := f.Data
	if strings.HasSuffix(name, ".zstd") {
		data = Pack(t, data)
	}
	p := filepath.Join(config, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Pack packs data as zstd in two frames, as a log that was appended to is.
func Pack(t testing.TB, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	half := len(data) / 2
	return w.EncodeAll(data[half:], w.EncodeAll(data[:half], nil))
}
