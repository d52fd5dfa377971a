package workspacetest

import (
	"testing"
)

// Run holds a provider to the contract. parts makes fresh parts for one test.
func Run(t *testing.T, parts func(testing.TB) Parts) {
	for _, c := range []struct {
		name string
		test func(*world)
	}{
		{"ShowsTheTree", showsTheTree},
		{"ShowsAChild", showsAChild},
		{"FindsChanges", findsChanges},
		{"FindsChangesOfAChild", findsChangesOfAChild},
		{"ScopesAreFresh", scopesAreFresh},
		{"GuardsFrozenFiles", guardsFrozenFiles},
		{"MasksHiddenFiles", masksHiddenFiles},
		{"PutsFixtures", putsFixtures},
		{"CarriesAndSetsUp", carriesAndSetsUp},
		{"ReportsSetupFailure", reportsSetupFailure},
		{"KeysTemplates", keysTemplates},
		{"BuildsOnce", buildsOnce},
		{"IsARepository", isARepository},
		{"HidesHistoryB19", hidesHistory},
		{"HidesTheRepositoryB19H6", hidesTheRepository},
		{"StaysInsideB14", staysInside},
		{"NeedsTheMarkerF32", needsTheMarker},
		{"RefusesNestedGitF34", refusesNestedGit},
		{"NamesSpecialFiles", namesSpecialFiles},
		{"ReadsFilesF36F43", readsFiles},
		{"InParallelF31B13", inParallel},
		{"ClosesOnlyItsOwnB10", closesOnlyItsOwn},
		{"SurvivesAnEmptiedCacheF33", survivesAnEmptiedCache},
		{"MakesAVanishedTemplateAnewF33", makesAVanishedTemplateAnew},
		{"Sweeps", sweeps},
		{"BuildsAnewWhatWasHalfMadeB9", buildsAnewWhatWasHalfMade},
		{"KeepsSubmodulesF34", keepsSubmodules},
		{"WritesPointersF35", writesPointers},
		{"KeepsAFolder", keepsAFolder},
		{"KeptOutlivesAllF33", keptOutlivesAll},
		{"KeptIsWholeOrNotF32", keptIsWholeOrNot},
		{"KeptNeedsTheMarkerF32", keptNeedsTheMarker},
		{"KeptLacksNothingF33", keptLacksNothing},
		{"KeptHidesHeldOutFiles", keptHidesHeldOutFiles},
		{"CollectsEdits", collectsEdits},
		{"CollectsWhatNoCommitHolds", collectsWhatNoCommitHolds},
		{"CollectsNoLinksTargetF36", collectsNoLinksTarget},
		{"CollectsWithoutModesF39", collectsWithoutModes},
		{"Exports", exports},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(newWorld(t, parts))
		})
	}
}
