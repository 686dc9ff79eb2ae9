package plan

import "slices"

// Level is a verdict on a promise.
type Level = string

// Verdicts on a promise, from best to worst. Empty is the verdict on a tier without VMs, which promises nothing.
const (
	Empty   Level = "empty"
	Meets   Level = "meets"
	AtRisk  Level = "at_risk"
	Unknown Level = "unknown"
	Misses  Level = "misses"
)

// Levels lists the verdicts from best to worst.
var Levels = []Level{Empty, Meets, AtRisk, Unknown, Misses}

// Worse returns the worse of two verdicts.
func Worse(a, b Level) Level { return Levels[max(slices.Index(Levels, a), slices.Index(Levels, b))] }

// LevelWord returns the verb of a sentence about a promise, such as "holds".
func LevelWord(of Level) string {
	return map[Level]string{
		Empty: "has no VMs", Meets: "holds", AtRisk: "is at risk", Unknown: "is not known to hold", Misses: "does not hold",
	}[of]
}
