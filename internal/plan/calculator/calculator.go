package calculator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

// Names contains the names of a calculator in each interface.
type Names struct {
	// Name is the Terraform name without the prefix: "replication_estimate" for vsla_replication_estimate.
	Name string
	// Function is the name of the provider function; empty if there is none.
	Function string
	// NoDataSource disables the data source.
	NoDataSource bool
	// Command is the subcommand of `estimate`.
	Command string
	// Example contains the flags of an example command, or its standard input as a JSON object.
	Example string
	// Title is the title of a single result: "Replication estimate".
	Title string
	// Summary is one line of plain text; Description is Markdown.
	Summary, Description string
}

// DataSource returns the full data source name, such as "vsla_replication_estimate".
func (n Names) DataSource() string { return "vsla_" + n.Name }

// Verdict is a possible value of the result `verdict`.
type Verdict struct {
	Code string
	// Level is empty if the verdict does not judge a promise.
	Level plan.Level
	// Doc describes the condition, for example "if the deadline is met".
	Doc string
}

// VerdictRow returns the output named `verdict`.
func VerdictRow[R any](verdicts []Verdict, at func(*R) *string) Output[R] {
	codes, docs := make([]string, len(verdicts)), make([]string, len(verdicts))
	for i, v := range verdicts {
		codes[i], docs[i] = v.Code, "`"+v.Code+"` "+v.Doc
	}
	return ResultOf("verdict", "Result of the evaluation: "+strings.Join(docs, ". ")+".", codes, at)
}

// Flag is a boolean result that serves as the verdict.
type Flag struct {
	Name string
	// Good is the value that has the level plan.Meets. The other value has the level plan.Misses.
	Good bool
}

// Reason is a possible code in the result `reasons`.
type Reason struct {
	Code string
	// Sentence is the format string of the explanation.
	Sentence string
}

// NewReason returns a reason with the given code and format string.
func NewReason(code, sentence string) Reason { return Reason{Code: code, Sentence: sentence} }

// Finding returns a finding with the formatted sentence.
func (r Reason) Finding(args ...any) plan.Finding {
	return plan.Finding{Code: r.Code, Sentence: fmt.Sprintf(r.Sentence, args...)}
}

// Explanation contains the findings and the summary of a result.
type Explanation struct {
	Findings []plan.Finding
	// Summary describes the result, including its numbers.
	Summary string
}

// Definition describes a calculator with input type I and result type R.
type Definition[I, R any] struct {
	Names

	// Default returns the documented default input.
	Default func() I
	Inputs  Inputs[I]
	Results Outputs[R]
	// Verdicts is empty if the calculator has no verdict.
	Verdicts []Verdict
	// Flag is the boolean result that serves as the verdict in place of Verdicts; nil if there is none.
	Flag    *Flag
	Reasons []Reason
	// Explain returns the explanation of a result.
	Explain func(*R) *Explanation
	// Compute computes the result. Its errors are plan.InputErrors.
	Compute func(I) (R, error)
	// Quick is a faster version of Compute that skips the results that require a search, leaving them nil. Quick is nil
	// if no result requires a search.
	Quick func(I) (R, error)
	// Long replaces Compute for calculations that can run for minutes. It stops when ctx is cancelled.
	Long func(context.Context, I) (R, error)
	// Slow reports whether the calculation for a valid input is expected to take more than SlowSeconds. It is nil if
	// all calculations are fast.
	Slow func(I) bool
}

// SlowSeconds is the expected duration above which users are warned before a calculation.
const SlowSeconds = 10

