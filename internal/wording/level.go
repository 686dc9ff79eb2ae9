package wording

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// Level is the severity of a result.
type Level string

// Levels in order of severity, worst first.
const (
	// Misses means that the target is not met.
	Misses Level = "misses"
	// AtRisk means that the target is met by the basic test but not by the stricter one.
	AtRisk Level = "at_risk"
	// Unknown means that the result cannot be computed.
	Unknown Level = "unknown"
	// Holds means that every test passes.
	Holds Level = "holds"
	// Neutral is the level of a result without a verdict.
	Neutral Level = "neutral"
)

// Levels lists all levels, worst first.
var Levels = []Level{Misses, AtRisk, Unknown, Holds, Neutral}

// LevelOf returns the level of a calculator's verdict, or Neutral if there is none.
func LevelOf(c *calculator.Calculator, result map[string]any) Level {
	level, ok := c.Judge(result)
	if !ok {
		return Neutral
	}
	return map[calculator.Level]Level{
		calculator.Holds: Holds, calculator.AtRisk: AtRisk, calculator.Misses: Misses,
	}[level]
}

// Rank returns the index of the level in Levels.
func (l Level) Rank() int {
	if i := slices.Index(Levels, l); i >= 0 {
		return i
	}
	return len(Levels)
}

// Word returns the display name of the level.
func (l Level) Word() string {
	return map[Level]string{
		Misses: "does not hold", AtRisk: "at risk", Unknown: "not known", Holds: "holds", Neutral: "no verdict",
	}[l]
}

// Symbol returns the symbol printed before the word, so that meaning never depends on color alone.
func (l Level) Symbol() string {
	return map[Level]string{Misses: "✕", AtRisk: "!", Unknown: "?", Holds: "✓", Neutral: "–"}[l]
}

// Headline summarizes the number of results at each level.
func Headline(numbers map[Level]int) string {
	judged := 0
	for level, n := range numbers {
		if level != Neutral {
			judged += n
		}
	}
	if judged == 0 {
		return "No result has a verdict."
	}
	if judged == numbers[Holds] {
		return "Everything with a verdict holds."
	}
	return "Of " + Count(judged, "result") + " with a verdict, " + clauses(numbers) + "."
}

func clauses(numbers map[Level]int) string {
	verbs := map[Level][2]string{
		Misses: {"does not hold", "do not hold"}, AtRisk: {"is at risk", "are at risk"},
		Unknown: {"is not known", "are not known"}, Holds: {"holds", "hold"},
	}
	var list []string
	for _, level := range Levels {
		n, verb := numbers[level], verbs[level]
		if n == 0 || level == Neutral {
			continue
		}
		word := verb[1]
		if n == 1 {
			word = verb[0]
		}
		list = append(list, plan.Thousands(float64(n), 0)+" "+word)
	}
	return strings.Join(list, ", ")
}
