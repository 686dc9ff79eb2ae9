// Package limits holds the published limits of vCenter, vSphere Replication and tagging as data, each with its
// version and source, and compares numbers with them. A figure that is not known for a version is absent, never
// guessed.
package limits

import (
	"cmp"
	"fmt"
	"maps"
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
}

// Result is the comparison. Exceeded is sorted.
type Result struct {
	Limits       map[string]float64
	Sources      map[string]string
	WithinLimits bool
	Exceeded     []string
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

// Check compares counts with the limits of a product and version. The error is a plan.InputErrors: an unknown product
// or version names the known ones, and a count for which there is no limit is at its key.
func Check(in Input) (Result, error) {
	if errs := inputs.Check(&in, nil); errs != nil {
		return Result{}, errs
	}
	if !slices.Contains(Versions(in.Product), in.Version) {
		return Result{}, plan.InputErrors{}.With(
			plan.Attr("version"),
			fmt.Errorf("must be one of %s for %s, of which figures are published, got %q",
				strings.Join(Versions(in.Product), ", "), in.Product, in.Version),
		)
	}
	r := Result{Limits: map[string]float64{}, Sources: map[string]string{}, WithinLimits: true, Exceeded: []string{}}
	lower := map[string]bool{}
	for _, l := range published {
		if l.Product == in.Product && l.Version == in.Version {
			r.Limits[l.Name], r.Sources[l.Name], lower[l.Name] = l.Value, l.Source, l.Lower
		}
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
				in.Product, in.Version, strings.Join(slices.Sorted(maps.Keys(r.Limits)), ", ")))
			continue
		}
		r.compare(name, in.Counts[name], limit, lower[name])
	}
	if err := errs.Err(); err != nil {
		return Result{}, err
	}
	r.Summary = fmt.Sprintf("%s of %s within the limits of %s %s.",
		plan.Thousands(float64(len(in.Counts)-len(r.Exceeded)), 0),
		isOrAre(plan.Count(float64(len(in.Counts)), "number"), len(in.Counts)), in.Product, in.Version)
	return r, nil
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
