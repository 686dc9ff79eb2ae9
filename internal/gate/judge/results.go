package judge

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/schema"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/gate/tfplan"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

const (
	typeEstimate    = "vsla_replication_estimate"
	typeVMotion     = "vsla_vmotion_estimate"
	typeMigration   = "vsla_migration_plan"
	typeLimits      = "vsla_configuration_limits"
	typeCompliance  = "vsla_sla_compliance"
	typeHistory     = "vsla_replication_history"
	typeCalibration = "vsla_replication_calibration"
	typeLink        = "vsla_link_throughput"
)

// verdict is what a result of a calculator says. A result of another kind lacks some of its values.
type verdict struct {
	Verdict       text                   `json:"verdict"`
	Summary       text                   `json:"summary"`
	Reasons       tfplan.Value[[]string] `json:"reasons"`
	RPO           figure                 `json:"rpo_minutes"`
	MeetsRPO      tfplan.Value[bool]     `json:"meets_rpo"`
	ViolationFree tfplan.Value[bool]     `json:"violation_free"`
	Throughput    figure                 `json:"throughput_mbps"`
	Concurrent    figure                 `json:"concurrent_migrations"`
	MaxConcurrent figure                 `json:"max_concurrent"`
	PerMigration  figure                 `json:"per_migration_mbps"`
	Hourly        tfplan.Value[[]figure] `json:"hourly_throughput_mbps"`
	Within        tfplan.Value[bool]     `json:"within_limits"`
	Exceeded      tfplan.Value[[]string] `json:"exceeded"`
	Optimistic    tfplan.Value[bool]     `json:"optimistic"`
}

// always lists the results that are judged wherever they occur. The others are judged if the settings name them.
var always = []string{schema.Plan, typeEstimate, typeVMotion, typeMigration, typeLimits, typeCompliance}

func (j *judge) isJudged(kind string) bool {
	_, named := j.settings.Results[kind]
	return named || slices.Contains(always, kind)
}

// checkPending finds results that are known only during apply, and results that the plan lacks.
func (j *judge) checkPending() {
	waiting := make(map[string]bool)
	for _, c := range j.plan.Pending() {
		waiting[tfplan.Block(c.Address)] = true
		if j.isJudged(c.Type) || c.Type == typeVMs {
			j.add(finding.Unknown, c.Address, c.Address,
				"is not known during plan: an input is unknown, or the result depends on a pending change")
		}
	}
	known := make(map[string]bool)
	kinds := make(map[string]bool)
	for _, r := range j.plan.State() {
		if r.Mode == tfplan.Data {
			known[tfplan.Block(r.Address)], kinds[r.Type] = true, true
		}
	}
	for _, b := range j.plan.Blocks() {
		if address := b.Full(); b.Mode == tfplan.Data && j.isJudged(b.Type) && !known[address] && !waiting[address] {
			j.add(finding.NoResult, address, address, "is in the configuration, but the plan has no result for it")
		}
	}
	for kind := range j.settings.Results {
		if !kinds[kind] {
			j.add(finding.Missing, kind, "", "is in results of the settings (%s), but the plan has no such result",
				j.settings.Results[kind].Where)
		}
	}
}

// judgeResults judges the results that are no promises of tiers.
func (j *judge) judgeResults() {
	for _, r := range j.plan.State() {
		if r.Mode != tfplan.Data || r.Type == schema.Plan || !j.isJudged(r.Type) {
			continue
		}
		bounds, named := j.settings.Results[r.Type]
		switch r.Type {
		case typeCompliance:
			j.judgeCompliance(r, bounds)
			continue
		case typeHistory:
			j.judgeHistory(r, bounds)
			continue
		}
		v, err := tfplan.Decode[verdict](r.Values)
		if err != nil || !v.isSound(r.Type, r.Values) {
			j.add(finding.Unknown, r.Address, r.Address, unreliable)
		} else {
			j.judgeResult(r, v)
		}
		if !named {
			j.add(
				finding.Unbounded,
				r.Address,
				r.Address,
				"affects the decision, but results of the settings has no %s",
				r.Type,
			)
			continue
		}
		if r.Type == typeEstimate {
			j.checkEstimateRPO(r, v, bounds)
		}
		j.checkBounds(part{r.Address, r.Address, r.Type, "", r.Values, r.Values, bounds})
	}
}

// checkEstimateRPO bounds the RPO that an estimate is judged by.
func (j *judge) checkEstimateRPO(r *tfplan.Resource, v verdict, bounds settings.Bounds) {
	for _, limit := range bounds.Limits {
		if most, ok := limit.Value.(float64); ok && limit.Name == "rpo_minutes" && limit.Op != settings.Min {
			if !v.RPO.Set || v.RPO.V > most {
				j.add(finding.Weaker, r.Address, r.Address, "has an RPO of %v minutes; the settings allow %v (%s)",
					v.RPO.V, most, limit.Where)
			}
			return
		}
	}
	j.add(
		finding.Unbounded,
		r.Address,
		r.Address,
		"has an RPO that no line of the settings bounds: write max_rpo_minutes",
	)
}

