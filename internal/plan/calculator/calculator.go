// Definitions and the calculators that they make.

package calculator

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

// Names are what a calculator is called in each interface.
type Names struct {
	// Name is Terraform's without the provider: "replication_estimate" for the data source vsla_replication_estimate.
	Name string
	// Function is the name of the provider function; empty without one.
	Function string
	// NoDataSource: the calculator is a function only.
	NoDataSource bool
	// Command is the name on the command line, below `estimate`.
	Command string
	// Title is what people call a result of it, in the singular: "Replication estimate".
	Title string
	// Summary is one line of plain text, Description Markdown.
	Summary, Description string
}

// Level is how good or bad a verdict is.
type Level string

// The levels, from best to worst.
const (
	Holds  Level = "holds"
	AtRisk Level = "at_risk"
	Misses Level = "misses"
)

// Verdict is a value of the field `verdict`.
type Verdict struct {
	Code string
	// Level ranks the verdict for readers and policies; empty if nothing was to be judged.
	Level Level
	// Doc completes "when ...".
	Doc string
}

// VerdictRow is the field `verdict`.
func VerdictRow[R any](verdicts []Verdict, at func(*R) *string) Output[R] {
	codes, docs := make([]string, len(verdicts)), make([]string, len(verdicts))
	for i, v := range verdicts {
		codes[i], docs[i] = v.Code, "`"+v.Code+"` "+v.Doc
	}
	return ResultOf("verdict", strings.Join(docs, "; ")+".", codes, at)
}

// Flag is a boolean result that judges, for a calculator without verdicts.
type Flag struct {
	Name string
	// Good is the value with which the result holds; with the other one it is a miss.
	Good bool
}

// Reason is a code of the field `reasons`.
type Reason struct {
	Code string
	// Sentence is the format of the explanation, with the numbers.
	Sentence string
}

// Finding returns the reason with its sentence filled in.
func (r Reason) Finding(args ...any) plan.Finding {
	return plan.Finding{Code: r.Code, Sentence: fmt.Sprintf(r.Sentence, args...)}
}

// Explanation is the part of every result that is not a number.
type Explanation struct {
	Findings []plan.Finding
	// Summary is the result in words with the numbers.
	Summary string
}

// Definition describes a calculator whose input type is I and whose result type is R.
type Definition[I, R any] struct {
	Names

	// Default returns an input with the documented defaults.
	Default func() I
	Inputs  Inputs[I]
	Results Outputs[R]
	// Verdicts are empty for a calculator that judges nothing.
	Verdicts []Verdict
	// Flag judges in place of verdicts; nil for none.
	Flag    *Flag
	Reasons []Reason
	// Explain returns the explanation of a result.
	Explain func(*R) *Explanation
	// Compute is the calculator. Its errors are plan.InputErrors.
	Compute func(I) (R, error)
	// Quick computes the results of Compute but for those that need a search, which are null; nil if none does.
	Quick func(I) (R, error)
	// Long is in place of Compute for a calculator that may take minutes: it returns the error of ctx soon after its end.
	Long func(context.Context, I) (R, error)
	// Slow reports whether a valid input takes longer than SlowSeconds; nil if none does.
	Slow func(I) bool
}

// SlowSeconds is from when on users are warned before a calculation.
const SlowSeconds = 10

// Calculator returns the calculator without its Go types.
func (d Definition[I, R]) Calculator() *Calculator {
	explained := append(slices.Clone(d.Results), ExplanationRows(d.Explain, d.Reasons)...)
	defaults := d.Default()
	c := &Calculator{
		Names: d.Names, Verdicts: d.Verdicts, Flag: d.Flag, Reasons: d.Reasons,
		Fields: merge(d.Inputs.fields(&defaults), explained.fields()),
	}
	compute := d.Long
	if compute == nil {
		compute = func(_ context.Context, in I) (R, error) { return d.Compute(in) }
	}
	c.evaluate = func(ctx context.Context, values map[string]any) (map[string]any, error) {
		in := d.Default()
		if err := d.Inputs.decode(&in, values, nil, fromUser).Err(); err != nil {
			return nil, err
		}
		r, err := compute(ctx, in)
		if err != nil {
			return nil, err
		}
		return explained.values(&r), nil
	}
	c.read = func(values map[string]any) (any, error) { return d.answer(values) }
	c.again = func(values map[string]any) (any, map[string]any, error) {
		in := d.Default()
		if err := d.Inputs.decode(&in, values, nil, fromFile).Err(); err != nil {
			return nil, nil, err
		}
		compute := d.Compute
		if d.Quick != nil {
			compute = d.Quick
		} else if d.Slow != nil {
			return nil, nil, nil
		}
		r, err := compute(in)
		return Answer[I, R]{Input: in, Result: r}, d.Results.values(&r), err
	}
	c.slow = func(values map[string]any) bool {
		in := d.Default()
		err := append(d.Inputs.decode(&in, values, nil, fromFile), d.Inputs.Check(&in, nil)...).Err()
		return err == nil && d.Slow != nil && d.Slow(in)
	}
	return c
}

