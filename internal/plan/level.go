package plan

import "slices"

// Level is a verdict on a promise or on another result.
type Level = string

// Levels. Empty is the verdict on a tier without VMs, which promises nothing, and Neutral the level of a result without
// a verdict.
const (
	Neutral Level = "neutral"
	Empty   Level = "empty"
	Meets   Level = "meets"
	AtRisk  Level = "at_risk"
	Unknown Level = "unknown"
	Misses  Level = "misses"
)

// Levels lists the verdicts from best to worst.
var Levels = []Level{Empty, Meets, AtRisk, Unknown, Misses}

// Rank returns the index of a verdict in Levels, or -1 for Neutral and all that is no verdict.
func Rank(of Level) int { return slices.Index(Levels, of) }

// Worse returns the worse of two levels.
func Worse(a, b Level) Level {
	if Rank(b) > Rank(a) {
		return b
	}
	return a
}

// Verb returns the verb of a sentence about a number of promises, such as "holds", or "" for Neutral.
func Verb(of Level, number int) string {
	verbs := map[Level][2]string{
		Empty:   {"has no VMs", "have no VMs"},
		Meets:   {"holds", "hold"},
		AtRisk:  {"is at risk", "are at risk"},
		Unknown: {"is not known", "are not known"},
		Misses:  {"does not hold", "do not hold"},
	}[of]
	if number == 1 {
		return verbs[0]
	}
	return verbs[1]
}
