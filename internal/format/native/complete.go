package native

import (
	"path"
	"slices"
	"strings"

	"github.com/cladehq/clade"
)

// Complete fills in every default of a spec that another format made, as Read
// would have, and changes nothing that is said. What Read returns stays as it
// is. Where there are no operators there are none after it either, since only
// clade.yaml means mutate by that; and seed 0 is a seed.
//
// Nothing that the spec shares with another is changed.
func Complete(s *clade.Spec) {
	s.Version = orDefault(s.Version, version)
	s.Dataset = completeDataset(s.Dataset)
	s.Measures = derived(each(s.Measures, completeMeasure), s.Benchmark != nil, s.Dataset != nil)
	s.Models = each(s.Models, completeModel)
	s.Operators = each(s.Operators, completeOperator)
	completeAskers(s)
	s.Search = completeSearch(s.Search)
	s.Budget.Candidates = orDefault(s.Budget.Candidates, defaultCandidates)
	s.Limits = completeLimits(s.Limits)
	s.Sandbox.Use = orDefault(s.Sandbox.Use, useAuto)
	s.Sandbox.Home = orDefault(s.Sandbox.Home, "hide")
	s.Protect = completeProtect(s.Protect)
	s.Final = completeFinal(s.Final)
}

// each is a copy of all whose items were completed.
func each[T any](all []T, complete func(T) T) []T {
	all = slices.Clone(all)
	for i := range all {
		all[i] = complete(all[i])
	}
	return all
}

func completeDataset(set *clade.Dataset) *clade.Dataset {
	if set == nil {
		return nil
	}
	full := *set
	full.Seed = orDefault(full.Seed, 1)
	if full.Format == "" {
		full.Format = formatOf(full.File)
	}
	if full.Rollout != nil {
		rollout := *full.Rollout
		rollout.Agent = hostName(rollout.Agent)
		full.Rollout, full.Timeout = &rollout, orDefault(full.Timeout, defaultAgentTimeout)
	}
	return &full
}

// formatOf is the format that the ending of a dataset's file tells, "" if it
// tells none.
func formatOf(file string) string {
	end := strings.TrimPrefix(strings.ToLower(path.Ext(file)), ".")
	if slices.Contains(datasetFormats, end) {
		return end
	}
	return ""
}

func completeMeasure(m clade.Measure) clade.Measure {
	m.Weight = orDefault(m.Weight, 1)
	m.Repeats = orDefault(m.Repeats, 1)
	m.Noise = orDefault(m.Noise, noises(m.Read.Kind)[0])
	if m.Read.Kind == clade.ReadRegex {
		m.Read.Match = orDefault(m.Read.Match, "only")
	}
	return m
}

// derived adds the measures that a benchmark and a dataset yield when none is
// declared for them.
func derived(all []clade.Measure, benchmark, dataset bool) []clade.Measure {
	reads := func(k clade.ReadKind) bool {
		return slices.ContainsFunc(all, func(m clade.Measure) bool { return m.Read.Kind == k })
	}
	derive := func(k clade.ReadKind) {
		ids := make([]string, len(all))
		for i, m := range all {
			ids[i] = m.ID
		}
		all = append(all, completeMeasure(clade.Measure{ID: free("score", ids), Read: clade.Read{Kind: k}, Goal: clade.Maximize}))
	}
	if dataset && !reads(clade.ReadCases) {
		derive(clade.ReadCases)
	}
	if benchmark && !reads(clade.ReadResult) && (dataset || !reads(clade.ReadCases)) {
		derive(clade.ReadResult)
	}
	return all
}

func completeModel(m clade.Model) clade.Model {
	p, _ := clade.ProviderOf(m.Provider)
	m.Model = orDefault(m.Model, m.Name)
	if m.BaseURL == "" {
		m.BaseURLEnv = orDefault(m.BaseURLEnv, p.BaseURLEnv)
	}
	m.KeyEnv = orDefault(m.KeyEnv, p.KeyEnv)
	m.MaxTokens = orDefault(m.MaxTokens, defaultMaxTokens)
	return m
}

// completeOperator takes a share of 0 at its word where there is a role, as a
// complete operator has one.
func completeOperator(o clade.Operator) clade.Operator {
	if o.Role == "" {
		o.Role, o.Share = clade.RolePropose, orDefault(o.Share, 1)
	}
	o.Name = orDefault(o.Name, o.Use)
	switch o.Use {
	case useAgent:
		o.Agent = hostName(o.Agent)
		o.Timeout = orDefault(o.Timeout, defaultAgentTimeout)
		o.Idle = orDefault(o.Idle, defaultAgentIdle)
	case useReflect:
		o.Timeout = orDefault(o.Timeout, defaultReflectTimeout)
	}
	return o
}

// hostName is the name by which a coding agent is known, whatever it is called.
func hostName(name string) string {
	h, ok := clade.HostOf(name)
	if !ok {
		return name
	}
	return h.Name
}

// completeSearch takes shares of 0 at their word where there are parents, as a
// complete search has some.
func completeSearch(s clade.Search) clade.Search {
	s.Strategy = orDefault(s.Strategy, defaultStrategy)
	s.Batch = orDefault(s.Batch, defaultBatch(s.Strategy))
	if s.Parents == 0 && s.Explore == 0 && s.Cross == 0 {
		s.Explore, s.Cross = defaultExplore, defaultCross
	}
	s.Parents = orDefault(s.Parents, defaultParents)
	s.Operators = orDefault(s.Operators, "shares")
	return s
}

func completeLimits(l clade.Limits) clade.Limits {
	return clade.Limits{
		Wall:      orDefault(l.Wall, defaultLimits.Wall),
		Memory:    orDefault(l.Memory, defaultLimits.Memory),
		Processes: orDefault(l.Processes, defaultLimits.Processes),
		Output:    orDefault(l.Output, defaultLimits.Output),
		FileSize:  orDefault(l.FileSize, defaultLimits.FileSize),
		Disk:      l.Disk,
	}
}

// completeProtect rejects what finds a candidate's own edits; the census only
// warns, since a process that is left over may be a tool's own server.
func completeProtect(p clade.Protect) clade.Protect {
	p.Autoload = orDefault(p.Autoload, clade.ProtectReject)
	p.Lint = orDefault(p.Lint, clade.ProtectReject)
	p.Secrets = orDefault(p.Secrets, clade.ProtectReject)
	p.Census = orDefault(p.Census, clade.ProtectWarn)
	p.Blank = orDefault(p.Blank, clade.ProtectWarn)
	if p.Jump == nil {
		jump := float64(defaultJump)
		p.Jump = &jump
	}
	return p
}

func completeFinal(r clade.FinalRule) clade.FinalRule {
	r.Finalists = orDefault(r.Finalists, 1)
	r.Alpha = orDefault(r.Alpha, defaultAlpha)
	if len(r.Looks) == 0 {
		r.Looks = slices.Clone(defaultLooks)
	}
	r.LookAlpha = orDefault(r.LookAlpha, lookAlpha(r))
	return r
}

// lookAlpha is the level of each look where none is given.
func lookAlpha(r clade.FinalRule) float64 {
	if r.Alpha == defaultAlpha && slices.Equal(r.Looks, defaultLooks) {
		return defaultLookAlpha
	}
	return r.Alpha / float64(max(1, len(r.Looks)))
}