// ExplanationRows are the results that are no numbers: reasons, explanations and the summary.
func ExplanationRows[R any](explain func(*R) *Explanation, reasons []Reason) Outputs[R] {
	codes := make([]string, len(reasons))
	for i, reason := range reasons {
		codes[i] = reason.Code
	}
	doc := "Sorted codes of what a reader or a policy should know, each a fact of its own: `" +
		strings.Join(codes, "`, `") + "`."
	if len(codes) == 0 {
		doc = "Always empty: there is nothing to judge."
	}
	findings := func(name, doc string, of func([]plan.Finding) []string, set func(*plan.Finding, string)) Output[R] {
		return Output[R]{
			Field: Field{Name: name, Doc: doc, Kind: Texts, Result: true},
			value: func(r *R) any { return plain(of(explain(r).Findings)) },
			read: func(r *R, v any, path plan.Path) error {
				list, errs := texts(v, path)
				e := explain(r)
				for i, text := range list {
					if i == len(e.Findings) {
						e.Findings = append(e.Findings, plan.Finding{})
					}
					set(&e.Findings[i], text)
				}
				return errs.Err()
			},
		}
	}
	row := findings("reasons", doc, plan.Codes, func(f *plan.Finding, code string) { f.Code = code })
	row.OneOf = codes
	return Outputs[R]{
		row,
		findings("explanations", "One sentence with the numbers for each of `reasons`, in the same order.",
			plan.Sentences, func(f *plan.Finding, sentence string) { f.Sentence = sentence }),
		Result("summary", "The result in words with the numbers, for reviews and error messages.",
			func(r *R) *string { return &explain(r).Summary }),
	}
}

// merge puts inputs and results together. A name in both is one field.
func merge(inputs, results []Field) []Field {
	all := slices.Clone(inputs)
	for _, result := range results {
		i := slices.IndexFunc(all, func(f Field) bool { return f.Name == result.Name })
		if i < 0 {
			all = append(all, result)
			continue
		}
		all[i].Result = result.Kind != Objects
		all[i].Fields = merge(all[i].Fields, result.Fields)
	}
	return all
}

// Calculator is a calculator as every interface sees it.
type Calculator struct {
	Names

	// Fields are the inputs, then the results.
	Fields   []Field
	Verdicts []Verdict
	Flag     *Flag
	Reasons  []Reason
	evaluate func(context.Context, map[string]any) (map[string]any, error)
	read     func(map[string]any) (any, error)
	again    func(map[string]any) (any, map[string]any, error)
	slow     func(map[string]any) bool
}

// Slow reports whether Evaluate takes longer than SlowSeconds on two cores, as far as that is known.
func (c *Calculator) Slow(values map[string]any) bool { return c.slow(values) }

// DataSource returns the full name of the data source, "vsla_replication_estimate".
func (c *Calculator) DataSource() string { return "vsla_" + c.Name }

// Inputs returns the fields that may be given.
func (c *Calculator) Inputs() []Field {
	return slices.DeleteFunc(slices.Clone(c.Fields), func(f Field) bool { return !f.Input })
}

// Results returns the fields that are computed, themselves or a member of them.
func (c *Calculator) Results() []Field {
	return slices.DeleteFunc(slices.Clone(c.Fields), func(f Field) bool { return !f.HasResult() })
}

// Field returns the field of that name.
func (c *Calculator) Field(name string) (Field, bool) { return find(c.Fields, name) }

// Judge returns the level of a result, and false when the result carries none.
func (c *Calculator) Judge(result map[string]any) (Level, bool) {
	for _, v := range c.Verdicts {
		if v.Code == result["verdict"] {
			return v.Level, v.Level != ""
		}
	}
	if c.Flag == nil {
		return "", false
	}
	switch result[c.Flag.Name] {
	case c.Flag.Good:
		return Holds, true
	case !c.Flag.Good:
		return Misses, true
	}
	return "", false
}

// Evaluate computes from plain values. The result has every computed field; a field that is also an input has the value
// that was given, and an object that is given keeps its members next to the computed ones. The error is a
// plan.InputErrors for input without a meaning.
func (c *Calculator) Evaluate(values map[string]any) (map[string]any, error) {
	return c.EvaluateContext(context.Background(), values)
}

// EvaluateContext is Evaluate, which ends with the error of ctx soon after ctx does.
func (c *Calculator) EvaluateContext(ctx context.Context, values map[string]any) (map[string]any, error) {
	results, err := c.evaluate(ctx, values)
	if err != nil {
		return nil, err
	}
	return overlay(c.Fields, values, results), nil
}

// overlay replaces computed values with the given ones where a field is both.
func overlay(fields []Field, given, computed map[string]any) map[string]any {
	for _, f := range fields {
		v := given[f.Name]
		switch {
		case !f.Input || !f.HasResult():
		case v == nil:
			if f.Kind == Objects { // an optional map that is not given has no results
				computed[f.Name] = nil
			}
		case f.Kind == Number:
			if n, err := number(v); err == nil {
				computed[f.Name] = n
			}
		case f.Kind != Objects:
			computed[f.Name] = v
		default:
			overlayElements(f.Fields, v, computed[f.Name])
		}
	}
	return computed
}

// overlayElements adds the inputs of each element that its results lack.
func overlayElements(fields []Field, given, computed any) {
	elements, _ := given.(map[string]any)
	results, _ := computed.(map[string]any)
	for key, e := range elements {
		members, _ := e.(map[string]any)
		result, _ := results[key].(map[string]any)
		for _, member := range fields {
			if _, ok := result[member.Name]; member.Input && !ok && result != nil {
				result[member.Name] = members[member.Name]
			}
		}
	}
}

// Inputs are the inputs of a calculator, in the order in which they are documented and checked.
type Inputs[I any] []Input[I]

// Check reports every input that is out of its range, at the path.
func (rows Inputs[I]) Check(in *I, at plan.Path) plan.InputErrors {
	var errs plan.InputErrors
	for _, row := range rows {
		if row.check != nil {
			errs = append(errs, row.check(in, at.Attr(row.Name))...)
		}
	}
	return errs
}