// optimistic are the reasons of a calibration that make a plan optimistic.
var optimistic = []string{"throughput_below_assumed", "daily_change_above_assumed", "sync_longer_than_estimated"}

// isSound reports whether a result has what it is judged by, and does not contradict itself.
func (v verdict) isSound(kind string, values map[string]any) bool {
	switch kind {
	case typeEstimate:
		return v.hasVerdict(kind) && v.MeetsRPO.Set && v.ViolationFree.Set
	case typeVMotion:
		return v.hasVerdict(kind) && v.isSoundVMotion()
	case typeMigration:
		return v.hasVerdict(kind) && (v.Throughput.Set || v.Hourly.Set) && v.Reasons.Set
	case typeLimits:
		counts, _ := values["counts"].(map[string]any)
		return v.areSoundLimits() && areNumbers(counts)
	case typeCalibration:
		found := slices.ContainsFunc(v.Reasons.V, func(r string) bool { return slices.Contains(optimistic, r) })
		return v.Reasons.Set && found == tfplan.Is(v.Optimistic, true)
	case typeLink:
		return v.Throughput.Set
	}
	return true
}

func (v verdict) isSoundVMotion() bool {
	return v.Reasons.Set && (v.Verdict.V == "meets") == (len(v.Reasons.V) == 0) && v.Throughput.Set &&
		(!v.Concurrent.Set || v.Concurrent.V >= 1)
}

func (v verdict) areSoundLimits() bool {
	return v.Within.Set && v.Exceeded.Set && v.Within.V == (len(v.Exceeded.V) == 0)
}

// areNumbers reports whether there are values, and all of them are numbers.
func areNumbers(values map[string]any) bool {
	for _, n := range values {
		if _, isNumber := n.(float64); !isNumber {
			return false
		}
	}
	return len(values) > 0
}

func (v verdict) hasVerdict(kind string) bool {
	c := schema.Calculator(kind)
	if c == nil {
		return v.Verdict.Set
	}
	for _, known := range c.Verdicts {
		if v.Verdict.V == known.Code {
			return true
		}
	}
	return false
}

const vMotionFloor = 250

// judgeResult judges a sound result.
func (j *judge) judgeResult(r *tfplan.Resource, v verdict) {
	a := Assessment{Subject: wording.Clean(r.Address), Address: wording.Clean(r.Address), Level: plan.Meets}
	a.Message = strings.TrimSuffix(wording.Clean(v.Summary.V), ".")
	deny := func(level plan.Level, code finding.Code) {
		if a.Code == "" {
			a.Level, a.Code = level, code
		}
	}
	switch v.Verdict.V {
	case "misses":
		deny(plan.Misses, missedCode(r.Type))
	case "unsupported":
		deny(plan.Misses, finding.Unsupported)
	case "no_promise":
		deny(plan.Unknown, finding.MigrationOpen)
	case "at_risk":
		deny(plan.AtRisk, finding.AtRisk)
	case "unknown":
		deny(plan.Unknown, finding.PromiseUnknown)
	}
	switch {
	case r.Type == typeLimits && !v.Within.V:
		deny(plan.Misses, finding.LimitExceeded)
	case tfplan.Is(v.Optimistic, true):
		deny(plan.Misses, finding.Optimistic)
	case r.Type == typeCalibration && !v.Optimistic.Set:
		deny(plan.Unknown, finding.NotMeasured)
	}
	if v.isBelowFloor(r.Type) {
		j.add(finding.VMotionFloor, r.Address, r.Address, "has less than %d Mbit/s for each concurrent migration",
			vMotionFloor)
	}
	j.Assessments = append(j.Assessments, a)
}

func missedCode(kind string) finding.Code {
	switch kind {
	case typeMigration:
		return finding.MigrationMissed
	case typeLimits:
		return finding.LimitExceeded
	}
	return finding.RPOMissed
}

func (v verdict) isBelowFloor(kind string) bool {
	if slices.Contains(v.Reasons.V, "below_250_mbps_per_migration") {
		return true
	}
	concurrent := 1.0
	switch {
	case kind == typeVMotion && v.Concurrent.Set:
		concurrent = v.Concurrent.V
	case kind == typeMigration && v.MaxConcurrent.Set:
		concurrent = v.MaxConcurrent.V
	case kind != typeVMotion && kind != typeMigration:
		return false
	}
	each := v.Throughput.V / max(1, concurrent)
	if v.PerMigration.Set {
		each = min(each, v.PerMigration.V)
	}
	return v.Throughput.Set && each < vMotionFloor
}
