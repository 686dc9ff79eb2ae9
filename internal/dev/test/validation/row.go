package validation

import (
	"fmt"
	"math"
)

// Kind is the kind of a published number.
type Kind string

// Kinds of published numbers.
const (
	Measured Kind = "measured"
	Worked   Kind = "worked example"
	Formula  Kind = "formula"
)

// Rule defines when a prediction matches the published number. The choice of a rule depends only on the published data,
// not on the result.
type Rule string

// Rules, explained in ruleTexts.
const (
	Within15 Rule = "±15%"
	Between  Rule = "between"
	AtMost   Rule = "at most"
	Exact    Rule = "±3%"
	Cautious Rule = "-20 to +3%"
	Printed  Rule = "as printed"
)

var ruleTexts = []ruleText{
	{
		Within15,
		"The source publishes a rate that was measured in the same test, or the limiting factor. The prediction is " +
			"within 15% of the published number.",
	},
	{Between, "The source publishes a nominal line rate, or a range of an input. The published number is between the " +
		"predictions at both ends. For a line rate, these are 100% and 70%, the efficiency that vsla recommends for " +
		"planning."},
	{
		AtMost,
		"The source publishes the configured memory, not the memory in use, so the prediction is an upper bound. The " +
			"published time is not above it.",
	},
	{Exact, "A worked example. The prediction is within 3%, which allows for one rounded digit and a kilo of 1,000 " +
		"or 1,024."},
	{Cautious, "A table of a formula with a constant that differs from vsla's. The prediction is at most 20% below " +
		"the published number, and at most 3% above it because of rounding."},
	{
		Printed,
		"A worked example with few digits, or a bound. The prediction, rounded to the digits of the source, is equal " +
			"to the published number or within the bound.",
	},
}

type ruleText struct {
	rule Rule
	text string
}

// Row is a published number with the calculation that predicts it.
type Row struct {
	// ID identifies the row and is the name of its test.
	ID   string
	Kind Kind
	Rule Rule
	// What is the name of the quantity. Inputs contains the published inputs and their unit conversions.
	What, Inputs string
	// Published is the number in Unit, or the two ends of a range. If one end is 0 or +Inf, the other end is a bound.
	Published []float64
	Unit      string
	// Decimals is the number of published decimals, used by the rule Printed.
	Decimals int
	// Question is passed to predict, which returns one prediction for each end of a range. Hand contains the
	// predictions calculated by hand, as shown in Inputs. It is nil if vsla returns no result.
	Question string
	Hand     []float64
	// Predicted contains vsla's answers to Question. It is nil if there is no result.
	Predicted []float64
	// InputOrigin marks rows that are counted separately because an input was not published independently of the
	// measurement.
	InputOrigin InputOrigin
	// Mismatch explains why the predictions do not match the published number. It is empty if they match.
	Mismatch Mismatch
}

// InputOrigin is the origin of an input that was not published independently.
type InputOrigin string

// Origins of inputs that were not published independently.
const (
	FromLine    InputOrigin = "line"    // another line of the same table
	FromOutcome InputOrigin = "outcome" // a result of the same run, for example the amount of data sent
)

// Mismatch explains why the predictions of a row do not match the published number.
type Mismatch struct {
	Cause Cause
	Text  string
}

// Cause is the cause of a mismatch.
type Cause string

// Causes of a mismatch.
const (
	CauseInput       Cause = "a limiting input or a fixed cost is not published"
	CauseSource      Cause = "rounding or a misprint of the source"
	CauseModel       Cause = "vsla's model"
	CauseUnexplained Cause = "not explained"
)

var causes = []Cause{CauseInput, CauseSource, CauseModel, CauseUnexplained}

// Source is a publication and its rows.
type Source struct {
	// Title, Year and Where (page, section, table) identify the source. Address is its URL.
	Title   string
	Year    string
	Where   string
	Address string
	// Product is the measured product: vSphere Replication, vMotion or empty.
	Product string
	Rows    []Row
}

// Holds reports whether the predictions are within the row's interval.
func (r Row) Holds(predicted []float64) bool {
	if len(predicted) == 0 {
		return false
	}
	low, high := minMax(predicted)
	least, most := minMax(r.Published)
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

// rounded rounds to the given number of decimals. The result equals the corresponding decimal literal.
func rounded(v float64, decimals int) float64 {
	unit := math.Pow10(decimals)
	return math.Round(v*unit) / unit
}

func minMax(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// withPredictions returns the row with its predictions. It returns an error if a measured row has a prediction but no
// known direction.
func (r Row) withPredictions() (Row, error) {
	var err error
	if r.Predicted, err = predict(r.Question); err != nil {
		return r, fmt.Errorf("%s: %w", r.ID, err)
	}
	if r.Kind == Measured && len(r.Predicted) > 0 {
		_, err = r.Direction()
	}
	return r, err
}

// publishedRatio returns published / predicted. Ranges are compared at their nearer ends.
func (r Row) publishedRatio(predicted []float64) float64 {
	low, high := minMax(predicted)
	least, most := minMax(r.Published)
	if r.Rule == AtMost {
		low = 0
	}
	switch {
	case least > high:
		return least / high
	case most < low:
		return most / low
	}
	return 1
}
