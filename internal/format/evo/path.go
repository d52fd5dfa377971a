package evo

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Names of files and folders of a run, and of .evo itself.
const (
	Dir             = ".evo"
	MetaFile        = "meta.json"
	ProjectFile     = "project.md"
	CacheDir        = "cache"
	ConfigFile      = "config.json"
	GraphFile       = "graph.json"
	AnnotationsFile = "annotations.json"
	InfraFile       = "infra_log.json"
	ResultFile      = "result.json"
	OutcomeFile     = "outcome.json"
	StateFile       = "attempt_state.json"
	DiffFile        = "diff.patch"
	BenchmarkLog    = "benchmark.log"
	BenchmarkErrLog = "benchmark_err.log"
	CheckFile       = "check.json"
	GateCheckFile   = "gate_check.json"
	TracesDir       = "traces"
	CheckpointsDir  = "checkpoints"
	ManifestFile    = "artifacts/discarded/manifest.json"
)

// RunID is the id of the n-th run, from 0.
func RunID(n int) string { return fmt.Sprintf("run_%04d", n) }

// ExpID is the id of the n-th experiment of a run, from 0.
func ExpID(n int) string { return fmt.Sprintf("exp_%04d", n) }

// ExperimentDir is an experiment's folder below its run.
func ExperimentDir(exp string) string { return path.Join("experiments", exp) }

// AttemptDir is the folder of an attempt, from 1, below its run.
func AttemptDir(exp string, attempt int) string {
	return path.Join(ExperimentDir(exp), "attempts", fmt.Sprintf("%03d", attempt))
}

// CheckDir is the folder of a check, from 1, below its run.
func CheckDir(exp string, check int) string {
	return path.Join(ExperimentDir(exp), "checks", fmt.Sprintf("%03d", check))
}

// PoolFile is the file of a pool's state below its run.
func PoolFile(key string) string { return "backend_state/pool-" + key + ".json" }

// Branch is the branch of an experiment.
func Branch(run, exp string) string { return "evo/" + run + "/" + exp }

// Anchor is the ref that keeps the commit of an experiment.
func Anchor(run, exp string) string { return "refs/evo-anchor/" + run + "/" + exp }

// CommitMessage is the message of an experiment's commit.
func CommitMessage(exp, hypothesis string) string { return "evo: " + exp + " " + hypothesis }

// BackendKey names the state of a backend with this configuration: 12 characters.
func BackendKey(name string, config Value) string {
	if !config.IsObject() {
		config = Object()
	}
	sum := sha256.Sum256([]byte(compact(Object(Pair{"backend", Text(name)}, Pair{"config", config}).Sorted())))
	return hex.EncodeToString(sum[:])[:12]
}

// compact writes a value on one line without spaces.
func compact(v Value) string {
	var b strings.Builder
	write := func(open, end byte, n int, each func(int)) {
		b.WriteByte(open)
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			each(i)
		}
		b.WriteByte(end)
	}
	switch v.kind {
	case list:
		write('[', ']', len(v.items), func(i int) { b.WriteString(compact(v.items[i])) })
	case mapping:
		write('{', '}', len(v.pairs), func(i int) {
			b.WriteString(quote(v.pairs[i].Key) + ":" + compact(v.pairs[i].Value))
		})
	default:
		return Indented(v)
	}
	return b.String()
}

// ErrOutside reports a name that leads out of the folder it is to be in.
var ErrOutside = errors.New("leads out of the experiment's folder")

// Within is the path of a file of an experiment, below its run, for a name that
// somebody gave. ErrOutside where that is not below the experiment's folder;
// links are for whoever opens it.
func Within(exp, name string) (string, error) {
	if !filepath.IsLocal(exp) || strings.ContainsAny(exp, `/\`) || !filepath.IsLocal(name) || strings.Contains(name, `\`) {
		return "", fmt.Errorf("%s %w", quoteName(name), ErrOutside)
	}
	return path.Join(ExperimentDir(exp), path.Clean(name)), nil
}

func quoteName(name string) string { return `"` + clip(name, 80) + `"` }

var unsafeLabel = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// ArtifactName is what a copy of an artifact is called: its label, what tells
// apart sources with the same label, and the source's ending if it is a file.
func ArtifactName(label, source string, isDir bool) string {
	clean := strings.Trim(unsafeLabel.ReplaceAllString(strings.TrimSpace(label), "-"), "-._")
	base := path.Base(source)
	ending := path.Ext(base)
	if ending == base { // ".hidden" is a name
		ending = ""
	}
	if clean == "" {
		clean = strings.TrimSuffix(base, ending)
	}
	sum := sha1.Sum([]byte(source))
	if isDir {
		ending = ""
	}
	return clean + "-" + hex.EncodeToString(sum[:])[:10] + ending
}
