// Package calculator holds the description of a calculator: its names, its inputs and results with their documentation,
// units, ranges and defaults, its verdicts and its reason codes.
//
// A calculator describes itself once, next to its arithmetic, as a Definition: a table of inputs and a table of
// results, each row with an accessor into the calculator's own Go types. Everything that offers calculators to users
// (the data sources and functions of the provider, the command line, the review, the policies, the documentation)
// ranges over the registry and reads those tables, so an input is one row and the formula, and nothing can forget it.
//
// Values travel between the interfaces and the calculators as plain Go, the form in which encoding/json decodes them:
// nil, bool, float64 (json.Number is accepted), string, []any and map[string]any.
package calculator
