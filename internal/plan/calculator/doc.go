// Package calculator describes calculators: their names, inputs and results with documentation, units, ranges and
// defaults, verdicts and reason codes.
//
// A Definition is a table of inputs and a table of results, each row with an accessor into the calculator's own Go
// types. The data sources and functions of the provider, the command line, the review, the policies and the
// documentation are generated from these tables.
//
// Values are exchanged as decoded by encoding/json: nil, bool, float64 (json.Number is accepted), string, []any and
// map[string]any.
package calculator
