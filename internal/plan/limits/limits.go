// Package limits holds the published limits of vCenter, vSphere Replication, HCX and tagging as data, each with its
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
	// Source is the publication of the limit.
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
	Limits  map[string]float64
	Sources map[string]string
	// WithinLimits is nil if Verdict is VerdictUnknown.
	WithinLimits *bool
	Verdict      string
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

// servers is the number of replication servers among the counts, which counts for every version: it is compared with
// ServersNeeded.
const servers = "servers"

// Check compares counts with the limits of a product and version. A version without figures has those of the nearest
// older one, and a finding that reports it: numbers are not compared with them. The error is a plan.InputErrors: an
// unknown product names the known ones, and a count for which there is no limit is at its key.
func Check(in Input) (Result, error) {
	if errs := inputs.Check(&in, nil); errs != nil {
		return Result{}, errs
	}
	rows, of, err := find(in.Product, in.Version)
	if err != nil {
		return Result{}, err
	}
	r := Result{Limits: map[string]float64{}, Sources: map[string]string{}, Exceeded: []string{}}
	lower := map[string]bool{}
	for _, l := range rows {
		r.Limits[l.Name], r.Sources[l.Name], lower[l.Name] = l.Value, l.Source, l.Lower
	}
	verified := same(of, in.Version)
	if !verified {
		r.Findings = append(r.Findings, reasonUnverified.Finding(in.Product, in.Version, of))
	}
	for _, name := range slices.Sorted(maps.Keys(in.Overrides)) {
		r.Limits[name], r.Sources[name] = in.Overrides[name], "given in overrides"
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

// count compares the numbers with the limits of a version, and returns how many have only the limit of an older one.
func (r *Result) count(in Input, of string, lower map[string]bool) (unknown int, errs plan.InputErrors) {
	verified := same(of, in.Version)
	for _, name := range slices.Sorted(maps.Keys(in.Counts)) {
		at := plan.Attr("counts").Key(name)
		limit, known := r.Limits[name]
		if !known && name == servers && in.Product == productReplication {
			continue
		}
		if !known {
			errs = errs.With(at, fmt.Errorf("has no published limit for %s %s; give one in overrides, or use one of %s",
				in.Product, of, strings.Join(slices.Sorted(maps.Keys(r.Limits)), ", ")))
			continue
		}
		switch _, given := in.Overrides[name]; {
		case given || verified && (name != datastoreVMs || same(in.Version, guidanceVersion)):
			r.compare(name, in.Counts[name], limit, lower[name])
		case name != datastoreVMs || r.aboveGuidance(in.Counts[name], limit):
			unknown++
		}
	}
	return unknown, errs
}

// judge fills the verdict; unknown is how many numbers have only an older version's limit.
func (r *Result) judge(unknown int) {
	r.Verdict = VerdictMeets
	switch {
	case len(r.Exceeded) > 0 || slices.Contains(plan.Codes(r.Findings), reasonTooFewServers.Code):
		r.Verdict = VerdictMisses
	case unknown > 0:
		r.Verdict = VerdictUnknown
		return
	}
	r.WithinLimits = new(r.Verdict == VerdictMeets)
}

func (in Input) summary(r *Result, of string, unknown int) string {
	if len(in.Counts) == 0 {
		return fmt.Sprintf("%s of %s %s; no numbers were given to compare.",
			plan.Count(float64(len(r.Limits)), "limit"), in.Product, of)
	}
	s := fmt.Sprintf("%s of %s within the limits of %s %s.",
		plan.Thousands(float64(len(in.Counts)-len(r.Exceeded)-unknown), 0),
		isOrAre(plan.Count(float64(len(in.Counts)), "number"), len(in.Counts)), in.Product, of)
	if unknown > 0 {
		s += fmt.Sprintf(" Of %d the limit in %s is not known.", unknown, in.Version)
	}
	return s
}

// perServer is the limit that ServersNeeded follows from.
const perServer = "replications_per_server"

// derive computes what follows from a limit and a number; verified is whether perServer is of the version asked for.
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

// quotient returns nil where a limit of 0, or next to it, leaves no meaningful answer.
func quotient(count, limit float64) *float64 {
	if q := count / limit; limit > 0 && q <= RangeCount.Max*1e6 {
		return &q
	}
	return nil
}

// aboveGuidance reports whether more VMs replicate to a datastore than an old guide advises, and adds the finding.
func (r *Result) aboveGuidance(vms, limit float64) bool {
	if vms > limit {
		r.Findings = append(r.Findings, reasonDatastoreGuidance.Finding(plan.Thousands(vms, -1), plan.Thousands(limit, -1),
			r.Sources[datastoreVMs]))
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
