// Rows: a published number, and the calculation that is compared with it.

package validation

import "math"

// Kind classifies a published number.
type Kind string

// The kinds.
const (
	Measured Kind = "measured"
	Worked   Kind = "worked example"
	Formula  Kind = "formula"
)

var kinds = []Kind{Measured, Worked, Formula}

// Rule defines the interval within which a prediction has to be. It follows from what a source publishes, not from
// results.
type Rule string

// The rules; see ruleTexts.
const (
	Within15 Rule = "±15 %"
	Between  Rule = "between"
	AtMost   Rule = "at most"
	Exact    Rule = "±3 %"
	Cautious Rule = "-20 to +3 %"
	Printed  Rule = "as printed"
)

// ruleTexts are the rules as the page explains them.
var ruleTexts = []ruleText{
	{
		Within15,
		"the source publishes a rate that was measured in the same test, or states what limits it: the prediction " +
			"is within 15 % of the published number",
	},
	{Between, "the source publishes a nominal line rate, or a range of an input: the published number lies between the " +
		"predictions at both ends. For a line rate these are 100 % and 70 %, the efficiency that vsla recommends for " +
		"planning"},
	{
		AtMost,
		"the source publishes the configured memory, not the memory in use, so the prediction is an upper bound: the " +
			"published time is not above it",
	},
	{Exact, "a worked example: within 3 %, which allows for one rounded digit and for a kilo of 1,000 or 1,024"},
	{Cautious, "a table of a formula with another constant than vsla's: vsla's answer is at most 20 % below it, and not " +
		"above it by more than the 3 % of rounding"},
	{
		Printed,
		"a worked example that prints few digits, or a bound: the prediction, rounded to the digits that the source " +
			"prints, is the published number, or is within the bound",
	},
}

type ruleText struct {
	rule Rule
	text string
}

// Row is a published number.
type Row struct {
	// ID names the row and its test.
	ID   string
	Kind Kind
	Rule Rule
	// What names the quantity, Inputs the source's published values for it, with the conversions of units.
	What, Inputs string
	// Published is the number, or the ends of a range, in Unit. A range with an end of 0 or of +Inf is a bound.
	Published []float64
	Unit      string
	// Decimals is the number of digits behind the point that the source prints; only Printed uses it.
	Decimals int
	// Question asks a calculator, in the notation of predict: one prediction, or one for each end of a range of inputs.
	// Hand is the same by plain arithmetic, which Inputs shows; nil where vsla has no answer.
	Question string
	Hand     []float64
	// Apart is why the row counts apart: it has an input that was not published apart from the measurement; empty if it
	// does not.
	Apart Apart
	// Miss is why a row does not hold; empty if it does.
	Miss Miss
}

// Apart is where an input of a row comes from that was not published for it.
type Apart string

// The origins.
const (
	FromLine    Apart = "line"    // another line of the same table
	FromOutcome Apart = "outcome" // an outcome of the same run, such as the data that it sent
)

// Miss is the reason of a miss.
type Miss struct {
	Cause Cause
	Text  string
}

// Cause is the reason for a miss.
type Cause string

// The causes.
const (
	CauseInput       Cause = "an input that limits, or a fixed cost, is not published"
	CauseSource      Cause = "the source rounds much, or has a misprint"
	CauseModel       Cause = "vsla's model"
	CauseUnexplained Cause = "not explained"
)

var causes = []Cause{CauseInput, CauseSource, CauseModel, CauseUnexplained}

// Source is a publication, and its rows.
type Source struct {
	// Title, Year and Where (page, section, table) identify the source; Address is where.
	Title, Year, Where, Address string
	// Product is the product that was measured, vSphere Replication or vMotion; empty for another system.
	Product string
	Rows    []Row
}

// Holds reports whether predictions are within the row's interval; no answer is not.
func (r Row) Holds(predicted []float64) bool {
	if len(predicted) == 0 {
		return false
	}
	low, high := ends(predicted)
	least, most := ends(r.Published)
	switch r.Rule {
	case Within15:
		return low >= least*(1-0.15) && high <= most*(1+0.15)
	case Between:
		return least <= high && most >= low
	case AtMost:
		return most <= high
	case Exact:
		return low >= least*(1-0.03) && high <= most*(1+0.03)
	case Cautious:
		return low >= least*(1-0.20) && high <= most*(1+0.03)
	case Printed:
		if least == most {
			low, high = rounded(low, r.Decimals), rounded(high, r.Decimals)
		}
		return low >= least && high <= most
	}
	return false
}

// rounded rounds to decimals as a decimal literal reads, so that it compares with one.
func rounded(v float64, decimals int) float64 {
	unit := math.Pow10(decimals)
	return math.Round(v*unit) / unit
}

func ends(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}
