// Package limits contains the published limits of vCenter, vSphere Replication, HCX and tagging by version, with their
// sources, and compares counts with them. Unknown limits are omitted, never guessed.
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

// Limit is a published limit.
type Limit struct {
	Product, Version, Name string
	Value                  float64
	// Lower marks a limit that is a minimum instead of a maximum.
	Lower  bool
	Source string
}

// Input selects a product version and contains the counts to compare with its limits.
type Input struct {
	Product, Version string
	// Counts are the numbers of objects in use, by limit name.
	Counts map[string]float64
	// Overrides are limits, by name, that replace or extend the published limits.
	Overrides map[string]float64
	// Operations is the number of operations for which OperationsSeconds is computed; nil for none.
	Operations *float64
}

// Result is the result of the comparison. Exceeded is sorted.
type Result struct {
	Limits  map[string]float64
	Sources map[string]string
	// WithinLimits is nil if Verdict is plan.Unknown.
	WithinLimits *bool
	Verdict      string
	Exceeded     []string
	// OperationsSeconds is the time that all operations take together. ServersNeeded is the number of servers that the
	// replications require. Each is nil if its limit is unknown or the input does not contain the count.
	OperationsSeconds *float64
	ServersNeeded     *int64
	calculator.Explanation
}

// Products lists the known products.
func Products() []string {
	return distinct(func(l Limit) (string, bool) { return l.Product, true })
}

// Versions lists the versions of a product for which limits are known, oldest first.
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

// servers is the name of the count of replication servers. It is accepted even for versions without a limit on servers,
// because it is also compared with ServersNeeded.
const servers = "servers"

// Check compares counts with the limits of a product version. If no limits are known for that version, it returns the
// limits of the nearest older version with a finding, and compares only counts that have an override. The error is a
// plan.InputErrors that lists the known products, or identifies the count without a limit.
func Check(in Input) (Result, error) {
	if errs := inputs.Check(&in, nil); errs != nil {
		return Result{}, errs
	}
	rows, of, err := findLimits(in.Product, in.Version)
	if err != nil {
		return Result{}, err
	}
	r := Result{Limits: map[string]float64{}, Sources: map[string]string{}, Exceeded: []string{}}
	lower := map[string]bool{}
	for _, l := range rows {
		r.Limits[l.Name] = l.Value
		r.Sources[l.Name] = l.Source
		lower[l.Name] = l.Lower
	}
	verified := sameVersion(of, in.Version)
	if !verified {
		r.Findings = append(r.Findings, reasonUnverified.Finding(in.Product, in.Version, of))
	}
	for _, name := range slices.Sorted(maps.Keys(in.Overrides)) {
		r.Limits[name], r.Sources[name] = in.Overrides[name], "set in overrides"
	}
	unknown, errs := r.count(in, of, lower)
	if err := errs.Err(); err != nil {
		return Result{}, err
	}
	_, given := in.Overrides[perServer]
	r.derive(in, verified || given)
	r.judge(unknown)
	r.Summary = in.summary(&r, of, unknown)
	return r, nil
}

// count compares the counts with their limits. It returns the number of counts whose limit is known only for an older
// version.
func (r *Result) count(in Input, of string, lower map[string]bool) (unknown int, errs plan.InputErrors) {
	verified := sameVersion(of, in.Version)
	for _, name := range slices.Sorted(maps.Keys(in.Counts)) {
		at := plan.Attr("counts").Key(name)
		limit, known := r.Limits[name]
		if !known && name == servers && in.Product == productReplication {
			continue
		}
		if !known {
			errs = errs.With(
				at,
				fmt.Errorf("has no published limit for %s %s: set a limit in overrides, or use one of %s",
					in.Product, of, strings.Join(slices.Sorted(maps.Keys(r.Limits)), ", ")),
			)
			continue
		}
		switch _, given := in.Overrides[name]; {
		case given || verified && (name != datastoreVMs || sameVersion(in.Version, guidanceVersion)):
			r.compare(name, in.Counts[name], limit, lower[name])
		case name != datastoreVMs || r.aboveGuidance(in.Counts[name], limit):
			unknown++
		}
	}
	return unknown, errs
}

func (r *Result) judge(unknown int) {
	r.Verdict = plan.Meets
	switch {
	case len(r.Exceeded) > 0 || slices.Contains(plan.Codes(r.Findings), reasonTooFewServers.Code):
		r.Verdict = plan.Misses
	case unknown > 0:
		r.Verdict = plan.Unknown
		return
	}
	r.WithinLimits = new(r.Verdict == plan.Meets)
}

func (in Input) summary(r *Result, of string, unknown int) string {
	if len(in.Counts) == 0 {
		return fmt.Sprintf("%s of %s %s. There are no counts to compare.",
			plan.Count(float64(len(r.Limits)), "limit"), in.Product, of)
	}
	s := fmt.Sprintf("%s of %s within the limits of %s %s.",
		plan.Thousands(float64(len(in.Counts)-len(r.Exceeded)-unknown), 0),
		isOrAre(plan.Count(float64(len(in.Counts)), "count"), len(in.Counts)), in.Product, of)
	if unknown > 0 {
		s += fmt.Sprintf(
			" For %s, the limit of version %s is unknown.",
			plan.Count(float64(unknown), "count"),
			in.Version,
		)
	}
	return s
}

const perServer = "replications_per_server"

// derive sets the results that combine a limit and a count. verified reports whether the limit perServer is known for
// this version.
func (r *Result) derive(in Input, verified bool) {
	if in.Operations != nil {
		r.OperationsSeconds = quotient(*in.Operations, r.Limits["operations_per_second"])
	}
	replications, given := in.Counts["replications"]
	if !given {
		return
	}
	if needed := quotient(replications, r.Limits[perServer]); needed != nil {
		r.ServersNeeded = new(int64(math.Ceil(*needed)))
		if have, ok := in.Counts[servers]; ok && verified && have < float64(*r.ServersNeeded) {
			r.Findings = append(r.Findings, reasonTooFewServers.Finding(plan.Thousands(replications, -1),
				plan.Thousands(float64(*r.ServersNeeded), 0), plan.Thousands(have, -1)))
		}
	}
	if deployed, known := r.Limits["replications_as_deployed"]; known && replications > deployed {
		r.Findings = append(r.Findings, reasonAboveAsDeployed.Finding(plan.Thousands(replications, -1),
			plan.Thousands(deployed, -1), r.Sources["replications_as_deployed"]))
	}
}

func quotient(count, limit float64) *float64 {
	if q := count / limit; limit > 0 && q <= RangeCount.Max*1e6 {
		return &q
	}
	return nil
}

func (r *Result) aboveGuidance(vms, limit float64) bool {
	if vms > limit {
		r.Findings = append(
			r.Findings,
			reasonDatastoreGuidance.Finding(plan.Thousands(vms, -1), plan.Thousands(limit, -1),
				r.Sources[datastoreVMs]),
		)
	}
	return vms > limit
}

func (r *Result) compare(name string, count, limit float64, lower bool) {
	sign, word := cmp.Compare(count, limit), "above"
	if lower {
		sign, word = -sign, "below"
	}
	if sign <= 0 {
		return
	}
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