// Calculator returns the calculator with untyped inputs and results.
func (d Definition[I, R]) Calculator() *Calculator {
	explained := d.explained()
	defaults := d.Default()
	c := &Calculator{
		Names:    d.Names,
		Verdicts: d.Verdicts,
		Flag:     d.Flag,
		Reasons:  d.Reasons,
		Fields:   merge(d.Inputs.fields(&defaults), explained.fields()),
	}
	c.evaluate = func(ctx context.Context, values map[string]any) (map[string]any, error) {
		in, err := d.Given(values)
		if err != nil {
			return nil, err
		}
		r, err := d.evaluate(ctx, in)
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

// explained returns the results with their explanation.
func (d Definition[I, R]) explained() Outputs[R] {
	return slices.Concat(d.Results, ExplanationRows(d.Explain, d.Reasons))
}

func (d Definition[I, R]) evaluate(ctx context.Context, in I) (R, error) {
	if d.Long != nil {
		return d.Long(ctx, in)
	}
	return d.Compute(in)
}

// ExplanationRows returns the outputs named `reasons`, `explanations` and `summary`.
func ExplanationRows[R any](explain func(*R) *Explanation, reasons []Reason) Outputs[R] {
	var codes []string
	for _, reason := range reasons {
		if !slices.Contains(codes, reason.Code) {
			codes = append(codes, reason.Code)
		}
	}
	doc := "Codes of the findings, sorted. Possible values: `" +
		strings.Join(codes, "`, `") + "`."
	if len(codes) == 0 {
		doc = "Always empty, because there is no verdict."
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
		findings("explanations", "One sentence per code in `reasons`, in the same order.",
			plan.Sentences, func(f *plan.Finding, sentence string) { f.Sentence = sentence }),
		Result("summary", "Summary of the result in a few sentences.",
			func(r *R) *string { return &explain(r).Summary }),
	}
}

// merge combines inputs and results. An input and a result with the same name become one field.
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

// Calculator is a calculator with untyped inputs and results.
type Calculator struct {
	Names

	// Fields lists the inputs, followed by the results.
	Fields   []Field
	Verdicts []Verdict
	Flag     *Flag
	Reasons  []Reason
	evaluate func(context.Context, map[string]any) (map[string]any, error)
	read     func(map[string]any) (any, error)
	again    func(map[string]any) (any, map[string]any, error)
	slow     func(map[string]any) bool
}

// Slow reports whether Evaluate is expected to take more than SlowSeconds on two cores.
func (c *Calculator) Slow(values map[string]any) bool { return c.slow(values) }

// Inputs returns the input fields.
func (c *Calculator) Inputs() []Field {
	return slices.DeleteFunc(slices.Clone(c.Fields), func(f Field) bool { return !f.Input })
}

// Results returns the fields that are computed or have a computed member.
func (c *Calculator) Results() []Field {
	return slices.DeleteFunc(slices.Clone(c.Fields), func(f Field) bool { return !f.HasResult() })
}

// Field returns the field with the given name.
func (c *Calculator) Field(name string) (Field, bool) { return find(c.Fields, name) }

// Judge returns the level of a result, which is plan.Neutral if its verdict does not judge a promise.
func (c *Calculator) Judge(result map[string]any) plan.Level {
	for _, v := range c.Verdicts {
		if v.Code == result["verdict"] {
			return cmp.Or(v.Level, plan.Neutral)
		}
	}
	if c.Flag == nil {
		return plan.Neutral
	}
	switch result[c.Flag.Name] {
	case c.Flag.Good:
		return plan.Meets
	case !c.Flag.Good:
		return plan.Misses
	}
	return plan.Neutral
}

// Evaluate computes the results. Values given as inputs override computed values. Each element of a map of objects
// contains both its inputs and its results. The error is a plan.InputErrors if the input is invalid.
func (c *Calculator) Evaluate(values map[string]any) (map[string]any, error) {
	return c.EvaluateContext(context.Background(), values)
}

// EvaluateContext is like Evaluate, but stops when ctx is cancelled and then returns the error of ctx.
func (c *Calculator) EvaluateContext(ctx context.Context, values map[string]any) (map[string]any, error) {
	results, err := c.evaluate(ctx, values)
	if err != nil {
		return nil, err
	}
	return overlay(c.Fields, values, results), nil
}

func overlay(fields []Field, given, computed map[string]any) map[string]any {
	for _, f := range fields {
		v := given[f.Name]
		switch {
		case !f.Input || !f.HasResult():
		case v == nil:
			if f.Kind == Objects { // results of an omitted optional map are null
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

// Inputs lists the inputs of a calculator, in the order in which they are documented and checked.
type Inputs[I any] []Input[I]

// Check returns an error for every input that is out of range.
func (rows Inputs[I]) Check(in *I, at plan.Path) plan.InputErrors {
	var errs plan.InputErrors
	for _, row := range rows {
		if row.check != nil {
			errs = append(errs, row.check(in, at.Attr(row.Name))...)
		}
	}
	return errs
}
