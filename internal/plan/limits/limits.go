// Package limits holds the published limits of vCenter, vSphere Replication and tagging as data, each with its
// version and source, and compares numbers with them. A figure that is not known for a version is absent, never
// guessed.
package limits

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// Limit is one published figure.
type Limit struct {
	Product, Version, Name string
	Value                  float64
	// Lower: the value is the least that is allowed, not the most.
	Lower bool
	// Source says where it is published.
	Source string
}

// Input asks for the limits of a product in a version.
type Input struct {
	Product, Version string
	// Counts are numbers in use, by limit name.
	Counts map[string]float64
	// Overrides replace published limits, or add some, by name.
	Overrides map[string]float64
	// Operations is how many are to be done; nil does not ask.
	Operations *float64
}

// Result is the comparison. Exceeded is sorted.
type Result struct {
	Limits       map[string]float64
	Sources      map[string]string
	WithinLimits bool
	Exceeded     []string
	// OperationsSeconds is how long the operations take, ServersNeeded how many servers the replications need; nil without
	// a limit to compute them from.
	OperationsSeconds *float64
	ServersNeeded     *int64
	calculator.Explanation
}

// Products lists the known products.
func Products() []string {
	return distinct(func(l Limit) (string, bool) { return l.Product, true })
}

// Versions lists the versions of a product of which figures are known, oldest first, as the table has them.
func Versions(product string) []string {
	return distinct(func(l Limit) (string, bool) { return l.Version, l.Product == product })
}

func distinct(pick func(Limit) (string, bool)) []string {
	var found []string
	for _, l := range published {
		if v, ok := pick(l); ok && !slices.Contains(found, v) {
			found = append(found, v)
		}
	}
	return found
}

// Check compares counts with the limits of a product and version. A version without figures has
// those of the nearest older one, and a finding that says so. The error is a plan.InputErrors: an unknown product
// names the known ones, and a count for which there is no limit is at its key.
func Check(in Input) (Result, error) {
	if errs := inputs.Check(&in, nil); errs != nil {
		return Result{}, errs
	}
	rows, of, err := find(in.Product, in.Version)
	if err != nil {
		return Result{}, err
	}
	r := Result{Limits: map[string]float64{}, Sources: map[string]string{}, WithinLimits: true, Exceeded: []string{}}
	lower := map[string]bool{}
	for _, l := range rows {
		r.Limits[l.Name], r.Sources[l.Name], lower[l.Name] = l.Value, l.Source, l.Lower
	}
	if !same(of, in.Version) {
		r.Findings = append(r.Findings, reasonUnverified.Finding(in.Product, in.Version, of))
	}
	var errs plan.InputErrors
	for _, name := range slices.Sorted(maps.Keys(in.Overrides)) {
		r.Limits[name], r.Sources[name] = in.Overrides[name], "given in overrides"
	}
	for _, name := range slices.Sorted(maps.Keys(in.Counts)) {
		at := plan.Attr("counts").Key(name)
		limit, known := r.Limits[name]
		if !known {
			errs = errs.With(at, fmt.Errorf("has no published limit for %s %s; give one in overrides, or use one of %s",
				in.Product, of, strings.Join(slices.Sorted(maps.Keys(r.Limits)), ", ")))
			continue
		}
		r.compare(name, in.Counts[name], limit, lower[name])
	}
	if err := errs.Err(); err != nil {
		return Result{}, err
	}
	r.derive(in)
	r.Summary = fmt.Sprintf("%s of %s within the limits of %s %s.",
		plan.Thousands(float64(len(in.Counts)-len(r.Exceeded)), 0),
		isOrAre(plan.Count(float64(len(in.Counts)), "number"), len(in.Counts)), in.Product, of)
	return r, nil
}

// derive computes what follows from a limit and a number.
func (r *Result) derive(in Input) {
	if in.Operations != nil {
		r.OperationsSeconds = quotient(*in.Operations, r.Limits["operations_per_second"])
	}
	replications, given := in.Counts["replications"]
	if !given {
		return
	}
	if servers := quotient(replications, r.Limits["replications_per_server"]); servers != nil {
		whole := int64(math.Ceil(*servers))
		r.ServersNeeded = &whole
	}
	if deployed, known := r.Limits["replications_as_deployed"]; known && replications > deployed {
		r.Findings = append(r.Findings, reasonAboveAsDeployed.Finding(plan.Thousands(replications, -1),
			plan.Thousands(deployed, -1), r.Sources["replications_as_deployed"]))
	}
}

// quotient returns nil where a limit of 0, or next to it, leaves no meaningful answer.
func quotient(count, limit float64) *float64 {
	if q := count / limit; limit > 0 && q <= RangeCount.Max*1e6 {
		return &q
	}
	return nil
}

func (r *Result) compare(name string, count, limit float64, lower bool) {
	sign, word := cmp.Compare(count, limit), "above"
	if lower {
		sign, word = -sign, "below"
	}
	if sign <= 0 {
		return
	}
	r.WithinLimits = false
	r.Exceeded = append(r.Exceeded, name)
	r.Findings = append(r.Findings, reasonExceeded.Finding(name, plan.Thousands(count, -1), word,
		plan.Thousands(limit, -1), r.Sources[name]))
}

func isOrAre(subject string, n int) string {
	if n == 1 {
		return subject + " is"
	}
	return subject + " are"
}
